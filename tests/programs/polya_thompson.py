#!/usr/bin/env python3
"""Thompson sampling, two arms, on counts of ones to which eight parties each add a share of discrete noise: the
difference of two Polya variables, Poisson of a Gamma of shape 1/8 and scale a/(1 - a), a = e^-EPSILON. The shares
add up to the two-sided geometric law a^|k|. The fault: the Gamma's scale is inverted, (1 - a)/a, which makes the law
that of 1 - a: for EPSILON = 1/4 a twelfth of the deviation.

Level. A reward moves one count by 1, its law by a factor 1/a at most: EPSILON, or -log(1 - e^-EPSILON) with the
fault. At least: the number of times that arm 0 is played in the 16 rounds after the counts is binomial with the
probability that one Beta variable exceeds another, given both counts: summed over all counts.
"""
import math
import random
import sys

from assay_target import serve

SOUND = "--sound" in sys.argv
EPSILON = 0.25
PARTIES = 8


def polya(scale):
    rate, k, left = random.gammavariate(1.0 / PARTIES, scale), 0, 0.0
    while True:  # Poisson: exponential gaps in a stretch of that length
        left += random.expovariate(1.0)
        if left > rate:
            return k
        k += 1


def play(rewards, shape, seed):
    a = math.exp(-EPSILON)
    scale = a / (1 - a) if SOUND else (1 - a) / a
    actions, counts = [], []
    for arm in range(shape.arms):
        ones = sum(rewards[len(actions):len(actions) + PARTIES])
        noise = sum(polya(scale) - polya(scale) for _ in range(PARTIES))
        counts.append(min(max(int(ones + 0.5) + noise, 0), PARTIES))
        actions += [arm] * PARTIES
    while len(actions) < len(rewards):
        draws = [random.betavariate(1 + n, 1 + PARTIES - n) for n in counts]
        actions.append(draws.index(max(draws)))
    return actions


serve(play, kind="bandit", name="Thompson sampling by parties", seeded=True)
