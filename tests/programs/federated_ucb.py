#!/usr/bin/env python3
"""Federated bandit, two arms: two clients take turns, explore the arms evenly until they have heard from the server,
then play what is best there. A client uploads noisy sums. The fault: it uploads once its rewards sum up to 4 since
the last time, so that the schedule tells them; sound, once it has had 8 rounds.

Level. Sound: a reward enters one noisy sum, at most EPSILON; attained: of the first uploads alone, G(x - 1)/G(x) as in
elimination.py. With the fault none: the server has heard nothing while rewards are 0, the arms are played in
turn for sure; where it has, another arm is played with positive probability.
"""
import sys

from assay_target import serve_policy
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 1.0


class Federation:
    def __init__(self, shape):
        self.arms, self.round = shape.arms, 0
        self.sums = [[0.0] * shape.arms for _ in range(2)]  # of each client, since its last upload
        self.rounds = [0, 0]
        self.server = None

    def choose(self):
        if self.server is None:
            return self.round // 2 % self.arms
        return max(range(self.arms), key=self.server.__getitem__)

    def update(self, arm, reward):
        client = self.round % 2
        self.round += 1
        self.sums[client][arm] += reward
        self.rounds[client] += 1
        if self.rounds[client] == 8 if SOUND else sum(self.sums[client]) >= 4:
            noisy = [total + laplace(1.0 / EPSILON) for total in self.sums[client]]
            self.server = [a + b for a, b in zip(self.server or [0.0] * self.arms, noisy)]
            self.sums[client], self.rounds[client] = [0.0] * self.arms, 0


serve_policy(Federation, kind="bandit", name="federated UCB", seeded=True)
