#!/usr/bin/env python3
"""How often audits through the Python package convict private policies: at most alpha, if they are valid.

    PYTHONPATH=python/src ASSAY_COMMAND=build/release/bin/assay tests/statistical/null_audits.py [--audits 2000]
        [--seconds 1200] [--alpha 0.05] [--samples 300] [--seed 1]

Every policy here has eps = 1 exactly, given all runs before, and the claim is eps = 1: no true claim is easier to violate.
Some drift, remember, or draw from randomness that no seed reaches. The policies take turns; audit number i has the seed
SEED + i. It ends after so many audits, or so many seconds. The exit status is 1 if an audit that is valid at alpha
convicts as often with probability below 1e-4. CTest runs a few (package/python_null_audits).
"""
import argparse
import math
import os
import random
import secrets
import sys
import time

TRUTH = math.e / (1 + math.e)
HORIZON = 4
served = 0
remembered = 0


class Responds:
    """Follows the last reward by randomised response. A reward has a part in one action: eps = 1."""

    def __init__(self, arms):
        self.last = random.randrange(2)

    def says(self, bit, truth=TRUTH):
        return bit if random.random() < truth else 1 - bit

    def choose(self):
        return self.says(self.last)

    def update(self, arm, reward):
        self.last = int(reward > 0.5)


class Drifts(Responds):
    """Explores more with every run of its process; back and forth, and never below the noise that eps = 1 needs."""

    def __init__(self, arms):
        global served
        super().__init__(arms)
        served += 1
        self.truth = TRUTH - (TRUTH - 0.5) * abs(math.sin(served / 40))

    def choose(self):
        return self.says(self.last, self.truth)


class Remembers(Responds):
    """Begins with what the run before learned last: this gives away the input of that run, and nothing of its own."""

    def __init__(self, arms):
        self.last, self.first = remembered, True

    def choose(self):
        if self.first:
            self.first = False
            return self.last
        return super().choose()

    def update(self, arm, reward):
        global remembered
        super().update(arm, reward)
        remembered = self.last


class Commits(Responds):
    """Tries both arms in turn, adds Laplace noise of scale 1 to each sum, and stays with the larger: eps = 1."""

    def __init__(self, arms):
        self.totals, self.round, self.best = [0.0, 0.0], 0, None

    def choose(self):
        if self.round < HORIZON - 1:
            return self.round % 2
        noisy = [total + random.expovariate(1) - random.expovariate(1) for total in self.totals]
        return noisy.index(max(noisy))

    def update(self, arm, reward):
        self.totals[arm] += reward
        self.round += 1


class Unseeded(Responds):
    """Randomised response with the system's randomness."""

    def says(self, bit, truth=TRUTH):
        return bit if secrets.randbelow(2 ** 30) < truth * 2 ** 30 else 1 - bit


def tail(count, of, chance):
    """The probability of at least `count` successes of `of`."""
    terms = (math.exp(math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * math.log(chance) +
                      (of - k) * math.log1p(-chance)) for k in range(count, of + 1))
    return min(1.0, math.fsum(terms))


def main():
    options = argparse.ArgumentParser()
    for name, value in (("audits", 2000), ("seconds", 1200.0), ("alpha", 0.05), ("samples", 300), ("seed", 1)):
        options.add_argument(f"--{name}", type=type(value), default=value)
    asked = options.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import null_audits as policies  # by its name, so that a fresh interpreter can import it
    import assay
    kinds = [policies.Responds, policies.Drifts, policies.Remembers, policies.Commits, policies.Unseeded]
    verdicts = {kind.__name__: {} for kind in kinds}
    began = time.monotonic()
    done = convicted = 0
    while done < asked.audits and time.monotonic() - began < asked.seconds:
        kind = kinds[done % len(kinds)]
        report = assay.audit(kind, claim="eps=1", arms=2, horizon=HORIZON, samples=asked.samples, threads=1,
                             confidence=1 - asked.alpha, seed=asked.seed + done)
        found = verdicts[kind.__name__]
        found[report.verdict] = found.get(report.verdict, 0) + 1
        done += 1
        # An audit whose runs together refute, but not those of each seeding, says Inconclusive. It counts here.
        if report.verdict == "Violated" or "together refute the claim" in report.reason:
            convicted += 1
            print(f"{kind.__name__}, seed {report.seed}: {report.headline}", flush=True)
    for name, found in verdicts.items():
        print(f"{name:10}", ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items())))
    chance = tail(convicted, done, asked.alpha) if done else 1.0
    print(f"{convicted} of {done} audits refute at alpha = {asked.alpha:g}; valid ones do so as often with probability "
          f"{chance:.3g} at most ({time.monotonic() - began:.0f} s)")
    return int(chance < 1e-4)


if __name__ == "__main__":
    sys.exit(main())
