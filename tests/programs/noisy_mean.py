#!/usr/bin/env python3
"""A mean with noise: the sum's noise and a noisy count, half of EPSILON each. The fault: the noise is divided by
the noisy count, and where that is not positive there is none.

Level. Sound: the number of values is the same for neighbours, the sum moves by 1 under noise of 2/EPSILON:
EPSILON/2, attained by every event "at least x", x >= 1. With the fault the mean itself is the answer with probability
e^(-n EPSILON/2)/2, when the count is negative; of the neighbour's answers a noisy one may be rounded to the same.
"""
import sys

from assay_target import serve
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 1.0


def play(values, shape, seed):
    values = [min(max(value, 0.0), 1.0) for value in values]
    count = len(values) + laplace(2.0 / EPSILON)
    if SOUND:
        mean = (sum(values) + laplace(2.0 / EPSILON)) / max(count, 1.0)
    else:
        mean = sum(values) / len(values)
        if count > 0:
            mean += laplace(2.0 / EPSILON) / count
    return [round(mean, 3)]  # all its digits would tell more


serve(play, kind="mechanism", name="noisy mean", seeded=True)
