#!/usr/bin/env python3
"""Upper confidence bounds, two arms, on sums kept by a binary tree of noisy nodes; 16 pulls of each arm first.
The fault: where two nodes become one, the left child is counted twice and the right one never (the wrong
child's parity), so that a reward counts 2^j times in a node of level j, whose noise is made for once.

Level. L levels, nodes of Laplace scale L/EPSILON. At most: an arm that is pulled up to 48 times has nodes of levels
0 to 5, which a reward moves by 2^0 .. 2^5: 63/L EPSILON (sound: 6/L EPSILON). At least: the first choice, in round
33, compares two nodes of level 4 with equal bonus, from rewards 0: the first reward as 1 moves one by 16. With
G(x) = (1/2 + x/4) e^-x as above for x = 16/scale, log(1/2) - log G(x) (sound: x = 1/scale).
"""
import math
import sys

from assay_target import serve_policy
from noise import laplace

SOUND = "--sound" in sys.argv
EPSILON = 1.0


class Tree:
    def __init__(self, levels):
        self.scale = levels / EPSILON
        self.nodes = []  # (level, sum, sum and noise)

    def add(self, value):
        level = 0
        while self.nodes and self.nodes[-1][0] == level:
            left = self.nodes.pop()[1]
            value = left + (value if SOUND else left)
            level += 1
        self.nodes.append((level, value, value + laplace(self.scale)))

    def total(self):
        return sum(node[2] for node in self.nodes)


class Ucb:
    def __init__(self, shape):
        self.trees = [Tree(shape.horizon.bit_length()) for _ in range(shape.arms)]
        self.pulls = [0] * shape.arms
        self.scores = [0.0] * shape.arms

    def choose(self):
        fewest = min(range(len(self.pulls)), key=self.pulls.__getitem__)
        if self.pulls[fewest] < 16:
            return fewest
        bonus = math.log(1 + sum(self.pulls))
        return max(range(len(self.pulls)),
                   key=lambda arm: self.scores[arm] + math.sqrt(bonus / self.pulls[arm]))

    def update(self, arm, reward):
        self.trees[arm].add(reward)
        self.pulls[arm] += 1
        self.scores[arm] = self.trees[arm].total() / self.pulls[arm]


serve_policy(Ucb, kind="bandit", name="UCB on a tree", seeded=True)
