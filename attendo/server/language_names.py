"""Languages as people name them: in English, in Chinese and in the language itself."""

from typing import NamedTuple


class LanguageName(NamedTuple):
    """How one language is called."""

    english: str
    chinese: str
    own: str


NAMES = {
    code: LanguageName(*names)
    for code, names in {
        "ar": ("Arabic", "阿拉伯语", "العربية"),
        "az": ("Azerbaijani", "阿塞拜疆语", "Azərbaycanca"),
        "be": ("Belarusian", "白俄罗斯语", "Беларуская"),
        "bg": ("Bulgarian", "保加利亚语", "Български"),
        "bn": ("Bengali", "孟加拉语", "বাংলা"),
        "ca": ("Catalan", "加泰罗尼亚语", "Català"),
        "cs": ("Czech", "捷克语", "Čeština"),
        "da": ("Danish", "丹麦语", "Dansk"),
        "de": ("German", "德语", "Deutsch"),
        "el": ("Greek", "希腊语", "Ελληνικά"),
        "en": ("English", "英语", "English"),
        "eo": ("Esperanto", "世界语", "Esperanto"),
        "es": ("Spanish", "西班牙语", "Español"),
        "et": ("Estonian", "爱沙尼亚语", "Eesti"),
        "eu": ("Basque", "巴斯克语", "Euskara"),
        "fa": ("Persian", "波斯语", "فارسی"),
        "fi": ("Finnish", "芬兰语", "Suomi"),
        "fr": ("French", "法语", "Français"),
        "ga": ("Irish", "爱尔兰语", "Gaeilge"),
        "gl": ("Galician", "加利西亚语", "Galego"),
        "he": ("Hebrew", "希伯来语", "עברית"),
        "hi": ("Hindi", "印地语", "हिन्दी"),
        "hr": ("Croatian", "克罗地亚语", "Hrvatski"),
        "hu": ("Hungarian", "匈牙利语", "Magyar"),
        "hy": ("Armenian", "亚美尼亚语", "Հայերեն"),
        "id": ("Indonesian", "印尼语", "Bahasa Indonesia"),
        "is": ("Icelandic", "冰岛语", "Íslenska"),
        "it": ("Italian", "意大利语", "Italiano"),
        "ja": ("Japanese", "日语", "日本語"),
        "ka": ("Georgian", "格鲁吉亚语", "ქართული"),
        "kk": ("Kazakh", "哈萨克语", "Қазақша"),
        "km": ("Khmer", "高棉语", "ខ្មែរ"),
        "ko": ("Korean", "韩语", "한국어"),
        "la": ("Latin", "拉丁语", "Latina"),
        "lo": ("Lao", "老挝语", "ລາວ"),
        "lt": ("Lithuanian", "立陶宛语", "Lietuvių"),
        "lv": ("Latvian", "拉脱维亚语", "Latviešu"),
        "mk": ("Macedonian", "马其顿语", "Македонски"),
        "mn": ("Mongolian", "蒙古语", "Монгол"),
        "mr": ("Marathi", "马拉地语", "मराठी"),
        "ms": ("Malay", "马来语", "Bahasa Melayu"),
        "mt": ("Maltese", "马耳他语", "Malti"),
        "my": ("Burmese", "缅甸语", "မြန်မာ"),
        "nb": ("Norwegian Bokmål", "书面挪威语", "Norsk bokmål"),
        "ne": ("Nepali", "尼泊尔语", "नेपाली"),
        "nl": ("Dutch", "荷兰语", "Nederlands"),
        "no": ("Norwegian", "挪威语", "Norsk"),
        "pl": ("Polish", "波兰语", "Polski"),
        "pt": ("Portuguese", "葡萄牙语", "Português"),
        "pt-BR": ("Portuguese (Brazilian)", "葡萄牙语(巴西)", "Português (Brasil)"),
        "pt-PT": ("Portuguese (European)", "葡萄牙语(葡萄牙)", "Português (Portugal)"),
        "ro": ("Romanian", "罗马尼亚语", "Română"),
        "ru": ("Russian", "俄语", "Русский"),
        "sk": ("Slovak", "斯洛伐克语", "Slovenčina"),
        "sl": ("Slovenian", "斯洛文尼亚语", "Slovenščina"),
        "sq": ("Albanian", "阿尔巴尼亚语", "Shqip"),
        "sr": ("Serbian", "塞尔维亚语", "Српски"),
        "sv": ("Swedish", "瑞典语", "Svenska"),
        "sw": ("Swahili", "斯瓦希里语", "Kiswahili"),
        "ta": ("Tamil", "泰米尔语", "தமிழ்"),
        "te": ("Telugu", "泰卢固语", "తెలుగు"),
        "th": ("Thai", "泰语", "ไทย"),
        "tl": ("Tagalog", "他加禄语", "Tagalog"),
        "tr": ("Turkish", "土耳其语", "Türkçe"),
        "uk": ("Ukrainian", "乌克兰语", "Українська"),
        "ur": ("Urdu", "乌尔都语", "اردو"),
        "vi": ("Vietnamese", "越南语", "Tiếng Việt"),
        "yue": ("Cantonese", "粤语", "粵語"),
        "zh": ("Chinese", "中文(简体)", "简体中文"),
        "zh-Hant": ("Chinese (traditional)", "中文(繁体)", "繁體中文"),
    }.items()
}

# What else they are called. Of a Chinese name that ends in 语 the forms with 文 and 語 are known without being here.
OTHER_NAMES = {
    "zh": (
        "中文", "汉语", "漢語", "普通话", "中文简体", "简体", "简中", "中国語", "mandarin", "mandarin chinese",
        "simplified chinese", "chinese simplified", "chinese (simplified)", "chinese (china)",
        "chinese (simplified, china)", "chinesisch",
    ),
    "zh-Hant": (
        "中文(繁體)", "中文繁体", "中文繁體", "繁体中文", "正體中文", "繁体", "繁體", "繁中", "traditional chinese",
        "chinese traditional",
    ),
    "zh-TW": ("chinese (taiwan)", "chinese (traditional, taiwan)", "中文(台湾)", "中文(台灣)", "臺灣正體"),
    "zh-HK": ("chinese (hong kong)", "chinese (traditional, hong kong)", "中文(香港)"),
    "en": ("american english", "british english", "english (american)", "english (british)", "english (us)",
           "english (uk)", "英语(美国)", "英语(英国)", "englisch"),
    "de": ("allemand", "德國語"),
    "ko": ("韩国语", "韓語", "韓文", "朝鲜语"),
    "ja": ("日文", "日本语"),
    "id": ("印度尼西亚语", "印度尼西亞語", "indonesia"),
    "ms": ("melayu",),
    "ru": ("俄罗斯语",),
    "yue": ("广东话", "廣東話", "粤语(繁体)", "yue chinese"),
    "pt": ("葡语",),
    "es": ("西语", "castilian"),
    "fa": ("farsi",),
    "nb": ("norwegian (bokmål)",),
    "el": ("modern greek",),
    "tl": ("filipino", "菲律宾语"),
}  # fmt: skip


def names_of(code: str) -> LanguageName:
    """Of a code, or of the language that it is a form of; the code itself where nobody has named it here."""
    if code in NAMES:
        return NAMES[code]
    if code.startswith("zh-"):
        return NAMES["zh-Hant"]  # zh-TW, zh-HK: what is simplified is called zh
    return NAMES.get(code.partition("-")[0], LanguageName(code, code, code))
