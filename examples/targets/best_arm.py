#!/usr/bin/env python3
"""Best arm for `assay audit --exec --kind best-arm`: DP-BAI on independent arms.

Phases pull the active arms evenly and keep the better half by private means: the mean of n rewards
plus Laplace noise of scale 1/(n EPSILON). This is EPSILON-DP in all, since no reward is used twice.
With --leak a mean of one pull has no noise ("there is nothing to average"), which leaks that reward.
"""
import argparse

from assay_target import serve


def phases(arms, budget):
    """(active arms, pulls of all of them) of each phase: DP-BAI with as many dimensions as arms."""
    sizes = [arms]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    count = len(sizes) - 1
    aside = (arms * arms + 3) // 4  # ceil(d^2/4), for rounding
    share, more = divmod(budget - count * aside, count)
    return [(sizes[p], share + aside + (p < more)) for p in range(count)], sizes


def private_mean(rewards, args, rng):
    mean = sum(rewards) / len(rewards)
    noise = (rng.expovariate(1.0) - rng.expovariate(1.0)) / (len(rewards) * args.epsilon)
    return mean if args.leak and len(rewards) == 1 else mean + noise


def play(rows, arms, args, rng):
    """The actions of one run and the recommendation; rows[t] holds the reward of each arm in round t."""
    plan, sizes = phases(arms, len(rows))
    active = list(range(arms))
    actions = []
    for p, (_, pulls) in enumerate(plan):
        scores = {}
        for i, arm in enumerate(active):
            n = pulls // len(active) + (i < pulls % len(active))
            first = len(actions)
            actions += [arm] * n
            scores[arm] = private_mean([rows[first + k][arm] for k in range(n)], args, rng)
        active = sorted(sorted(active, key=scores.__getitem__, reverse=True)[:sizes[p + 1]])
    return actions + active


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--leak", action="store_true", help="no noise on a mean of one pull")
    args = parser.parse_args()

    def check(shape):
        if min(pulls - active for active, pulls in phases(shape.arms, shape.horizon)[0]) < 0:
            return "needs a pull of each arm in each phase"

    serve(lambda rows, shape, seed, rng: play(rows, shape.arms, args, rng),
          kind="best-arm", name="DP-BAI", seeded=True, check=check)


if __name__ == "__main__":
    main()
