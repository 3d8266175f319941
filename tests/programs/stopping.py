#!/usr/bin/env python3
"""Best of two arms with fixed confidence: both are pulled in turn until their sums are apart by more than
chance allows, then a noisy comparison recommends one. The fault: the stop looks at the sums themselves.

Level. Sound: sums of both signs are held against a noisy threshold, sensitivity 1 each, noise Lap(4/E) on each
look and Lap(2/E) on the threshold, E = EPSILON/2 (Dwork and Roth 2014, Theorem 3.23); the recommendation is a
Laplace mechanism of E: at most EPSILON. With the fault none: the stop is a function of the rewards.
"""
import math
import sys

from assay_target import serve
from noise import laplace

SOUND = "--sound" in sys.argv
HALF = 0.5  # of EPSILON = 1


def far_apart(pulls):
    return math.sqrt(2.0 * pulls * math.log(4.0 * pulls))


def play(rows, shape, seed):
    threshold = laplace(2.0 / HALF) if SOUND else 0.0
    actions, ahead = [], 0.0  # arm 0's sum less arm 1's
    for t in range(0, len(rows) - 1, 2):
        ahead += rows[t][0] - rows[t + 1][1]
        actions += [0, 1]
        looks = [sign * ahead + (laplace(4.0 / HALF) if SOUND else 0.0) for sign in (1, -1)]
        if max(looks) > far_apart(t // 2 + 1) + threshold:
            break
    best = 0 if ahead + laplace(1.0 / HALF) > 0 else 1
    return actions + [best] * (len(rows) + 1 - len(actions))


serve(play, kind="best-arm", name="fixed confidence", seeded=True)
