#!/usr/bin/env python3
"""Best arm at fixed confidence for `assay audit --exec --kind best-arm --stops`: elimination that stops.

Phases pull every remaining arm 1, 2, 4, ... times. A private mean is the mean of n rewards plus Laplace noise
of scale 1/(n EPSILON). An arm leaves if its private mean is more than WIDTH below the largest. The run ends
when one arm is left, so the adversary sees its length. Every reward is used once, and everything follows from
the private means: EPSILON-DP. With --leak, once two arms are left, their means get a tenth of the noise ("only
to see whether to stop"): with two arms only the end of the run and its recommendation reveal this.

If it is asked for one estimate for each arm (--estimates), it reports each arm's last private mean.
"""
import argparse
import json
import random
import sys


def play(rows, arms, estimates, args, rng):
    """Actions until it stops, the recommendation, the estimates; rows[t] holds the rewards of round t."""
    active, actions, means, pulls = list(range(arms)), [], [0.0] * arms, 1
    while len(active) > 1 and len(actions) + pulls * len(active) <= len(rows):
        scale = (0.1 if args.leak and len(active) == 2 else 1.0) / (pulls * args.epsilon)
        for arm in active:
            rewards = [rows[len(actions) + k][arm] for k in range(pulls)]
            actions += [arm] * pulls
            noise = rng.expovariate(1.0) - rng.expovariate(1.0)
            means[arm] = sum(rewards) / pulls + scale * noise
        best = max(means[arm] for arm in active)
        active = [arm for arm in active if means[arm] >= best - args.width]
        pulls *= 2
    return actions + [max(active, key=means.__getitem__)] + means[:estimates]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--width", type=float, default=0.5, help="how far an arm may be behind")
    parser.add_argument("--leak", action="store_true", help="a tenth of the noise at the last two arms")
    args = parser.parse_args()
    shape = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            shape = message["shape"]
            answer = {"type": "ready", "name": "elimination that stops", "seeded": True}
            if message["assay_protocol"] != 1 or shape["kind"] != "best-arm" or not shape.get("stops"):
                answer = {"type": "error", "message": "this policy finds best arms and stops, protocol 1"}
            elif shape.get("estimates", 0) not in (0, shape["arms"]) or shape.get("numbers", 0) != 0:
                answer = {"type": "error", "message": "reports an estimate of each arm or none"}
        else:
            outputs = [play(message["input"], shape["arms"], shape.get("estimates", 0), args,
                            random.Random(seed)) for seed in message["seeds"]]
            answer = {"type": "plays", "id": message["id"], "outputs": outputs}
        print(json.dumps(answer, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
