// Every word of the page in both languages. What follows the sign of equality is JSON, so that a test can read it.

export const WORDS = {
  "page.title": { "en": "attendo · translate and connect", "zh": "attendo · 翻译与接入" },
  "page.tagline": { "en": "A translator for all your programs, and a look inside it.", "zh": "所有程序都能用的翻译服务，内部也看得见。" },
  "page.skip": { "en": "To the translation", "zh": "跳到翻译框" },
  "page.language": { "en": "中文", "zh": "English" },
  "page.light": { "en": "Light colours", "zh": "切换到浅色" },
  "page.dark": { "en": "Dark colours", "zh": "切换到深色" },
  "page.connect": { "en": "Connect a program", "zh": "接入程序" },
  "page.glass": { "en": "Look inside", "zh": "看看内部" },
  "page.foot": { "en": "attendo {version} · model: {models}", "zh": "attendo {version} · 模型：{models}" },
  "page.private": {
    "en": "What you write goes to this server and nowhere else. No cookies; nothing is loaded from other places.",
    "zh": "输入的文字只发给这台服务器，不会传到别处。不用 Cookie，也不从其他网站加载任何内容。"
  },
  "key.label": { "en": "Key of this server", "zh": "本服务器的密钥" },
  "key.hint": {
    "en": "This server needs a key. It is kept until you close this tab, and filled in below.",
    "zh": "本服务器需要密钥。密钥只保存到关闭标签页为止，并会自动填入下面的地址。"
  },
  "key.use": { "en": "Use", "zh": "使用" },
  "key.yours": { "en": "YOUR-KEY", "zh": "你的密钥" },
  "box.title": { "en": "Translate", "zh": "翻译" },
  "box.from": { "en": "Source language", "zh": "原文语言" },
  "box.to": { "en": "Target language", "zh": "译文语言" },
  "box.detect": { "en": "Detect language", "zh": "自动检测" },
  "box.detected": { "en": "{language}, detected", "zh": "检测到{language}" },
  "box.perhaps": { "en": "{language}, perhaps", "zh": "可能是{language}" },
  "box.swap": { "en": "Swap languages", "zh": "交换语言" },
  "box.source": { "en": "Text to translate", "zh": "要翻译的文字" },
  "box.placeholder": { "en": "Type or paste a text", "zh": "输入或粘贴文字" },
  "box.target": { "en": "Translation", "zh": "译文" },
  "box.waiting": { "en": "The translation appears here as you type.", "zh": "一边输入，译文一边显示在这里。" },
  "box.clear": { "en": "Clear", "zh": "清空" },
  "box.copy": { "en": "Copy", "zh": "复制" },
  "box.copied": { "en": "Copied", "zh": "已复制" },
  "box.count": { "en": "{count} of {limit} characters", "zh": "{count} / {limit} 字" },
  "box.took": { "en": "{ms} ms", "zh": "{ms} 毫秒" },
  "box.alternatives": { "en": "Other translations", "zh": "其他译法" },
  "box.remarks": { "en": "Remarks", "zh": "备注" },
  "box.doubtful": { "en": "The model is not sure of this translation.", "zh": "模型对这段译文没有把握。" },
  "box.switched": {
    "en": "The text is in {source}, so it is translated into {target}.",
    "zh": "原文是{source}，因此译成{target}。"
  },
  "box.unpaired": {
    "en": "This server has no model from {source} into {wish}, so it is translated into {target}.",
    "zh": "本服务器没有从{source}译成{wish}的模型，因此译成{target}。"
  },
  "mark.help": {
    "en": "Point at a word, or move through the translation with the arrow keys, to see where it comes from.",
    "zh": "把指针移到词上，或用方向键在译文中移动，可以看到它译自哪个词。"
  },
  "mark.made": { "en": "{word} ← {sources} (alignment)", "zh": "{word} ← {sources}（对齐）" },
  "mark.became": { "en": "{word} → {targets} (alignment)", "zh": "{word} → {targets}（对齐）" },
  "mark.none": { "en": "{word}: from no single word", "zh": "{word}：不对应某一个词" },
  "mark.sure": { "en": "the model's probability: {percent}%", "zh": "模型给出的概率：{percent}%" },
  "mark.unsure": { "en": "unsure", "zh": "没有把握" },
  "mark.lost": { "en": "perhaps left out", "zh": "可能漏译" },
  "mark.missing": {
    "en": "{word}: no word of the translation looked at it",
    "zh": "{word}：译文中没有词来自它"
  },
  "glass.title": { "en": "Look inside", "zh": "看看内部" },
  "glass.intro": {
    "en": "Watch the sentence go through the Transformer: every number here is the model's, and a click on any of them shows what it is made of.",
    "zh": "看这句话怎样走过 Transformer：这里的每个数都来自模型，点一下就能看到它是怎样算出来的。"
  },
  "glass.begin": { "en": "Begin here", "zh": "从这里开始" },
  "glass.try": { "en": "Type above, or try", "zh": "在上面输入，或试试" },
  "glass.example": { "en": "Nothing typed yet: this is an example.", "zh": "还没有输入：下面是一个例子。" },
  "glass.type": {
    "en": "Type a sentence above, and see it go through the machine: {directions}.",
    "zh": "在上面输入一句话，看它怎样走过整台机器：{directions}。"
  },
  "glass.first": { "en": "The first sentence of your text, of {count}.", "zh": "你的文字共 {count} 句，这是第一句。" },
  "glass.cursor": { "en": "Sentence {number} of {count}, where the cursor was.", "zh": "光标所在的第 {number} 句，共 {count} 句。" },
  "glass.long": {
    "en": "This sentence has too many pieces to look into. Put the cursor into a shorter one.",
    "zh": "这一句的词元太多，无法展开。请把光标移到短一些的句子里。"
  },
  "glass.link": { "en": "Copy link", "zh": "复制链接" },
  "glass.damaged": {
    "en": "The link is damaged or of another version, so it was ignored.",
    "zh": "链接已损坏或版本不符，已忽略。"
  },
  "tour.start": { "en": "Tour of the Transformer", "zh": "Transformer 导览" },
  "error.key": { "en": "The server needs a key, or does not know this one.", "zh": "服务器需要密钥，或不认识这个密钥。" },
  "error.origin": { "en": "The server refuses this page: {detail}", "zh": "服务器拒绝了本页面：{detail}" },
  "error.large": { "en": "Too long: at most {limit} characters at once.", "zh": "文字太长：一次最多 {limit} 字。" },
  "error.busy": { "en": "The server is busy; trying again in {seconds} s.", "zh": "服务器繁忙，{seconds} 秒后重试。" },
  "error.unreachable": {
    "en": "The server does not answer; trying again in {seconds} s.",
    "zh": "服务器没有回应，{seconds} 秒后重试。"
  },
  "error.silent": { "en": "The server does not answer.", "zh": "服务器没有回应。" },
  "error.full": { "en": "The server is busy. Try again later.", "zh": "服务器繁忙，请稍后再试。" },
  "error.late": { "en": "It took too long. Try a shorter text.", "zh": "用时太长，请缩短文字再试。" },
  "error.other": { "en": "Error {status}: {detail}", "zh": "错误 {status}：{detail}" },
  "error.clipboard": { "en": "The browser does not let the page copy.", "zh": "浏览器不允许复制。" },
  "connect.title": { "en": "Connect", "zh": "接入" },
  "connect.intro": {
    "en": "Find your program, paste the address, and test it here: the test sends what that program sends.",
    "zh": "找到你的程序，粘贴地址，在这里测试：测试发出的请求与该程序发出的一样。"
  },
  "connect.extensions": {
    "en": "Browser extensions are let in by default; pages of other sites are not (--allow-origin lets one in).",
    "zh": "浏览器扩展默认可以访问，其他网站的页面不可以（用 --allow-origin 放行）。"
  },
  "connect.elsewhere": {
    "en": "For a program on another machine or in a container, put this machine's name in place of {host}, and start the server with --host.",
    "zh": "程序在另一台机器或容器里时，把 {host} 换成本机的名字，并用 --host 启动服务器。"
  },
  "connect.search": { "en": "Find a program", "zh": "查找程序" },
  "connect.all": { "en": "All", "zh": "全部" },
  "connect.groups": { "en": "Kind of program", "zh": "程序类别" },
  "connect.found": { "en": "{count} ways", "zh": "{count} 种接法" },
  "connect.nothing": {
    "en": "No program by that name. If it can use LibreTranslate, DeepL, DeepLX or MTranServer, take the address of one that does.",
    "zh": "没有这个名字的程序。只要它支持 LibreTranslate、DeepL、DeepLX 或 MTranServer，就可以用同类程序的地址。"
  },
  "connect.test": { "en": "Test", "zh": "测试" },
  "connect.testing": { "en": "Testing …", "zh": "测试中……" },
  "connect.works": { "en": "It works · {ms} ms", "zh": "可以使用 · {ms} 毫秒" },
  "connect.fails": { "en": "It does not work · {ms} ms", "zh": "不能使用 · {ms} 毫秒" },
  "connect.sends": { "en": "What it sends", "zh": "发出的请求" },
  "connect.json": {
    "en": "The program sends {type}; the test sends the same as JSON, for a page may send nothing else.",
    "zh": "该程序发送 {type}；页面只能发送 JSON，因此测试以 JSON 发送同样的内容。"
  },
  "connect.untyped": { "en": "JSON without a content type", "zh": "不带类型的 JSON" },
  "connect.keyless": {
    "en": "It has no place for a key, and this server needs one.",
    "zh": "它没有填写密钥的地方，而本服务器需要密钥。"
  },
  "connect.called": {
    "en": "The server is called {found} here; expected {expected}.",
    "zh": "服务器在这里的名字是 {found}，应为 {expected}。"
  },
  "connect.empty": { "en": "The answer has no translation.", "zh": "回答里没有译文。" },
  "paste.address": { "en": "Address", "zh": "地址" },
  "paste.key": { "en": "Key", "zh": "密钥" },
  "paste.setting": { "en": "Setting", "zh": "设置" },
  "paste.command": { "en": "Command", "zh": "命令" },
  "paste.code": { "en": "Code", "zh": "代码" },
  "group.browser": { "en": "Browser", "zh": "浏览器" },
  "group.desktop": { "en": "Desktop", "zh": "桌面程序" },
  "group.reading": { "en": "Reading and subtitles", "zh": "阅读与字幕" },
  "group.servers": { "en": "Servers", "zh": "服务器" },
  "group.programmers": { "en": "Programmers", "zh": "编程" }
};
