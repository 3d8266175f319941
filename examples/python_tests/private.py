"""What our service runs: a policy that chooses one of two arms, and a noisy total. Each has a version with a fault."""
import math

EPSILON = 1.0


class LastReward:
    """It chooses arm 1 after a reward above one half, but lies with probability 1 / (1 + e^EPSILON).

    A reward decides the probabilities of one choice, whose ratio is at most e^EPSILON.
    """

    def __init__(self, arms, rng):
        self.rng, self.arm = rng, 0
        self.lies = 1 / (1 + math.exp(EPSILON))

    def choose(self):
        return self.arm

    def update(self, arm, reward):
        lies = self.rng.random() < self.lies
        self.arm = int((reward > 0.5) != lies)


class ForgetsToLie(LastReward):
    """The fault: it lies four times less often, so the ratio is 1 / lies - 1, about e^2.6."""

    def __init__(self, arms, rng):
        super().__init__(arms, rng)
        self.lies /= 4


def laplace(rng, scale):
    return scale * math.log((1 - rng.random()) / (1 - rng.random()))


def total(input, rng):
    """Each number of the input changes by at most 1, hence the scale 1 / EPSILON."""
    return [round(sum(input) + laplace(rng, 1 / EPSILON), 3)]


def total_with_little_noise(input, rng):
    """The fault: half of the noise, so the total leaks 2 EPSILON."""
    return [round(sum(input) + laplace(rng, 0.5 / EPSILON), 3)]
