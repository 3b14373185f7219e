"""Learning the pieces from text, by the library's trainers; one vocabulary for all languages of a model."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from json import loads
from typing import Any

from tokenizers import Tokenizer as LibraryTokenizer
from tokenizers import models, pre_tokenizers, trainers

from attendo.errors import ConfigError
from attendo.files.tables import short_repr
from attendo.text.normalize import normalize
from attendo.text.subword_models import INSIDE, UNKNOWN, Bpe, Characters, Kind, SubwordModel, Unigram, WordPiece, Words
from attendo.text.subword_models import LONGEST_PIECE as LONGEST_IN_FILE
from attendo.text.subword_models import MOST_PIECES as MOST_IDS
from attendo.text.tokenizer import Layout, Tokenizer, pretokenize, pretokenize_words

# Characters rarer than this are left to their bytes: a Chinese corpus has thousands that occur once or twice.
ALPHABET_COVERAGE = 0.9998
LONGEST_PIECE = 16  # characters
# Longer parts are cut: the trainers take time by the square of a part's length, and one may be a whole file.
LONGEST_PART = 200  # characters
MOST_TOGETHER = (
    1_000  # parts that the library is given in one text: it takes ninety bytes of memory for each of their own
)


@dataclass(frozen=True)
class TokenizerConfig:
    """How many ids in all (control ids, tags and bytes included), and which kind of pieces."""

    vocab_size: int
    kind: Kind = "bpe"


def train_tokenizer(texts: Callable[[], Iterable[str]], languages: Sequence[str], config: TokenizerConfig) -> Tokenizer:
    """`texts` is called twice: once to count characters, once to learn."""
    if config.vocab_size > MOST_IDS:  # the trainers set memory aside for all of them
        raise ConfigError(f"vocab_size = {short_repr(config.vocab_size)}: expected at most {MOST_IDS:,}")
    num_pieces = config.vocab_size - Layout(tuple(languages), 0).size
    alphabet = frequent_characters(texts(), at_most=max(1, num_pieces // 2 if config.kind != "char" else num_pieces))
    if num_pieces < 1 or not alphabet:
        least = Layout(tuple(languages), 1).size
        raise ConfigError(f"vocab_size = {config.vocab_size}: expected at least {least} and some text to learn from")
    return Tokenizer(learn(texts, alphabet, num_pieces, config.kind), languages)


def learn(texts: Callable[[], Iterable[str]], alphabet: list[str], num_pieces: int, kind: Kind) -> SubwordModel:
    kept = without_rare(texts(), alphabet)
    match kind:
        case "char":
            return Characters(tuple(alphabet))
        case "word":
            return Words(most_frequent_words(texts(), num_pieces))
        case "bpe":
            trainer = trainers.BpeTrainer(vocab_size=num_pieces, max_token_length=LONGEST_PIECE, show_progress=False)
            model = run_trainer(models.BPE(), trainer, kept)
            pieces = in_order(model["vocab"])
            index = {piece: index for index, piece in enumerate(pieces)}
            return Bpe(pieces, tuple((index[left], index[right]) for left, right in model["merges"]))
        case "unigram":
            unigram_trainer = trainers.UnigramTrainer(
                vocab_size=num_pieces + 1, unk_token=UNKNOWN, special_tokens=[UNKNOWN],
                max_piece_length=LONGEST_PIECE, show_progress=False,
            )  # fmt: skip
            model = run_trainer(models.Unigram(), unigram_trainer, kept)
            scored = [(piece, score) for piece, score in model["vocab"] if piece != UNKNOWN]
            return Unigram(tuple(piece for piece, _ in scored), tuple(min(score, 0.0) for _, score in scored))
        case "wordpiece":
            # Its trainer counts a letter inside a word and at its start as two.
            wordpiece_trainer = trainers.WordPieceTrainer(
                vocab_size=num_pieces, continuing_subword_prefix=INSIDE, show_progress=False, special_tokens=[]
            )
            model = run_trainer(models.WordPiece(unk_token=UNKNOWN), wordpiece_trainer, kept)
            return WordPiece(tuple(piece for piece in in_order(model["vocab"]) if len(piece) <= LONGEST_IN_FILE))


def run_trainer(model: models.Model, trainer: trainers.Trainer, texts: Iterator[str]) -> dict[str, Any]:
    library = LibraryTokenizer(model)
    library.pre_tokenizer = pre_tokenizers.Split("\n", behavior="removed")
    library.train_from_iterator(texts, trainer)
    return loads(library.to_str())["model"]


def in_order(vocab: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted(vocab, key=vocab.__getitem__))


def frequent_characters(texts: Iterable[str], at_most: int) -> list[str]:
    """The most frequent characters, as many as cover nearly all of the text; ties by code point."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(normalize(text))
    ranked = sorted(counts, key=lambda character: (-counts[character], character))
    enough = ALPHABET_COVERAGE * counts.total()
    covered = accumulate(counts[character] for character in ranked)
    needed = next((n for n, characters in enumerate(covered, 1) if characters >= enough), 0)
    return ranked[: min(needed, at_most)]


def without_rare(texts: Iterable[str], alphabet: list[str]) -> Iterator[str]:
    """The parts of each text, and what lies between its rare characters, with line feeds between: a line feed is what
    the library cuts at, and nothing is learned across one."""
    known = set(alphabet)

    class Rare(dict[int, str]):
        def __missing__(self, code: int) -> str:
            self[code] = character = chr(code) if chr(code) in known else "\n"
            return character

    table = Rare()
    for text in texts:
        parts = pretokenize(normalize(text).translate(table))
        if len(text) > LONGEST_PART and len(max(parts, key=len)) > LONGEST_PART:
            parts = [
                part[start : start + LONGEST_PART] for part in parts for start in range(0, len(part), LONGEST_PART)
            ]
        for first in range(0, len(parts), MOST_TOGETHER):
            yield "\n".join(parts[first : first + MOST_TOGETHER])


def most_frequent_words(texts: Iterable[str], num_pieces: int) -> tuple[str, ...]:
    """Words as they stand in the text, a leading space included; ties by code point."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(pretokenize_words(normalize(text)))
    ranked = sorted((word for word in counts if len(word) <= 100), key=lambda word: (-counts[word], word))
    return tuple(ranked[:num_pieces])
