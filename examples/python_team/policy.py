"""Our policy: it tries both arms in turn in the first half of the rounds, then chooses the better one.

Noisy sums decide which is better. Every reward enters one sum, with Laplace noise of scale
1 / EPSILON, so the policy is EPSILON-differentially private for one replaced reward.
"""
EPSILON = 1.0


def laplace(rng, scale):
    return scale * (rng.expovariate(1.0) - rng.expovariate(1.0))


class ExploreThenCommit:
    def __init__(self, horizon, rng):
        self.explored = horizon // 2
        self.sums = [laplace(rng, 1.0 / EPSILON) for _ in range(2)]
        self.round = 0

    def choose(self):
        if self.round < self.explored:
            return self.round % 2
        return 0 if self.sums[0] >= self.sums[1] else 1

    def observe(self, arm, reward):
        if self.round < self.explored:
            self.sums[arm] += reward
        self.round += 1
