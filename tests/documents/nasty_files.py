"""Files of lines that are hard to tell apart, and what a translator makes of them."""

import io

from hypothesis import strategies as st

from attendo.documents.file_translation import FileTranslation
from attendo.text.normalize import LINE_BREAKS
from tests.translation.fake_engine import (
    Listener,
    fake_translator,
)

NASTY = [
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\xef\xbf\xbe", b"\xe2\x80\xae", b"\xc2\x85", b"\xe2\x80\xa8", b"\r",
    b"\x0b", b"\x0c", b"\x1c", b"\x1e", b"\xef\xbb\xbf", b"\xff\xfe", b"a", b" ", b"\t", b". ", b"12", b"\n", b"\n\n",
    "我".encode(), "。".encode(), "😀".encode(), b"\x1b[31m", b"</s>", b">>en<<",
]  # fmt: skip
# Files as people make them, and as nobody should: pieces of trouble, or any bytes at all.
FILES = st.lists(st.sampled_from(NASTY), max_size=40).map(b"".join) | st.binary(max_size=60)


def translated(model, data, engine=None, **settings):
    """The bytes that come out, the account, and who listened."""
    out, watch = io.BytesIO(), Listener()
    settings = {"to": "en", "from_": "zh"} | settings
    account = FileTranslation(**settings).run(fake_translator(model, engine), io.BytesIO(data), out, watch)
    return out.getvalue(), account, watch


def says_line_breaks(ids):
    """Every line break there is, as bytes, before, between and after: what no line may show."""
    breaks = [6 + byte for byte in LINE_BREAKS.encode()]  # ids of bytes stand after 4 control ids and 2 tags
    return (*breaks, *(number for one in ids for number in (one, *breaks)))
