"""What no language translates: addresses, file names, code, emoji; alone, and inside or after a sentence."""

import string
import unicodedata
from random import Random

from recipes.default.made_up_kinds.trilingual import Kind, Phrase, fill, same
from recipes.default.made_up_kinds.words import NOUNS, PHRASES

SYLLABLES = ("ba", "ko", "mi", "ra", "tu", "ne", "sol", "vin", "dex", "pra", "lo", "fi", "gan", "hu", "zet")
TOP = ("com", "org", "net", "de", "cn", "io", "example")
EXTENSIONS = ("txt", "pdf", "py", "json", "csv", "png", "docx", "tar.gz", "html", "yaml", "md")
COMMON_EMOJI = "😀😂😊😍😢😡👍👎🙏🎉❤🔥⭐🌞🌧🐱🐶🍎🍕🚗✈🏠📚💡✅❌😎🤔👋💪"
# Most are too rare to be a piece of the vocabulary: they are said byte by byte, which is learnt by seeing many.
EMOJI = [
    chr(code)
    for codes in (range(0x1F300, 0x1F5FB), range(0x1F600, 0x1F650), range(0x1F680, 0x1F6C6), range(0x1F90C, 0x1F9FF))
    for code in codes
    if unicodedata.category(chr(code)) == "So"
]
CODE = (
    "{a}_{b}", "{a}{B}()", "{a}.{b}", "--{a}-{b}", "<{a}>", "${A}_{B}", "{a}[{n}]", "{a} = {n}", "#{hex}", "@{a}{n}",
    "v{n}.{m}.0", "print({a})", "/usr/{a}/{b}", "`{a}`", "{{{a}}}", "%{a}%", "#{a}", "{A}-{n}", "git {a} --{b}",
)  # fmt: skip
AROUND = (
    Phrase("打开 {it}。", "Open {it}.", "Öffnen Sie {it}."),
    Phrase("请看 {it}。", "See {it}.", "Siehe {it}."),
    Phrase("{it} 不存在。", "{it} does not exist.", "{it} existiert nicht."),
    Phrase("找不到 {it}。", "{it} was not found.", "{it} wurde nicht gefunden."),
    Phrase("删除 {it}？", "Delete {it}?", "{it} löschen?"),
    Phrase("{it} 是什么？", "What is {it}?", "Was ist {it}?"),
    Phrase("更多信息见 {it}。", "For more information, see {it}.", "Weitere Informationen finden Sie unter {it}."),
    Phrase("我把照片上传到 {it} 了。", "I uploaded the photos to {it}.", "Ich habe die Fotos auf {it} hochgeladen."),
    Phrase("您可以从 {it} 下载软件。", "You can download the software from {it}.",
         "Sie können die Software von {it} herunterladen."),
    Phrase("请把 {it} 复制到桌面，然后重新启动。", "Please copy {it} to the desktop and restart.",
         "Bitte kopieren Sie {it} auf den Desktop und starten Sie neu."),
    Phrase("自昨天起 {it} 就不能用了。", "{it} has not worked since yesterday.",
         "{it} funktioniert seit gestern nicht mehr."),
)  # fmt: skip
WRITE_TO = (
    Phrase("请发邮件到 {it}。", "Please write to {it}.", "Bitte schreiben Sie an {it}."),
    Phrase("他的地址是 {it}。", "His address is {it}.", "Seine Adresse ist {it}."),
    Phrase("请在星期一之前把照片发到 {it}。", "Please send the photos to {it} by Monday.",
         "Bitte senden Sie die Fotos bis Montag an {it}."),
    Phrase("如果您有问题，请写信给 {it}。", "If you have any questions, write to {it}.",
         "Wenn Sie Fragen haben, schreiben Sie an {it}."),
)  # fmt: skip
# Words that could be translated, but not inside an address.
WORDS = sorted(
    {
        word
        for noun in NOUNS
        for text in (noun.en, noun.de)
        for word in [text.lower()]
        if word.isascii() and word.isalpha()
    }
)
LETTERS = string.ascii_letters + string.digits


def name(rng: Random) -> str:
    if rng.random() < 0.5:
        return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 3)))
    return rng.choice(("", "", "-", "_")).join(rng.sample(WORDS, rng.randint(1, 2)))


def key(rng: Random) -> str:
    """As in a short link: letters and digits without rhyme or reason."""
    return "".join(rng.choices(LETTERS, k=rng.randint(4, 8)))


def url(rng: Random) -> str:
    path = rng.choice(
        (
            "",
            "/",
            f"/{name(rng)}",
            f"/{name(rng)}/{rng.randint(1, 999)}",
            f"?q={name(rng)}",
            f"/{key(rng)}",
            f"/{name(rng)}?id={rng.randint(1, 99_999)}",
            f"/{name(rng)}#{key(rng)}",
        )
    )
    host = rng.choice(("", "", f"{name(rng)}.")) + name(rng)
    return f"{rng.choice(('https://', 'http://', 'https://www.', 'www.'))}{host}.{rng.choice(TOP)}{path}"


def email(rng: Random) -> str:
    return f"{name(rng)}{rng.choice(('', '.', '_'))}{name(rng)}@{name(rng)}.{rng.choice(TOP)}"


def file(rng: Random) -> str:
    number = rng.choice(("", f"_{rng.randint(1, 99)}", f"-{rng.randint(2000, 2030)}"))
    return f"{name(rng)}{number}.{rng.choice(EXTENSIONS)}"


def code(rng: Random) -> str:
    a, b = name(rng), name(rng)
    number, minor, colour = rng.randint(0, 99), rng.randint(0, 20), f"{rng.randrange(16**6):06x}"
    text = rng.choice(CODE)
    return text.format(a=a, b=b, A=a.upper(), B=b.capitalize(), n=number, m=minor, hex=colour)


def emoji(rng: Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(COMMON_EMOJI) * rng.choice((1, 1, 2, 3))
    return "".join(rng.sample(EMOJI, rng.choice((1, 1, 2, 3))))


def alone(rng: Random) -> Phrase:
    return same(rng.choice((url, email, file, code, emoji))(rng))


def in_sentence(rng: Random) -> Phrase:
    if rng.random() < 0.35:
        return fill(rng.choice(WRITE_TO), it=same(email(rng)))
    return fill(rng.choice(AROUND), it=same(rng.choice((url, file, code))(rng)))


def with_emoji(rng: Random) -> Phrase:
    sign, phrase = emoji(rng), rng.choice(PHRASES)
    return Phrase(f"{phrase.zh}{sign}", f"{phrase.en} {sign}", f"{phrase.de} {sign}")


FORMS: tuple[Kind, ...] = (alone, in_sentence, in_sentence, with_emoji)


def draw(rng: Random) -> Phrase:
    return rng.choice(FORMS)(rng)
