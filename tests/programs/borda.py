#!/usr/bin/env python3
"""Duels of four arms by Borda counts: 8 rounds in which each user's answers are counted in full, then the noisy
winner duels the noisy second. The fault: noise for answers that move by 1 in all, as if a user gave one.

Level. A tournament of K = 4 gives its arms 0 .. 3 wins in some order; another one moves the counts by
at most 3 + 1 + 1 + 3 = 8 in all, not by the K(K - 1) = 12 that answers which are no tournament could: Laplace
noise of 8/EPSILON is EPSILON-DP, of 1/EPSILON 8 EPSILON. At least: noisy counts that are tied but for one row, the probability that arm 0
comes first and arm 1 second, by quadrature.
"""
import sys

from assay_target import serve
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 1.0
ROUNDS = 8


def play(rows, shape, seed):
    arms = shape.arms
    counts = [sum(row[i * arms + j] for row in rows[:ROUNDS] for j in range(arms)) for i in range(arms)]
    noisy = [count + laplace((8.0 if SOUND else 1.0) / EPSILON) for count in counts]
    first, second = sorted(range(arms), key=noisy.__getitem__, reverse=True)[:2]
    duels = []
    for t in range(len(rows)):
        duels += [t % arms, (t + 1) % arms] if t < ROUNDS else [first, second]
    return duels


serve(play, kind="dueling", name="Borda", seeded=True)
