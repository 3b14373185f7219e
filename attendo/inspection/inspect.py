"""One sentence under the magnifying glass: every step of its search, and what each head looked at.

The sentence is prepared and searched as `attendo translate --engine torch` does it, so that what is shown here is what
happened there.
"""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attendo.decoding.beam import beam_search
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel
from attendo.decoding.options import SearchOptions
from attendo.decoding.scoring import score_targets
from attendo.decoding.trace import SearchStep
from attendo.engines.engine import Limits, Request
from attendo.engines.torch_engine import limits_of
from attendo.errors import InputError
from attendo.files.arguments import check_argument, check_languages, check_path
from attendo.inspection.alignment import Alignment, AttentionMaps, align, attention_maps
from attendo.inspection.readable import pieces
from attendo.model.build import Model
from attendo.model.config import DecoderOnlyConfig, LayerConfig, ModelConfig, RecurrentConfig
from attendo.model.encoder_only import EncoderOnly
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.record import AttentionRecord
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.report.language import Language
from attendo.report.page import folder_for_pages
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, normalize, one_line, repair
from attendo.text.tokenizer import Tokenizer
from attendo.translation.compose import words_for_language
from attendo.translation.load import check_translates
from attendo.translation.options import DEFAULT
from attendo.translation.prepare import Asked, Direction, Preparer, choose_source, choose_target

LONGEST_SOURCE, LONGEST_TARGET = 512, 1024  # tokens: weights grow with the square, and nobody reads a map of more
UNLIMITED = 2**31  # tokens: a text is not cut here, it is shown as it is, or not at all


@dataclass(frozen=True)
class Inspection:
    """The best translation, how it was found, and the weights of one pass that reads it all (teacher forcing)."""

    text: str  # as the model reads it
    translation: str  # as `translate` writes it
    source_language: str
    target_language: str
    tokenizer: Tokenizer
    source: tuple[int, ...]  # tag, pieces, </s>
    best: Hypothesis
    steps: tuple[SearchStep, ...]
    options: SearchOptions
    record: AttentionRecord
    remarks: tuple[str, ...] = ()  # what a reader should know
    files: tuple[Path, ...] = ()  # that were written, the page first

    @property
    def target_in(self) -> tuple[int, ...]:
        return (SPECIAL.bos, *self.best.ids[:-1])

    @cached_property
    def maps(self) -> list[AttentionMaps]:
        """All the uses that the model makes of attention, all layers and heads."""
        units = (pieces(ids, self.tokenizer) for ids in (self.source, self.best.ids, self.target_in))
        return attention_maps(self.record, *units)

    @cached_property
    def alignment(self) -> Alignment:
        """Which words of the source the model looked at for each word of the translation."""
        return align(self.record, pieces(self.source, self.tokenizer), pieces(self.best.ids, self.tokenizer))


def inspect(
    text: str,
    to: str | None = None,
    from_: str | None = None,
    model: str | Path | None = None,
    out: str | Path | None = None,
    beam: int = 4,
    *,
    target: str | None = None,
    language: Language = "en",
) -> Inspection:
    """Translate a sentence; give every step of the search and what every head of every layer looked at.

    `model` is a folder or a name, by default the model that comes with attendo. With `out`, a folder, a page index.html
    and pictures of all heads are written there. `to` and `from_` are as in `Translator.translate`: `to` may be left out
    where the model has one target language, and the text tells `from_`. A translation of your own is given as `target`:
    then nothing is searched, and the maps show the model reading it. The page is in English with Chinese beside it, or
    with `language` "zh" in Chinese alone.

    >>> found = attendo.inspect("我爱机器学习", to="en")
    >>> found.translation
    'I love machine learning.'
    >>> found.alignment.columns
    ('>>en<<', '我', '爱', '机器', '学习', '</s>')
    >>> cross = found.maps[-1]
    >>> cross.name, cross.weights.shape  # [layers, heads, target tokens, source tokens]
    ('cross', torch.Size([2, 6, 6, 6]))
    >>> len(found.steps), len(found.steps[0].contenders)
    (6, 8)
    """
    check_argument("text", text, str, "a sentence")
    check_languages(to, from_)
    if target is not None:
        check_argument("target", target, str, "a translation, or None")
    for name, path in (("model", model), ("out", out)):
        if path is not None:
            check_path(name, path)
    folder = model_folder(model)
    bundle = read_bundle(folder)
    check_translates(bundle)
    options, tokenizer = SearchOptions(beam_size=beam), bundle.tokenizer()
    choose_source(from_, choose_target(to, bundle.directions), text, bundle.directions)  # or why not, before a folder
    with nullcontext() if out is None else folder_for_pages(Path(out)):
        found = inspect_text(load_model(bundle), tokenizer, text, bundle.directions, to, from_, options, target)
        if out is None:
            return found
        from attendo.inspection.page import write_folder  # matplotlib, only where pictures are drawn

        return write_folder(Path(out), found, folder.resolve().name, language)


