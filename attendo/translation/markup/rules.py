"""What the names of tags mean: which end a sentence, which are left with all they hold, which merely stand somewhere.

    >>> MarkupRules.html().ends_sentence("p"), MarkupRules.html().ends_sentence("b")
    (True, False)
    >>> MarkupRules.of_xml(splitting_tags=["par"], ignore_tags=["x"]).untouched
    frozenset({'x'})

A name that HTML does not know stands inside a sentence. Attributes are never translated, title, alt and placeholder
neither: no reader of a sentence sees them, and a program may.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Of HTML: a sentence does not go on over the edge of one of these. Buttons and options are labels, each its own.
BORDERS = names(
    "address article aside audio blockquote body button canvas caption center col colgroup dd details dialog dir div dl"
    " dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe"
    " legend li link main map menu meta nav noframes noscript object ol optgroup option p pre search section select"
    " summary table tbody td textarea tfoot th thead title tr ul video"
)
# Left as they are. `pre` is code far more often than a poem, and ruined code is worse than a poem that stays.
UNTOUCHED = names(
    "audio canvas code iframe kbd math noframes object pre samp script style svg template textarea var video"
)
# Tags, or untouched elements, that hold no word of the sentence: the model does not see them.
POINTS = names("area base br embed img input param script source style svg template track wbr")
VOID = names("area base br col embed frame hr img input link meta param source track wbr")
UNENDED = names("dd dt li option p td th")  # end where the next begins, if nothing else ends them
RAW = ("script", "style")  # hold no tags, whatever it looks like
INLINE = names(
    "a abbr acronym b bdi bdo big cite data del dfn em font i ins label mark meter output progress q rp rt ruby s small"
    " span strike strong sub sup time tt u"
)
OF_LINES = frozenset({"br", "lb"})  # a new line, and perhaps a new sentence

UNTRANSLATED = re.compile(
    r"""\stranslate\s*=\s*(?:"no"|'no'|no(?=[\s/>]))|\sclass\s*=\s*(?:"[^"]*\bnotranslate\b|'[^']*\bnotranslate\b)""",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class MarkupRules:
    """Names are in lower case in HTML, as they are in XML."""

    xml: bool = False
    borders: frozenset[str] = BORDERS
    inline: frozenset[str] = INLINE  # even where the outline of an XML text says otherwise
    untouched: frozenset[str] = UNTOUCHED
    points: frozenset[str] = POINTS
    joints: frozenset[str] = frozenset()  # points where a sentence is parted and goes on: the next cue of a subtitle
    outline: bool = False  # an element beside which there is no text is a border: <doc><par>…</par><par>…</par></doc>
    newlines: bool = False  # the end of a line ends a sentence

    @classmethod
    def html(cls, ignore_tags: Iterable[str] = ()) -> "MarkupRules":
        return cls(untouched=UNTOUCHED.union(name.lower() for name in ignore_tags))

    @classmethod
    def of_xml(
        cls,
        splitting_tags: Iterable[str] = (),
        non_splitting_tags: Iterable[str] = (),
        ignore_tags: Iterable[str] = (),
        *,
        outline: bool = True,
        newlines: bool = True,
    ) -> "MarkupRules":
        """As DeepL's tag_handling=xml names them."""
        return cls(
            xml=True,
            borders=frozenset(splitting_tags),
            inline=frozenset(non_splitting_tags),
            untouched=frozenset(ignore_tags),
            points=OF_LINES,
            outline=outline,
            newlines=newlines,
        )

    def name(self, written: str) -> str:
        return written if self.xml else written.lower()

    def ends_sentence(self, name: str) -> bool:
        return name in self.borders

    def is_void(self, name: str) -> bool:
        """It has no end, and is not written as if it had."""
        return not self.xml and name in VOID

    def is_untouched(self, name: str, tag: str) -> bool:
        """An element that opens with this tag stays as it is, with all it holds."""
        return name in self.untouched or UNTRANSLATED.search(tag) is not None

    def is_placeholder(self, name: str) -> bool:
        """Whether an empty element of this name, or one that is left untouched, stands for a word: <x id="3"/>.

        An empty element of HTML is an icon or an anchor; one of a name that HTML does not know was made by a program.
        """
        if name in self.points:
            return False
        return self.xml or (name not in self.inline and name not in self.borders)
