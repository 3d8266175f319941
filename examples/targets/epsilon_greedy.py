#!/usr/bin/env python3
"""A bandit for `assay audit --exec`: epsilon-greedy on noisy means, in the protocol of docs/protocol.md.

It releases the mean of an arm, with Laplace noise, whenever the arm's pulls have doubled, so each reward
enters one release. Its guarantee is eps = PRIVACY. With --leak it has a tenth of the noise that this needs.
"""
import argparse
import math

from assay_target import serve

PRIVACY = 1.0
EXPLORE = 0.1


def laplace(rng, scale):
    return scale * (rng.expovariate(1.0) - rng.expovariate(1.0))


def play(rewards, arms, noise_scale, rng):
    """The actions of one run; rewards[t] is the reward of round t, for every arm."""
    sums = [0.0] * arms  # of the rewards since the arm's last release
    counts = [0] * arms
    due = [1] * arms  # the next release comes after this many rewards
    means = [math.inf] * arms
    actions = []
    for reward in rewards:
        if rng.random() < EXPLORE:
            arm = rng.randrange(arms)
        else:
            arm = max(range(arms), key=means.__getitem__)
        actions.append(arm)
        sums[arm] += reward
        counts[arm] += 1
        if counts[arm] == due[arm]:
            means[arm] = (sums[arm] + laplace(rng, noise_scale)) / counts[arm]
            sums[arm], counts[arm], due[arm] = 0.0, 0, 2 * due[arm]
    return actions


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leak", action="store_true", help="use a tenth of the noise")
    noise_scale = (0.1 if parser.parse_args().leak else 1.0) / PRIVACY
    serve(lambda rewards, shape, seed, rng: play(rewards, shape.arms, noise_scale, rng),
          kind="bandit", name="epsilon-greedy", seeded=True)


if __name__ == "__main__":
    main()
