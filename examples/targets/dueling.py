#!/usr/bin/env python3
"""Duels for `assay audit --exec --kind dueling`: DP-EBS-Elimination, which eliminates by tree counters.

The arms duel in turn against random rivals. A tree counter with noise for EPSILON counts each arm's wins.
An arm leaves once its noisy mean falls behind by more than WIDTH times the paper's allowance for
sampling (privacy does not depend on that width). With --leak a counter reads wins only, as if a loss
revealed nothing: the amount of noise in its count then reveals how often the arm has won.
"""
import argparse
import math

from assay_target import serve


class Tree:
    """Running sums: sums[j] is over the 2^j entries of bit j of the time, with noise."""

    def __init__(self, scale, rng):
        self.scale, self.rng = scale, rng
        self.time, self.sums, self.noisy = 0, {}, {}

    def add(self, entry):
        self.time += 1
        level = (self.time & -self.time).bit_length() - 1
        total = entry + sum(self.sums.pop(j) for j in range(level))
        for j in range(level):
            self.noisy.pop(j)
        self.sums[level] = total
        self.noisy[level] = total + self.scale * (self.rng.expovariate(1.0) - self.rng.expovariate(1.0))

    def count(self):
        return sum(self.noisy.values())


def play(rows, arms, args, rng):
    """The duels of one run; rows[t][K i + j] is 1 if the user of round t + 1 prefers i to j."""
    horizon = len(rows)
    levels = (horizon + arms - 2).bit_length()
    nodes = levels if arms == 2 else 2 * levels  # the most that one bit moves
    trees = [Tree(nodes / args.epsilon, rng) for _ in range(arms)]
    duelled = [0] * arms
    met = [[0] * arms for _ in range(arms)]
    wins = [[0] * arms for _ in range(arms)]
    active = list(range(arms))
    duels = []
    for row in rows:
        a = min(active, key=duelled.__getitem__)
        b = rng.choice(active)
        duels += [a, b]
        if len(active) == 1:
            continue
        won = int(row[a * arms + b])
        duelled[a] += 1
        met[a][b] += 1
        wins[a][b] += won
        if won or not args.leak:
            trees[a].add(won)
        width = [args.width * math.sqrt(math.log(2 * arms * horizon) / n) if n else math.inf for n in duelled]
        mean = [tree.count() / max(n, 1) for tree, n in zip(trees, duelled)]
        best = max(mean[i] - width[i] for i in active)
        gone = [i for i in active if mean[i] + width[i] < best]
        active = [i for i in active if i not in gone]
        for i in gone:
            for j in active if len(active) > 1 else []:
                duelled[j] -= met[j][i]
                trees[j].add(-wins[j][i])
    return duels


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--width", type=float, default=1.0)
    parser.add_argument("--leak", action="store_true", help="a counter reads wins only")
    args = parser.parse_args()
    serve(lambda rows, shape, seed, rng: play(rows, shape.arms, args, rng),
          kind="dueling", name="DP-EBS-Elimination", seeded=True)


if __name__ == "__main__":
    main()
