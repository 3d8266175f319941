"""A made-up library of bandits that knows nothing of Assay. It prints a greeting and other lines, and returns arms in
its own types. Both policies are EPSILON-differentially private for one replaced reward."""
import random

EPSILON = 1.0

print("armory 2.1: thank you for choosing armory", flush=True)


def laplace(scale):
    return scale * (random.expovariate(1.0) - random.expovariate(1.0))


class Explorer:
    """Tries the arms in turn for half of the rounds, then keeps to the one with the largest noisy sum."""

    def __init__(self, n_arms, n_rounds):
        self.left = n_rounds // 2
        self.sums = [laplace(1.0 / EPSILON) for _ in range(n_arms)]

    def select_arm(self):
        if self.left > 0:
            return self.left % len(self.sums)
        return max(range(len(self.sums)), key=self.sums.__getitem__)

    def update(self, arm, reward):
        if self.left > 0:
            self.sums[arm] += reward
            self.left -= 1
            print(f"arm {arm} paid {reward}")


class OfflineLearner:
    """Learns once, from all rewards so far. It cannot predict before."""

    def fit(self, arms, rewards):
        scores = {arm: laplace(1.0 / EPSILON) for arm in set(arms)}
        for arm, reward in zip(arms, rewards):
            scores[arm] += reward
        self.best = max(sorted(scores), key=scores.__getitem__)

    def predict(self):
        return [float(self.best)]
