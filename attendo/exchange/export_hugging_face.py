"""`attendo export --to hf`: a model folder in the form of Hugging Face's `transformers`, with a tokenizer that works.

    post-norm models   MarianMTModel
    pre-norm models    PegasusForConditionalGeneration, which is the same with its norms before

Both know LayerNorm, sines and cosines, biases, and relu, gelu or swish; what is otherwise is refused in a sentence. The
tokenizer is a MarianTokenizer: it puts a >>en<< that a text begins with before the pieces, and SentencePiece cuts the
rest. The folder also holds our own tokenizer, which `attendo import` takes, so that the way back loses nothing.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from attendo.errors import InputError
from attendo.exchange.columns import by_halves
from attendo.exchange.hugging_face_marian import POSITIONS, sines_then_cosines
from attendo.exchange.sentence_piece_writing import piece_names, sentence_piece_model
from attendo.exchange.their_names import their_names
from attendo.files.durable import new_folder
from attendo.files.tensor_arrays import Arrays
from attendo.files.tensor_writing import write_arrays
from attendo.model.config import TransformerConfig
from attendo.model_folder.bundle import CARD, Bundle
from attendo.model_folder.checked_weights import read_weights
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

OUR_TOKENIZER = "attendo_tokenizer.json"
LONGEST = 1_024  # positions; computed, so that more would do


def export_hugging_face(bundle: Bundle, folder: Path) -> None:
    """Whole or not at all; the folder must not be there."""
    config = bundle.config
    if not isinstance(config, TransformerConfig):
        raise InputError(f"{bundle.folder} is no encoder-decoder Transformer: only those have a form there")
    tokenizer = bundle.tokenizer()
    names = piece_names(tokenizer)
    theirs = to_their_weights(config, read_weights(bundle))
    vocabulary = {name: index for index, name in enumerate(names)}
    with new_folder(folder, sum(array.nbytes for array in theirs.values())) as new:
        write_arrays(new / "model.safetensors", theirs, {"format": "pt"})
        write_json(new / "config.json", their_config(config))
        write_json(new / "generation_config.json", their_generation())
        write_json(new / "vocab.json", vocabulary)
        write_json(new / "tokenizer_config.json", tokenizer_config(bundle, tokenizer))
        for side in ("source", "target"):
            (new / f"{side}.spm").write_bytes(sentence_piece_model(tokenizer, side=side))
        tokenizer.save(new / OUR_TOKENIZER)
        (new / CARD).write_bytes((bundle.folder / CARD).read_bytes())


def to_their_weights(config: TransformerConfig, weights: Arrays) -> Arrays:
    if config.positions == "sinusoidal":
        weights = by_halves(weights, config.d_model)
    found = {}
    for theirs, ours in their_names(config).items():
        if ours in weights and not (config.tied_output and theirs == "lm_head.weight"):
            found[theirs] = weights[ours]
    if config.shared_embedding and config.tied_output:
        for side in ("encoder", "decoder"):
            found.pop(f"model.{side}.embed_tokens.weight", None)  # one table, "model.shared.weight"
    bias = weights.get("output.bias", np.zeros(config.vocab_size, np.float32))
    tables = dict.fromkeys(POSITIONS, sines_then_cosines(LONGEST, config.d_model).astype(np.float32))
    return {**found, **tables, "final_logits_bias": bias[None]}


def their_config(config: TransformerConfig) -> dict[str, Any]:
    post = config.norm_order == "post"
    return {
        "model_type": "marian" if post else "pegasus",
        "architectures": ["MarianMTModel" if post else "PegasusForConditionalGeneration"],
        "is_encoder_decoder": True,
        "vocab_size": config.vocab_size,
        "d_model": config.d_model,
        **{f"{side}_ffn_dim": config.d_ff for side in ("encoder", "decoder")},
        **{f"{side}_attention_heads": config.num_heads for side in ("encoder", "decoder")},
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "activation_function": config.activation,
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "activation_dropout": config.activation_dropout,
        "max_position_embeddings": LONGEST,
        "scale_embedding": True,
        "static_position_embeddings": True,
        "share_encoder_decoder_embeddings": config.shared_embedding,
        "tie_word_embeddings": config.tied_output,
        **({"decoder_vocab_size": config.vocab_size} if post else {}),
        "forced_eos_token_id": None,
        **ids(),
    }


def ids() -> dict[str, int]:
    return {
        "pad_token_id": SPECIAL.pad,
        "bos_token_id": SPECIAL.bos,
        "eos_token_id": SPECIAL.eos,
        "decoder_start_token_id": SPECIAL.bos,
    }


def their_generation() -> dict[str, Any]:
    search = {"num_beams": 4, "max_length": 512, "bad_words_ids": [[SPECIAL.pad], [SPECIAL.bos]]}
    return {**ids(), **search, "renormalize_logits": True, "early_stopping": True}


def tokenizer_config(bundle: Bundle, tokenizer: Tokenizer) -> dict[str, Any]:
    source, target = bundle.directions[0]
    tags = [f">>{language}<<" for language in tokenizer.languages if tokenizer.tag_ids(language)]
    return {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": source,
        "target_lang": target,
        "attendo_directions": ["-".join(direction) for direction in bundle.directions],
        "separate_vocabs": False,
        "unk_token": "<unk>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
        **({"extra_special_tokens": tags} if tags else {}),
    }


def write_json(path: Path, table: Any) -> None:
    path.write_text(json.dumps(table, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
