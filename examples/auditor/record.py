"""Records answers of the service on two neighbouring sets of records, as `assay audit --transcripts` reads them.

A recording has a line with the shape, then a line for each answer. The answers must be independent: if the service
draws noise once and uses it again, recorded runs cannot show this fault.
"""
import argparse
import json
import random

from service import noisy_count

RECORDS = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1]
NEIGHBOUR = [0] + RECORDS[1:]  # the first record belongs to another person


def record(path, records, runs, rng):
    with open(path, "w", encoding="ascii") as file:
        shape = {"kind": "mechanism", "inputs": len(records), "outputs": 1}
        file.write(json.dumps({"assay_transcripts": 1, "shape": shape}) + "\n")
        for _ in range(runs):
            file.write(json.dumps([noisy_count(records, rng)]) + "\n")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--runs", type=int, default=3000)
parser.add_argument("--seed", type=int, help="for a test; without it the noise comes from the system")
options = parser.parse_args()
source = random.SystemRandom() if options.seed is None else random.Random(options.seed)
record("base.ndjson", RECORDS, options.runs, source)
record("neighbour.ndjson", NEIGHBOUR, options.runs, source)
