"""`attendo export --to argos`: a package for Argos Translate and LibreTranslate, of one direction.

The numbers are those of the fast engine (8 bits), pieces get their names, and SentencePiece cuts a text. Argos puts no
tag before a source, but CTranslate2 can: as the token that every source begins with.
"""

import json
import tempfile
import zipfile
from pathlib import Path

from attendo.engines.ct2.conversion import transformer_config, write_files
from attendo.errors import UsageError
from attendo.exchange.argos_splitter import splitter
from attendo.exchange.sentence_piece_writing import piece_names, sentence_piece_model
from attendo.files.durable import write_file
from attendo.model_folder.bundle import CARD, Bundle
from attendo.special_tokens import SPECIAL
from attendo.text.scripts import parse_direction

NAMES = {
    "zh": "Chinese", "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean", "pt": "Portuguese", "ru": "Russian", "cs": "Czech", "nl": "Dutch", "pl": "Polish", "ar": "Arabic",
}  # fmt: skip
ABOUT = {"package_version": "1.0", "argos_version": "1.9.0"}


def export_argos(bundle: Bundle, file: Path, direction: str | None = None) -> None:
    """`direction`: such as zh-en; the model's first, if none is said. The file must not be there."""
    if file.exists():
        raise FileExistsError(file)
    transformer_config(bundle)  # or a sentence on why CTranslate2 cannot run it
    source, target = parse_direction(direction, bundle.languages) if direction else bundle.directions[0]
    if (source, target) not in bundle.directions:
        raise UsageError(f"{bundle.folder} does not translate {source}-{target}")
    tokenizer = bundle.tokenizer()
    names = piece_names(tokenizer)
    about = ABOUT | {"from_code": source, "to_code": target}
    about |= {"from_name": NAMES.get(source, source), "to_name": NAMES.get(target, target)}
    root = f"translate-{source}_{target}-1_0"
    with tempfile.TemporaryDirectory(prefix="attendo-argos-") as temporary:
        model = Path(temporary) / "model"
        write_files(bundle, model, "int8", form="translator")
        config = json.loads((model / "config.json").read_text(encoding="utf-8"))
        config |= {"add_source_eos": True, "eos_token": names[SPECIAL.eos], "unk_token": names[SPECIAL.unk]}
        config |= {"decoder_start_token": names[SPECIAL.bos], "bos_token": names[SPECIAL.bos]}
        for tag in tokenizer.tag_ids(target):
            config |= {"add_source_bos": True, "bos_token": names[tag]}
        members = {
            "metadata.json": json.dumps(about).encode(),
            "README.md": (bundle.folder / CARD).read_bytes(),
            "sentencepiece.model": sentence_piece_model(tokenizer),
            "minisbd/splitter.onnx": splitter(source),
            "model/config.json": json.dumps(config).encode(),
            "model/shared_vocabulary.json": json.dumps(names, ensure_ascii=False).encode(),
            "model/model.bin": (model / "model.bin").read_bytes(),
        }
        packed = Path(temporary) / "package"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(f"{root}/{name}", content)
        write_file(file, packed.read_bytes())
