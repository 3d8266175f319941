#!/usr/bin/env python3
"""Laplace noise of scale 1, one number a line without an end: laplace.py SEED [FAULT], to test with `assay sampler`.

FAULT is one of
    scale   2% too wide
    bits    made from 32 random bits, so that numbers come back
    tail    clipped at 9
"""
import math
import random
import sys

draws = random.Random(int(sys.argv[1]))
fault = sys.argv[2] if len(sys.argv) > 2 else "none"


def noise():
    """The difference of two exponential draws."""
    if fault == "bits":
        rank = draws.getrandbits(32) + 0.5
        side = rank / 2**31 - 1
        return -math.copysign(math.log1p(-abs(side)), side)
    number = draws.expovariate(1) - draws.expovariate(1)
    if fault == "scale":
        number *= 1.02
    return max(-9.0, min(9.0, number)) if fault == "tail" else number


try:
    while True:
        sys.stdout.write("".join(f"{noise()}\n" for _ in range(1000)))
except BrokenPipeError:
    pass
