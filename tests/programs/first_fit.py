#!/usr/bin/env python3
"""Linear contexts, greedy: the arms in turn until there is something to fit, then the arm whose context has the largest
product with the last fit; a fit every 8 rounds, to these rounds alone, is the sum of reward times context, clipped
to [-1, 1], with Laplace noise. The fault: the noise of one entry's range, 2, for all of them.

Level. A round enters one fit and moves its d entries by up to 2 each: noise of 2d/EPSILON is EPSILON-DP, of 2/EPSILON
d EPSILON. Attained: with contexts e_j and -e_j the next rounds tell the sign of each entry, and where the other
rounds hold all entries 6 below 0 each sign costs e^(2/scale) exactly.
"""
import sys

from assay_target import serve_policy
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 1.0


class Greedy:
    def __init__(self, shape):
        self.arms, self.dimension = shape.arms, shape.dimension
        self.fit, self.records = None, []

    def choose(self, contexts):
        if self.fit is None:
            return len(self.records) % self.arms
        scores = [sum(a * b for a, b in zip(self.fit, context)) for context in contexts]
        return scores.index(max(scores))

    def update(self, arm, reward, contexts):
        self.records.append([min(max(x, -1.0), 1.0) * reward for x in contexts[arm]])
        if len(self.records) == 8:
            scale = (2.0 * self.dimension if SOUND else 2.0) / EPSILON
            self.fit = [sum(column) + laplace(scale) for column in zip(*self.records)]
            self.records = []


serve_policy(Greedy, kind="contextual", name="greedy linear", seeded=True)
