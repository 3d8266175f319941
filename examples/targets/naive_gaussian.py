#!/usr/bin/env python3
"""A mechanism for `assay audit --exec`: one answer with Gaussian noise in double precision.

On paper it is (EPSILON, DELTA)-DP for an answer that moves by at most 1. The last bits of its doubles tell
the answers apart (Mironov 2012). With --grid it rounds the sum to a grid of 2^-20, noise and answer alike,
and they no longer do.
"""
import argparse
import json
import math
import random
import sys

EPSILON = 1.0
DELTA = 1e-5
SIGMA = math.sqrt(2.0 * math.log(1.25 / DELTA)) / EPSILON


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", action="store_true", help="release a multiple of 2^-20")
    on_grid = parser.parse_args().grid
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            if message["assay_protocol"] != 1 or message["shape"]["kind"] != "mechanism":
                answer = {"type": "error", "message": "this is a mechanism, protocol 1"}
            else:
                answer = {"type": "ready", "name": "naive Gaussian", "seeded": True}
        else:
            values = message["input"]
            outputs = []
            for seed in message["seeds"]:
                rng = random.Random(seed)
                noisy = [value + rng.gauss(0.0, SIGMA) for value in values]
                outputs.append([math.ldexp(round(math.ldexp(y, 20)), -20) for y in noisy]
                               if on_grid else noisy)
            answer = {"type": "plays", "id": message["id"], "outputs": outputs}
        print(json.dumps(answer, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
