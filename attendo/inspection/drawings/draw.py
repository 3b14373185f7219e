"""A drawing by its name, from a preset or a model folder, to a file."""

from pathlib import Path
from typing import NamedTuple

import torch

from attendo.errors import UsageError
from attendo.inspection.drawings.architecture import architecture, draw_architecture
from attendo.inspection.drawings.embeddings import EmbeddingMap, draw_embeddings, embedding_map
from attendo.inspection.drawings.embeddings_page import write_embeddings_page
from attendo.inspection.drawings.masks import draw_masks, mask_batch
from attendo.inspection.drawings.options import PAGE, DrawOptions, check_drawing, check_ending, chosen_config
from attendo.inspection.drawings.positions import draw_positions, position_table
from attendo.inspection.drawings.qkv import AttentionFlow, attention_flow, draw_qkv
from attendo.inspection.drawings.schedule import draw_schedule, schedules
from attendo.inspection.drawings.slide import Slide, slide_style, write_slide
from attendo.inspection.drawings.three_attentions import draw_three_attentions, three_attentions
from attendo.inspection.drawings.training_and_inference import draw_training_and_inference, two_ways
from attendo.inspection.inspect import Inspection, inspect_text
from attendo.inspection.readable import token_labels
from attendo.model.build import Model
from attendo.model.config import NonAutoregressiveConfig
from attendo.model_folder.bundle import Bundle, model_folder, read_bundle
from attendo.model_folder.checked_weights import read_weights
from attendo.model_folder.weights import load_model, on_meta
from attendo.report.language import Language

SENTENCE, ITS_LANGUAGE = "我爱机器学习", "en"  # what is shown where no text is given, and what it is translated into
BATCH = {"en": ("I love machine learning.", "Thank you!"), "zh": ("我爱机器学习。", "谢谢！")}
TOKENS = 6  # of a preset's self-attention, which reads no text
WORDS = ("学习", "water")
D_MODEL, WARMUP, STEPS = 512, 4_000, 20_000  # the paper's size and warmup


def draw(name: str, path: Path, options: DrawOptions, language: Language = "en") -> None:
    """As SVG or PNG, by the ending of the path; the embeddings also as a page."""
    check_drawing(name, options)
    check_ending(name, path)
    with slide_style():
        if path.suffix.lower() == PAGE:
            write_embeddings_page(embeddings_of(options), path, language)
        else:
            write_slide(make_slide(name, options, language), path)


def make_slide(name: str, options: DrawOptions, language: Language) -> Slide:
    match name:
        case "architecture":
            config = chosen_config(options) if options.model is None else open_bundle(options).config
            called = options.preset or "base" if options.model is None else model_folder(options.model).resolve().name
            return draw_architecture(architecture(config), called, language)
        case "masks":
            texts = options.texts or BATCH[language]
            return draw_masks(mask_batch(texts, open_bundle(options).tokenizer()), language)
        case "positions":
            if options.model is None:
                return draw_positions(position_table(chosen_config(options)), language)
            bundle = open_bundle(options)
            return draw_positions(position_table(bundle.config, load_model(bundle)), language)
        case "schedule":
            d_model, warmup = options.d_model or D_MODEL, options.warmup_steps or WARMUP
            steps = options.max_steps or max(STEPS, 5 * warmup)
            if steps <= warmup:
                raise UsageError(f"--steps is {steps:,} and --warmup {warmup:,}: expected more steps than warmup")
            return draw_schedule(schedules(d_model, warmup, steps), language)
        case "qkv":
            return draw_qkv(flow_of(options), language)
        case "three-attentions":
            return draw_three_attentions(three_attentions(read_sentence(options).found), language)
        case "training-and-inference":
            read = read_sentence(options)
            ways = two_ways(read.model, read.found.tokenizer, read.found.source, read.found.best.ids)
            return draw_training_and_inference(ways, language)
        case "embeddings":
            return draw_embeddings(embeddings_of(options), language)
        case _:
            raise ValueError(name)


class ReadSentence(NamedTuple):
    model: Model
    found: Inspection


def read_sentence(options: DrawOptions) -> ReadSentence:
    """A sentence and its translation, the model's own or a given one, as `attendo inspect` reads them."""
    bundle = open_bundle(options)
    model = load_model(bundle)
    text, to = (options.texts[0], options.to) if options.texts else (SENTENCE, options.to or ITS_LANGUAGE)
    found = inspect_text(model, bundle.tokenizer(), text, bundle.directions, to, target=options.target)
    return ReadSentence(model, found)


def flow_of(options: DrawOptions) -> AttentionFlow:
    """Of a preset the shapes alone, of a model and a sentence the numbers too."""
    sizes = {"preset", "d_model", "num_heads"}
    if sizes & set(options.given()):
        if options.texts:
            raise UsageError("--text does not belong to a preset, which has read nothing: expected --model, or neither")
        with torch.device("meta"):
            source = torch.ones(1, TOKENS, dtype=torch.long)
        return attention_flow(on_meta(chosen_config(options)), source)
    read = read_sentence(options)
    names = token_labels(read.found.source, read.found.tokenizer)
    return attention_flow(read.model, torch.tensor([read.found.source]), [names[one] for one in read.found.source])


def embeddings_of(options: DrawOptions) -> EmbeddingMap:
    bundle = open_bundle(options)
    weights = read_weights(bundle)
    name = "parts.embedding.weight" if isinstance(bundle.config, NonAutoregressiveConfig) else "embedding.weight"
    return embedding_map(weights[name], bundle.tokenizer(), options.words or WORDS)


def open_bundle(options: DrawOptions) -> Bundle:
    return read_bundle(model_folder(options.model))
