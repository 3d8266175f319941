"""An adapter with probabilities, for Thompson sampling with Gaussian priors on two arms.

The arm of a round is that of the larger of two independent Gaussian samples, so the probability of each is in closed
form: docs/protocol.md, "Probabilities".
"""
import math

from assay_target import serve_policy


class ThompsonTwoArms:
    def __init__(self, rng):
        self.rng = rng
        self.counts = [0, 0]
        self.sums = [0.0, 0.0]

    def mean(self, arm):
        return self.sums[arm] / (self.counts[arm] + 1)

    def deviation(self, arm):
        return 1 / math.sqrt(self.counts[arm] + 1)

    def choose(self):
        samples = [self.mean(arm) + self.deviation(arm) * self.rng.normalvariate(0, 1) for arm in (0, 1)]
        return int(samples[1] > samples[0])

    def update(self, arm, reward):
        self.counts[arm] += 1
        self.sums[arm] += reward

    def probabilities(self):
        lead = (self.mean(0) - self.mean(1)) / math.hypot(self.deviation(0), self.deviation(1))
        return [0.5 * math.erfc(-lead / math.sqrt(2)), 0.5 * math.erfc(lead / math.sqrt(2))]


def make(shape, rng):
    if shape.arms != 2:
        raise ValueError("it has two arms")
    return ThompsonTwoArms(rng)


if __name__ == "__main__":
    serve_policy(make, probabilities="probabilities", name="Thompson sampling, two arms", seeded=True)
