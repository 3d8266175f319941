#!/usr/bin/env python3
"""A mechanism for `assay audit --exec`: one answer with Gaussian noise in double precision.

On paper it is (EPSILON, DELTA)-DP for an answer that moves by at most 1. But the last bits of its doubles
distinguish the answers (Mironov 2012). With --grid it rounds the sum of answer and noise to a grid of
2^-20, so that the last bits no longer distinguish them.
"""
import argparse
import math

from assay_target import serve

EPSILON = 1.0
DELTA = 1e-5
SIGMA = math.sqrt(2.0 * math.log(1.25 / DELTA)) / EPSILON


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", action="store_true", help="release a multiple of 2^-20")
    on_grid = parser.parse_args().grid

    def play(values, shape, seed, rng):
        noisy = [value + rng.gauss(0.0, SIGMA) for value in values]
        return [math.ldexp(round(math.ldexp(y, 20)), -20) for y in noisy] if on_grid else noisy

    serve(play, kind="mechanism", name="naive Gaussian", seeded=True)


if __name__ == "__main__":
    main()
