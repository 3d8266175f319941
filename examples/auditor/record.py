"""Records answers of the service on two neighbouring sets of records, as `assay audit --transcripts` reads them.

A recording is a line that says the shape, then a line for each answer. Answers have to be independent: noise that is
drawn once and used again is a fault that recorded plays cannot show.
"""
import argparse
import json
import random

from service import noisy_count

RECORDS = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1]
NEIGHBOUR = [0] + RECORDS[1:]  # the first record is another person's


def record(path, records, plays, rng):
    with open(path, "w", encoding="ascii") as file:
        shape = {"kind": "mechanism", "inputs": len(records), "outputs": 1}
        file.write(json.dumps({"assay_transcripts": 1, "shape": shape}) + "\n")
        for _ in range(plays):
            file.write(json.dumps([noisy_count(records, rng)]) + "\n")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--plays", type=int, default=3000)
parser.add_argument("--seed", type=int, help="for a test; without it the noise is the system's")
options = parser.parse_args()
source = random.SystemRandom() if options.seed is None else random.Random(options.seed)
record("old.ndjson", RECORDS, options.plays, source)
record("new.ndjson", NEIGHBOUR, options.plays, source)