@torch.inference_mode()
def inspect_text(
    model: Model,
    tokenizer: Tokenizer,
    text: str,
    directions: tuple[Direction, ...],
    to: str | None = None,
    from_: str | None = None,
    options: SearchOptions = DEFAULT.search,
    target: str | None = None,
) -> Inspection:
    """The same with a model at hand, which knows these directions, and with any options of the search."""
    if isinstance(model, EncoderOnly):
        raise InputError("an encoder alone cannot translate: expected a transformer, decoder-only or recurrent model")
    if isinstance(model, NonAutoregressive):
        raise InputError(
            "a non-autoregressive model gives all words at once: there are no steps of a search to look at, "
            "expected a transformer, decoder-only or recurrent model"
        )
    if isinstance(model.config, RecurrentConfig) and model.config.attention == "none":
        raise InputError(
            "a recurrent model with attention = 'none' sees the source as one vector: it has no attention to show"
        )
    limits = Limits(UNLIMITED, limits_of(model.config).target)
    asked, remarks = read_as_translate(Preparer(tokenizer, directions, limits), text, to, from_)
    request, languages = asked.request, asked.languages
    source = torch.tensor([request.ids], device=next(model.parameters()).device)
    steps: list[SearchStep] = []
    longest = longest_target(model.config, request)
    if target is not None:
        best = read_target(model, tokenizer, source, target, longest)
    else:
        searched: AutoregressiveModel[Any] = model
        best = beam_search(searched, source, longest, options, on_step=steps.append)[0][0]
    if not best.ended:
        remarks.append(f"the translation was cut at {len(best.ids)} tokens, its maximum length")
    record = AttentionRecord()
    model(source, source.new_tensor([[SPECIAL.bos, *best.ids[:-1]]]), record)
    return Inspection(
        text=normalize(request.text),
        translation=asked.for_reader(one_line(tokenizer.decode(best.ids))),
        source_language=languages.source,
        target_language=languages.target,
        tokenizer=tokenizer,
        source=request.ids,
        best=best,
        steps=tuple(steps),
        options=options,
        record=record,
        remarks=tuple(remarks),
    )


def read_target(model: Any, tokenizer: Tokenizer, source: Tensor, target: str, longest: int) -> Hypothesis:
    """What the model says of a given translation, which is read as `attendo score` reads it."""
    text = for_model(repair(target)[0])
    if not text:
        raise InputError("the given translation is empty: expected a sentence")
    ids = (*tokenizer.encode_target(text), SPECIAL.eos)
    if len(ids) > longest:
        raise InputError(f"the given translation has {len(ids):,} tokens: expected at most {longest:,} for this text")
    return score_targets(model, source, source.new_tensor([ids]))[0]


def read_as_translate(preparer: Preparer, text: str, to: str | None, from_: str | None) -> tuple[Asked, list[str]]:
    """What the model is asked, and remarks. Several sentences are read as one text."""
    prepared = preparer.prepare(text, to, from_, DEFAULT)
    segments = [segment for segment in prepared.segments if segment.text]
    if not segments:
        raise InputError("there is no text to look at")
    if len(segments) == 1:
        whole, remarks = segments[0].text, list(prepared.remarks)
    else:
        whole = repair(text)[0].strip()
        remarks = [f"{len(segments)} sentences or pieces of one, shown as one text: `translate` takes them one by one"]
    asked, remark = preparer.ask_openly(whole, prepared.languages)
    if remark and len(segments) > 1:  # of a single one, prepare has told
        remarks.append(remark)
    notes = dict.fromkeys(map(words_for_language, prepared.notes.values()))
    remarks += [f"`translate` would say: {words}" for words in notes]
    return asked, remarks


def longest_target(config: ModelConfig, request: Request) -> int:
    """As long as `translate` allows, where the model has positions for it; or why the source is too long."""
    source = len(request.ids)
    if source > LONGEST_SOURCE:
        most = f"maps of attention are made of at most {LONGEST_SOURCE}, so give it sentence by sentence"
        raise InputError(f"the text has {source:,} tokens: {most}")
    longest = min(request.max_length, LONGEST_TARGET)
    if isinstance(config, LayerConfig) and config.positions == "learned":
        # A decoder alone reads source and target as one text; elsewhere each has a table of its own.
        room = config.max_length - (source if isinstance(config, DecoderOnlyConfig) else 0)
        if source > config.max_length or room < 1:
            positions = f"the {config.max_length:,} learned positions of the model"
            raise InputError(f"the text has {source:,} tokens, too many for {positions}")
        longest = min(longest, room)
    return longest
