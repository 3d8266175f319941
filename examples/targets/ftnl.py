#!/usr/bin/env python3
"""Experts for `assay audit --exec --kind experts`: RNM-FTNL, as the case `ftnl`.

Epochs double in length. Each follows the expert with the report-noisy-max of minus the losses of the epoch before.
Exponential noise of scale 2/EPSILON is EPSILON-DP; the published scale 1/EPSILON (--paper) is not.
"""
import argparse
import math

from assay_target import serve


def noise_of(kind, scale, rng):
    if kind == "exponential":
        return rng.expovariate(1.0 / scale)
    if kind == "laplace":
        return scale * (rng.expovariate(1.0) - rng.expovariate(1.0))
    return -scale * math.log(rng.expovariate(1.0))  # Gumbel


def play(rows, arms, args, rng):
    """The actions of one run; rows[t] holds the losses of all experts in round t + 1."""
    scale = (1.0 if args.paper and args.noise == "exponential" else 2.0) / args.epsilon
    leader = rng.randrange(arms)
    sums = [0.0] * arms
    actions = []
    for t, losses in enumerate(rows, start=1):
        if t > 1 and t & (t - 1) == 0:  # a power of two: an epoch begins
            scores = [noise_of(args.noise, scale, rng) - total for total in sums]
            leader = max(range(arms), key=scores.__getitem__)
            sums = [0.0] * arms
        actions.append(leader)
        for j, loss in enumerate(losses):
            sums[j] += (rng.random() < loss) if args.resample else loss
    return actions


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--noise", choices=["laplace", "exponential", "gumbel"], default="laplace")
    parser.add_argument("--paper", action="store_true", help="the published scale of exponential noise")
    parser.add_argument("--resample", action="store_true", help="sum Bernoulli resamples of the losses")
    args = parser.parse_args()
    serve(lambda rows, shape, seed, rng: play(rows, shape.arms, args, rng),
          kind="experts", name="RNM-FTNL", seeded=True)


if __name__ == "__main__":
    main()
