"""The default model as two packages of Argos Translate, so that LibreTranslate can serve the same weights.

    python -m benchmarks.serve.libretranslate FOLDER

    ARGOS_PACKAGES_DIR=FOLDER libretranslate --host 127.0.0.1 --port 5000 --load-only zh,en \\
        --disable-web-ui --disable-files-translation

With two packages there LibreTranslate (1.9.6) looks for none on the net; en to zh is only the second. Its threads:
--threads (4, for requests), ARGOS_INTER_THREADS (1) and ARGOS_INTRA_THREADS (0, CTranslate2's own default). Its beam:
ARGOS_BEAM_SIZE (4).

The model's numbers are untouched; pieces get their names, and SentencePiece cuts text by the same merges. The package
also holds a sentence splitter in the form of LibreTranslate's own, MiniSBD: a table of characters in place of a trained
network, which would have to be fetched and has more to compute.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from attendo.engines.ct2.conversion import write_files
from attendo.exchange.argos_splitter import splitter
from attendo.exchange.sentence_piece_writing import piece_names, sentence_piece_model
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.special_tokens import SPECIAL

NAMES = {"zh": "Chinese", "en": "English"}
DIRECTIONS = (("zh", "en"), ("en", "zh"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    for from_, to in DIRECTIONS:
        write_package(folder / f"{from_}_{to}", from_, to)


def write_package(folder: Path, from_: str, to: str) -> None:
    bundle = read_bundle(model_folder(None))
    tokenizer = bundle.tokenizer()
    names = piece_names(tokenizer)
    (folder / "minisbd").mkdir(parents=True, exist_ok=True)
    model = folder / "model"
    write_files(bundle, model, "int8", replace=model.exists())
    (model / "manifest.json").unlink()  # of the files as they were before the renaming
    write_json(model / "shared_vocabulary.json", names)
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    # Argos adds no language tag to a source, but CTranslate2 can: as the token that every source begins with.
    config |= {"add_source_bos": True, "bos_token": names[tokenizer.tag(to)], "add_source_eos": True}
    config |= {"eos_token": names[SPECIAL.eos], "unk_token": names[SPECIAL.unk]}
    write_json(model / "config.json", config | {"decoder_start_token": names[SPECIAL.bos]})
    (folder / "sentencepiece.model").write_bytes(sentence_piece_model(tokenizer))
    (folder / "minisbd" / "splitter.onnx").write_bytes(splitter(from_))
    about = {"package_version": "1.0", "argos_version": "1.0", "from_code": from_, "to_code": to}
    write_json(folder / "metadata.json", about | {"from_name": NAMES[from_], "to_name": NAMES[to]})


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
