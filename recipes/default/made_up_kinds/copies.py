"""What no language translates: addresses, file names, code, emoji; alone, and inside or behind a sentence."""

from random import Random

from recipes.default.made_up_kinds.said import Kind, Said, fill, same
from recipes.default.made_up_kinds.words import PHRASES

SYLLABLES = ("ba", "ko", "mi", "ra", "tu", "ne", "sol", "vin", "dex", "pra", "lo", "fi", "gan", "hu", "zet")
TOP = ("com", "org", "net", "de", "cn", "io", "example")
EXTENSIONS = ("txt", "pdf", "py", "json", "csv", "png", "docx", "tar.gz", "html", "yaml", "md")
EMOJI = "😀😂😊😍😢😡👍👎🙏🎉❤🔥⭐🌞🌧🐱🐶🍎🍕🚗✈🏠📚💡✅❌😎🤔👋💪"
CODE = (
    "{a}_{b}", "{a}{B}()", "{a}.{b}", "--{a}-{b}", "<{a}>", "${A}_{B}", "{a}[{n}]", "{a} = {n}", "#{hex}", "@{a}{n}",
    "v{n}.{m}.0", "print({a})", "/usr/{a}/{b}", "`{a}`", "{{{a}}}", "%{a}%", "#{a}", "{A}-{n}", "git {a} --{b}",
)  # fmt: skip
AROUND = (
    Said("打开 {it}。", "Open {it}.", "Öffnen Sie {it}."),
    Said("请看 {it}。", "See {it}.", "Siehe {it}."),
    Said("{it} 不存在。", "{it} does not exist.", "{it} existiert nicht."),
    Said("找不到 {it}。", "{it} was not found.", "{it} wurde nicht gefunden."),
    Said("删除 {it}？", "Delete {it}?", "{it} löschen?"),
    Said("{it} 是什么？", "What is {it}?", "Was ist {it}?"),
)
WRITE_TO = Said("请发邮件到 {it}。", "Please write to {it}.", "Bitte schreiben Sie an {it}.")


def name(rng: Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 3)))


def url(rng: Random) -> str:
    path = rng.choice(("", "/", f"/{name(rng)}", f"/{name(rng)}/{rng.randint(1, 999)}", f"?q={name(rng)}"))
    return f"{rng.choice(('https://', 'http://', 'https://www.', 'www.'))}{name(rng)}.{rng.choice(TOP)}{path}"


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
    return rng.choice(EMOJI) * rng.choice((1, 1, 2, 3))


def alone(rng: Random) -> Said:
    return same(rng.choice((url, email, file, code, emoji))(rng))


def in_sentence(rng: Random) -> Said:
    if rng.random() < 0.2:
        return fill(WRITE_TO, it=same(email(rng)))
    return fill(rng.choice(AROUND), it=same(rng.choice((url, file, code))(rng)))


def with_emoji(rng: Random) -> Said:
    sign, phrase = emoji(rng), rng.choice(PHRASES)
    return Said(f"{phrase.zh}{sign}", f"{phrase.en} {sign}", f"{phrase.de} {sign}")


FORMS: tuple[Kind, ...] = (alone, alone, in_sentence, with_emoji)


def draw(rng: Random) -> Said:
    return rng.choice(FORMS)(rng)
