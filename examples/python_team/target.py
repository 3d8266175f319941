"""Plays our policy for Assay: the protocol of docs/protocol.md, a line of JSON for a line of JSON."""
import json
import random
import sys

from policy import ExploreThenCommit


def play(rewards, seed):
    policy = ExploreThenCommit(len(rewards), random.Random(seed))
    actions = []
    for reward in rewards:
        actions.append(policy.choose())
        policy.observe(actions[-1], reward)
    return actions


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        fits = message["shape"]["kind"] == "bandit" and message["shape"]["arms"] == 2
        answer = ({"type": "ready", "name": "explore, then commit", "seeded": True} if fits else
                  {"type": "error", "message": "this policy is a bandit with two arms"})
    else:
        answer = {"type": "plays", "id": message["id"],
                  "outputs": [play(message["input"], seed) for seed in message["seeds"]]}
    print(json.dumps(answer), flush=True)
