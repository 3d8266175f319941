#!/usr/bin/env python3
"""Sparse contexts for `assay audit --exec --kind contextual`: FLIPHAT with one step of N-IHT an episode.

Episodes double. Each chooses the arm whose context has the largest product with an estimate from the episode
before, ties at random. The estimate has the SPARSITY largest entries of X'y/n, chosen and released with
Laplace noise. Contexts are clipped and rewards lie in [0, 1], so one round moves an entry by at most 2/n. A
choice costs twice this, and a value once this, divided by the scale of the noise. Together they cost EPSILON,
for all actions but that of the changed round. With --leak the chosen values have no noise ("the choice is
private already"), which leaks their signs.
"""
import argparse

from assay_target import serve


def laplace(scale, rng):
    return scale * (rng.expovariate(1.0) - rng.expovariate(1.0))


def estimate(records, dimension, args, rng):
    """Peeling: {entry: noisy value} of the largest entries of X'y/n."""
    sums = [0.0] * dimension
    for context, reward in records:
        for j, x in enumerate(context):
            sums[j] += max(-1.0, min(1.0, x)) * reward
    n = len(records)
    scale = 3 * args.sparsity * (2 / n) / args.epsilon
    left, found = set(range(dimension)), {}
    for _ in range(min(args.sparsity, dimension)):
        j = max(sorted(left), key=lambda i: abs(sums[i] / n) + laplace(scale, rng))
        left.remove(j)
        found[j] = sums[j] / n + (0.0 if args.leak else laplace(scale, rng))
    return found


def play(rows, shape, args, rng):
    """The actions of one run; a row holds the reward of each arm, then the context of each arm."""
    arms, dimension = shape["arms"], shape["dimension"]
    beta, records, actions = {}, [], []
    for row in rows:
        contexts = [row[arms + i * dimension:arms + (i + 1) * dimension] for i in range(arms)]
        scores = [sum(b * context[j] for j, b in beta.items()) for context in contexts]
        arm = max(range(arms), key=lambda i: (scores[i], rng.random()))
        actions.append(arm)
        records.append((contexts[arm], row[arm]))
        if len(actions) & (len(actions) + 1) == 0:  # after 1, 3, 7, .. rounds
            beta, records = estimate(records, dimension, args, rng), []
    return actions


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--sparsity", type=int, default=1)
    parser.add_argument("--leak", action="store_true", help="no noise on the chosen values")
    args = parser.parse_args()
    serve(lambda rows, shape, seed, rng: play(rows, shape, args, rng),
          kind="contextual", name="FLIPHAT", seeded=True)


if __name__ == "__main__":
    main()
