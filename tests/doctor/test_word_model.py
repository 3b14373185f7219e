"""IBM model 1 against the textbook: p(t|s) of the three-sentence example, and scores by hand."""

import numpy as np

from attendo.doctor.pairing import NO_WORD, ROUNDS, WordModel, fold_of, learn, tokenize_pairs
from tests.doctor.synthetic import clean_corpus

NO_SPELLING = np.zeros((0, 2), dtype=np.int64)


def model_1_by_loops(pairs, rounds):
    """The algorithm as it stands in the textbook, one word at a time; the 1.0 is our prior of an unseen target."""
    probability = {(s, t): 1.0 for source, target in pairs for s in source for t in target}
    for _ in range(rounds):
        count, total = dict.fromkeys(probability, 0.0), {}
        for source, target in pairs:
            for t in target:
                norm = sum(probability[s, t] for s in source)
                for s in source:
                    count[s, t] += probability[s, t] / norm
                    total[s] = total.get(s, 0.0) + probability[s, t] / norm
        probability = {(s, t): value / (total[s] + 1.0) for (s, t), value in count.items()}
    return probability


def test_learning_agrees_with_the_textbook_by_loops():
    pairs = [([0, 1], [0, 1]), ([0, 2], [0, 2]), ([3, 2], [3, 2])]  # das Haus, das Buch, ein Buch
    rows = np.array([source for source, _ in pairs], dtype=np.int32)
    targets = np.array([target for _, target in pairs], dtype=np.int32)
    model = learn(rows, targets, 4, 4, NO_SPELLING)
    for (s, t), value in model_1_by_loops(pairs, ROUNDS).items():
        np.testing.assert_allclose(model.probability[s, t], value, rtol=1e-5)
    assert model.probability[2, 2] > model.probability[2, 0]
    assert model.probability[1, 3] == 0


def test_score_by_hand():
    model = WordModel(np.array([[0.5, 0.0], [0.1, 0.4]], dtype=np.float32), np.array([0.25, 0.75], dtype=np.float32))
    source = np.array([[0, 1], [0, NO_WORD], [NO_WORD, NO_WORD]], dtype=np.int32)
    target = np.array([[0, NO_WORD], [0, 1], [1, NO_WORD]], dtype=np.int32)
    gain = lambda p, alone: np.log((0.9 * p + 0.1 * alone) / alone)  # noqa: E731
    expected = [gain(0.3, 0.25), gain(0.5, 0.25) + gain(0.0, 0.75), gain(0.0, 0.75)]
    np.testing.assert_allclose(model.scores(source, target), expected, rtol=1e-5)


def test_right_partners_score_better_than_strangers():
    rows = clean_corpus(600)
    pairing = tokenize_pairs([source for source, _ in rows], [target for _, target in rows])
    all_rows = np.arange(600)
    own, strangers = pairing.scores(all_rows, all_rows), pairing.scores(all_rows, np.roll(all_rows, 7))
    assert np.quantile(own, 0.01) > np.quantile(strangers, 0.99)


def test_folds_are_stretches_in_turn():
    assert fold_of(20).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] * 2
    assert set(fold_of(5000)[:200].tolist()) == {0}
