#!/usr/bin/env python3
"""Four experts by the perturbed leader: epochs of 1, 2, 4, .. rounds; each plays the expert whose losses in the epoch
before were least, less Laplace noise. The fault: the noise is drawn once, and all losses so far are summed.

Level. Sound: a row enters one epoch's sums, each of which it moves by at most 1 either way; the noisy leader of
scale 2/EPSILON is EPSILON-DP, attained by one expert against the others in the far tail. With the fault none: with two
experts that differ, who leads before and who after tells the noise's difference between two numbers, a stretch
that is empty for some neighbour.
"""
import sys

from assay_target import serve_policy
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 1.0


class Leader:
    def __init__(self, shape):
        self.experts = range(shape.arms)
        self.sums = [0.0] * shape.arms
        self.rounds = 0
        self.draw()

    def draw(self):
        self.noise = [laplace(2.0 / EPSILON) for _ in self.experts]
        self.leader = max(self.experts, key=lambda i: self.noise[i] - self.sums[i])

    def choose(self):
        return self.leader

    def update(self, losses):
        self.sums = [total + loss for total, loss in zip(self.sums, losses)]
        self.rounds += 1
        if self.rounds & (self.rounds + 1):
            return
        if SOUND:
            self.draw()
            self.sums = [0.0 for _ in self.experts]
        else:
            self.leader = max(self.experts, key=lambda i: self.noise[i] - self.sums[i])


serve_policy(Leader, kind="experts", name="perturbed leader", seeded=True)
