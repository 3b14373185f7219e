"""From a text to what the model reads of it, and from its answer to a text: as `attendo translate` does both."""

from dataclasses import dataclass
from pathlib import Path

from attendo.decoding.hypothesis import Hypothesis
from attendo.engines.engine import Limits, Request
from attendo.errors import InputError
from attendo.glass.transformer import GlassModel, read_glass_model
from attendo.model_folder.bundle import Bundle, model_folder, read_bundle
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, one_line, repair
from attendo.text.tokenizer import Tokenizer
from attendo.translation.answer import Sentence
from attendo.translation.compose import words_for_language
from attendo.translation.options import DEFAULT
from attendo.translation.prepare import Asked, Languages, Preparer
from attendo.translation.retries import with_misses

LONGEST_SOURCE, LONGEST_TARGET = 512, 1024  # tokens: scores grow with the square, and nobody reads a table of more
UNLIMITED = 2**31  # tokens: a text is not cut here, it is shown as it is, or not at all


@dataclass(frozen=True)
class Glass:
    """A model folder, opened: for whoever looks more than once."""

    bundle: Bundle
    tokenizer: Tokenizer
    model: GlassModel


def open_glass(model: str | Path | None = None) -> Glass:
    """From a model folder, or from a model of the package by its name; without either, the default one."""
    bundle = read_bundle(model_folder(model))
    return Glass(bundle, bundle.tokenizer(), read_glass_model(bundle))


@dataclass(frozen=True)
class ReadText:
    """One text as the model reads it."""

    asked: Asked
    remarks: tuple[str, ...]

    @property
    def request(self) -> Request:
        """Its ids, tag and </s> included; how long an answer may be; its words."""
        return self.asked.request

    @property
    def languages(self) -> Languages:
        return self.asked.languages

    def translation(self, best: Hypothesis, tokenizer: Tokenizer) -> str:
        """The text of an answer, with what was hidden, in the script that the reader wants."""
        text = one_line(tokenizer.decode(best.ids))
        answer = Sentence(self.request.text, (text,), (best,), "glass", "first")
        return with_misses(answer, self.asked).text


def read_text(glass: Glass, text: str, to: str | None = None, from_: str | None = None) -> ReadText:
    """A text of one sentence; several are read as one, and a remark says so."""
    config = glass.model.config
    most = LONGEST_TARGET if config.positions != "learned" else min(LONGEST_TARGET, config.max_length)
    knows_stand_ins = glass.bundle.stand_ins
    preparer = Preparer(glass.tokenizer, glass.bundle.directions, Limits(UNLIMITED, most), knows_stand_ins)
    prepared = preparer.prepare(text, to, from_, DEFAULT)
    indices = [index for index, segment in enumerate(prepared.segments) if segment.text]
    if not indices:
        raise InputError("there is no text to look at")
    remarks = list(prepared.remarks)
    if len(indices) == 1 and indices[0] in prepared.asked:
        asked = prepared.asked[indices[0]]
    else:
        if len(indices) > 1:
            count = f"{len(indices)} sentences or pieces of one"
            remarks = [f"{count}, shown as one text: `translate` takes them one by one"]
        else:
            remarks.append("`translate` would not ask the model: there is nothing to translate")
        asked, remark = preparer.ask_openly(repair(text)[0].strip(), prepared.languages)
        remarks += [remark] if remark and remark not in remarks else []
    notes = dict.fromkeys(map(words_for_language, prepared.notes.values()))
    remarks += [f"`translate` would say: {words}" for words in notes]
    check_length(len(asked.request.ids), config.max_length if config.positions == "learned" else LONGEST_SOURCE)
    return ReadText(asked, tuple(remarks))


def read_target(glass: Glass, target: str, longest: int) -> tuple[int, ...]:
    """A given translation, as `attendo score` reads it: pieces and </s>."""
    if not isinstance(target, str):
        raise InputError(f"a target is {type(target).__name__}: expected str")
    text = for_model(repair(target)[0])
    if not text:
        raise InputError("the given translation is empty: expected a sentence")
    ids = (*glass.tokenizer.encode_target(text), SPECIAL.eos)
    if len(ids) > longest:
        raise InputError(f"the given translation has {len(ids):,} tokens: expected at most {longest:,} for this text")
    return ids


def check_length(tokens: int, most: int) -> None:
    most = min(most, LONGEST_SOURCE)
    if tokens > most:
        raise InputError(f"the text has {tokens:,} tokens: the glass shows at most {most:,}, so give it by sentences")
