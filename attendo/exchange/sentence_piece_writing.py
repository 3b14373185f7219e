"""A tokenizer of ours as a SentencePiece model, and what each id is called there: ▁ is a space.

    sentencepiece    the same pieces and scores, of the source or the target
    bpe, char        merges become scores: SentencePiece joins what makes the piece of the highest; rare characters are
                     their bytes, and no space stands before the first word
    unigram          scores as they are, rare characters are their bytes

Our tokenizers never join across the first cut (letters, digits, scripts). SentencePiece has no such cut, but no piece
goes across one, either. WordPiece and whole words have no counterpart there.
"""

from attendo.errors import InputError
from attendo.exchange.normaliser_writing import packed_normaliser
from attendo.exchange.protocol_buffer import field, float_field
from attendo.exchange.sentence_piece_file import BYTE, CONTROL, NORMAL, UNIGRAM, UNKNOWN
from attendo.special_tokens import SPECIAL
from attendo.text.sentence_pieces import SPACE, Scored, SentencePieces
from attendo.text.subword_models import Bpe, Characters, Unigram
from attendo.text.tokenizer import Tokenizer, name_ids

BPE = 2


def piece_names(tokenizer: Tokenizer) -> list[str]:
    """Of each id; no two are the same."""
    names = [name.replace(" ", SPACE) for name in name_ids(tokenizer.layout, tokenizer.subwords.pieces)]
    if len(set(names)) != len(names):
        raise InputError(f"two pieces of this tokenizer differ only by a space and {SPACE}, which others take for one")
    return names


def sentence_piece_model(tokenizer: Tokenizer, *, side: str = "source") -> bytes:
    """The bytes of a .spm file."""
    names, layout, subwords = piece_names(tokenizer), tokenizer.layout, tokenizer.subwords
    if isinstance(subwords, SentencePieces):
        scored = subwords.source if side == "source" else subwords.target
        table = packed_normaliser(subwords.normaliser)
        return model_proto(scored, UNIGRAM, with_bytes=subwords.bytes, dummy_prefix=True, normaliser=table)
    pieces = names[layout.first_piece :]
    match subwords:
        case Bpe():
            made = {subwords.pieces[left] + subwords.pieces[right]: rank for rank, (left, right) in merges(subwords)}
            ranks = [-float(made.get(piece, 0)) for piece in subwords.pieces]
            return model_proto(tuple(zip(pieces, ranks, strict=True)), BPE, with_bytes=True, dummy_prefix=False)
        case Characters():
            return model_proto(tuple((piece, 0.0) for piece in pieces), BPE, with_bytes=True, dummy_prefix=False)
        case Unigram():
            scored = tuple(zip(pieces, subwords.scores, strict=True))
            return model_proto(scored, UNIGRAM, with_bytes=True, dummy_prefix=False)
    raise InputError(
        f"a tokenizer of kind {subwords.kind} has no counterpart in SentencePiece: expected bpe or unigram"
    )


def merges(subwords: Bpe) -> list[tuple[int, tuple[int, int]]]:
    return list(enumerate(subwords.merges))


def model_proto(scored: Scored, kind: int, *, with_bytes: bool, dummy_prefix: bool, normaliser: bytes = b"") -> bytes:
    controls = [("<pad>", CONTROL), ("<s>", CONTROL), ("</s>", CONTROL), ("<unk>", UNKNOWN)]
    listed = [(name, 0.0, type_) for name, type_ in controls]
    listed += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256 if with_bytes else 0)]
    listed += [(piece, score, NORMAL) for piece, score in scored]
    pieces = b"".join(
        field(1, field(1, piece.encode()) + float_field(2, score) + field(3, type_)) for piece, score, type_ in listed
    )
    trainer = field(3, kind) + field(4, len(listed)) + field(35, int(with_bytes))
    for key, number in ((40, SPECIAL.unk), (41, SPECIAL.bos), (42, SPECIAL.eos), (43, SPECIAL.pad)):
        trainer += field(key, number)
    spaces = field(3, int(dummy_prefix)) + field(4, 1) + field(5, 1)
    table = field(1, b"attendo" if normaliser else b"identity") + (field(2, normaliser) if normaliser else b"")
    return pieces + field(2, trainer) + field(3, table + spaces)
