#!/usr/bin/env python3
"""An adapter that makes its policy, private by randomised response, with the seed 42 for every play: what is
played is a function of the rewards, and the policy is not to blame."""
import json
import math
import random
import sys


class StayOrSwitch:
    def __init__(self, arms, seed):
        self.rng, self.arms, self.arm = random.Random(seed), arms, 0

    def step(self, reward):
        played, good = self.arm, reward > 0.5
        if self.rng.random() < 1 / (1 + math.e):
            good = not good
        self.arm = played if good else (played + 1) % self.arms
        return played


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        shape, answer = message["shape"], {"type": "ready", "name": "stay or switch"}
    else:
        outputs = []
        for _ in message["seeds"]:
            policy = StayOrSwitch(shape["arms"], seed=42)
            outputs.append([policy.step(reward) for reward in message["input"]])
        answer = {"type": "plays", "id": message["id"], "outputs": outputs}
    print(json.dumps(answer), flush=True)
