"""Small models of others, made by their own libraries: Marian by `transformers`, pieces by `sentencepiece`."""

import json
import random

import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel

WORDS = {
    "en": "the a cat dog sees loves house tree river small big red green walks runs sleeps under over near and",
    "fr": "le la un chat chien voit aime maison arbre petit grand rouge vert marche court dort sous sur près et",
}


def sentences(language, count, seed=0):
    rng = random.Random(f"{language} {seed}")
    return [
        " ".join(rng.choices(WORDS[language].split(), k=rng.randint(2, 9))).capitalize() + "." for _ in range(count)
    ]


def train_pieces(path, language, vocab_size=70, **options):
    """Without a table of normalisation, unless one is named: the usual one has 200,000 entries."""
    settings = {"vocab_size": vocab_size, "character_coverage": 1.0, "hard_vocab_limit": False, "minloglevel": 2}
    settings["normalization_rule_name"] = "identity"
    if rules := options.pop("rules", None):
        table = path.with_suffix(".tsv")
        table.write_text("".join(f"{code_points(old)}\t{code_points(new)}\n" for old, new in rules.items()))
        settings["normalization_rule_tsv"] = str(table)
    with path.open("wb") as file:
        texts = iter(sentences(language, 400))
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=texts, model_writer=file, **settings | options)


def code_points(text):
    return " ".join(f"{ord(character):X}" for character in text)


def pieces_of(path):
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(index) for index in range(model.get_piece_size()) if not model.is_control(index)]


def vocabulary(*files, extra=()):
    """As OPUS-MT has it: </s> and <unk> first, padding last."""
    pieces = dict.fromkeys(piece for file in files for piece in pieces_of(file) if piece != "<unk>")
    return {token: index for index, token in enumerate(["</s>", "<unk>", *extra, *pieces, "<pad>"])}


def save_marian(folder, *, tags=(), own_vocabularies=False, tied=True, seed=1, safe=True, pieces=None, **sizes):
    """A folder as `save_pretrained` writes it, with random weights; returns the model."""
    folder.mkdir(parents=True, exist_ok=True)
    source, target = folder / "source.spm", folder / "target.spm"
    train_pieces(source, "en", **pieces or {})
    train_pieces(target, "fr", **pieces or {})
    if own_vocabularies:
        theirs, its = vocabulary(source), vocabulary(target)
        # One config.json names the ids of both: padding stands at the same place.
        theirs, its = ({token: index for index, token in enumerate(same(table))} for table in (theirs, its))
        (folder / "target_vocab.json").write_text(json.dumps(its))
    else:
        theirs = its = vocabulary(source, target, extra=[f">>{tag}<<" for tag in tags])
    (folder / "vocab.json").write_text(json.dumps(theirs))
    names = {"source_lang": "en", "target_lang": "fr", "separate_vocabs": own_vocabularies}
    (folder / "tokenizer_config.json").write_text(json.dumps(names))
    torch.manual_seed(seed)
    pad = its["<pad>"]
    config = MarianConfig(
        **{
            "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
            "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "activation_function": "swish",
            "scale_embedding": True, "max_position_embeddings": 128, "vocab_size": len(theirs),
            "decoder_vocab_size": len(its), "pad_token_id": pad, "eos_token_id": 0, "bos_token_id": 0,
            "decoder_start_token_id": pad, "forced_eos_token_id": None, "dropout": 0.0,
            "share_encoder_decoder_embeddings": not own_vocabularies, "tie_word_embeddings": tied, **sizes,
        }
    )  # fmt: skip
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" not in name:
                parameter.normal_(mean=1.0 if "norm.weight" in name else 0.0, std=0.3)
        model.final_logits_bias.normal_()
    model.save_pretrained(folder, safe_serialization=True)
    if not safe:
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    return model


def same(table):
    """Control tokens first, so that their ids are the same in every vocabulary."""
    controls = ["</s>", "<unk>", "<pad>"]
    return [*controls, *(token for token in table if token not in controls)]
