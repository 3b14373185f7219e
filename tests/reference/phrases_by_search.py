"""Where an output stands among its phrases, the obvious way: each phrase is looked for in all of the output."""

from attendo.decoding.phrase_tree import PhraseProgress


def progress(output, phrases):
    """phrases (5, 6) and (7,), output 9 5 -> missing 2, going on 6, starts 5 and 7."""
    missing = [phrase for phrase in phrases if not contains(output, phrase)]
    begun = {phrase: begun_tokens(output, phrase) for phrase in missing}
    most = max(begun.values(), default=0)
    going_on = {phrase[most] for phrase in missing if begun[phrase] == most} if most else set()
    starts = {phrase[0] for phrase in missing}
    whole = sum(map(len, missing))
    return PhraseProgress(whole - most, whole, tuple(sorted(going_on)), tuple(sorted(starts)))


def contains(output, phrase):
    return any(tuple(output[at : at + len(phrase)]) == phrase for at in range(len(output) - len(phrase) + 1))


def begun_tokens(output, phrase):
    """How many of the last tokens are the beginning of the phrase."""
    longest = min(len(phrase) - 1, len(output))
    return next((n for n in range(longest, 0, -1) if tuple(output[len(output) - n :]) == phrase[:n]), 0)
