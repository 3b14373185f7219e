"""Who may look at whom (3.2.3): boolean, True = may attend. One sentence has no padding, so one mask is left."""

import numpy as np

from attendo.glass.trace import Array


def causal(n: int) -> Array:
    """The look-ahead mask: no position sees what comes after it. [n, n]

    True  False False
    True  True  False
    True  True  True
    """
    return np.tril(np.ones((n, n), dtype=bool))
