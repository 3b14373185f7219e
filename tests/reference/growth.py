"""How time grows with length: 1 is linear, 2 is quadratic."""

import gc
import math
import time

ROUNDS, TRIES = 3, 4


def exponent(work, text, small):
    """From `small` to four times as much of a repeated text, by the best of some tries at each length.

    A busy machine can spoil a round, and is given another; what is not linear is so in every round.
    """
    work(text * small)
    for _ in range(ROUNDS):
        tries = [(seconds(work, text * small), seconds(work, text * (4 * small))) for _ in range(TRIES)]
        short, long = (min(times) for times in zip(*tries, strict=True))
        grows = math.log(long / short, 4)
        if grows <= 1.2:
            break
    return grows


def seconds(work, text):
    gc.disable()  # how much there is to collect depends on all the tests before
    start = time.process_time()
    work(text)
    taken = time.process_time() - start
    gc.enable()
    return taken
