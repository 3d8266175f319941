"""For a class that learns from all rounds so far: eight rounds in turn, then a fit, then its prediction."""
from assay_target import serve

from armory import OfflineLearner


def play(rewards, shape, seed):
    tried = [t % shape.arms for t in range(min(8, len(rewards)))]
    learner = OfflineLearner()
    learner.fit(tried, rewards[:len(tried)])
    return tried + [learner.predict() for _ in rewards[len(tried):]]


serve(play, kind="bandit", name="armory.OfflineLearner", seeded=True)
