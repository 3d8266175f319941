#!/usr/bin/env python3
"""Batched successive elimination, two arms: batches of 4, 8 and 16 pulls of each, an arm leaves once its noisy
mean falls a confidence width behind. The fault: the noise of a batch of 16 is a tenth of what it should be.

Level. A reward enters one noisy sum, and what is played tells of a batch of n whether the difference of two noisy
sums passes n w or -n w. A reward moves that difference by at most 1. For two Laplace variables of scale s
    P(difference > x s) = (1/2 + x/4) e^-x = G(x),   x >= 0,
and log G(x - 1/s) - log G(x) = 1/s - log((2 + x)/(2 + x - 1/s)) increases with x: the largest is at sums as far
apart as they can be, n, on the wrong side, x = (n + n w)/s.
"""
import math
import sys

from assay_target import serve
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 1.0


def width(pulls):
    return math.sqrt(math.log(64.0) / (2.0 * pulls))


def play(rewards, shape, seed):
    active, actions, pulls = list(range(shape.arms)), [], 4
    while len(active) > 1 and len(actions) + pulls * len(active) <= len(rewards):
        means = {}
        for arm in active:
            total = sum(rewards[len(actions):len(actions) + pulls])
            scale = (1.0 if SOUND or pulls < 16 else 0.1) / EPSILON
            means[arm] = (total + laplace(scale)) / pulls
            actions += [arm] * pulls
        best = max(means.values())
        active = [arm for arm in active if best - means[arm] <= width(pulls)]
        pulls *= 2
    rest = range(len(rewards) - len(actions))
    return actions + [active[i % len(active)] for i in rest]


serve(play, kind="bandit", name="successive elimination", seeded=True)
