#!/usr/bin/env python3
"""Which of the numbers is the largest, by Laplace noise of 1/EPSILON. The fault: that is right for one number that moves
by 1, or for counts that all grow; numbers that all move by 1, up or down, need twice the noise.

Level. 2 EPSILON, or EPSILON with twice the noise: a number and the others' maximum move apart by 2 at most, and in the
far tail that multiplies the probability of the number's noise by e^(2/scale).
"""
import sys

from assay_target import serve
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 0.25


def play(values, shape, seed):
    noisy = [value + laplace((2.0 if SOUND else 1.0) / EPSILON) for value in values]
    return [noisy.index(max(noisy))]


serve(play, kind="mechanism", name="report noisy max", seeded=True)
