#!/usr/bin/env python3
"""What a certified run costs a Python policy through the package, and in a loop that speaks the protocol by itself.

    benchmarks/compare/python_runs.py [BLOCKS [RUNS]]

Both programs get the same messages, one run each, half of them with a key as in an audit, in blocks that alternate. The
time is the processor time of the program alone. For each policy it prints the median microseconds of a run through both,
and the median, quartiles of the ratio of the blocks of a pair. The loop draws from one generator that it seeds itself,
which is what a user without the package would write.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
HORIZON = 20

POLICIES = '''
import random
class WithRng:
    def __init__(self, arms, rng):
        self.arms, self.rng, self.last = arms, rng, 0.0
    def choose(self):
        return int(self.rng.random() * self.arms) if self.rng.random() < 0.2 else int(self.last > 0.5)
    def update(self, arm, reward):
        self.last = reward
class WithRandom(WithRng):
    def __init__(self, arms):
        super().__init__(arms, random)
'''
NUMPY = '''
import numpy
class WithRng(WithRng):
    pass
class WithLegacy(WithRng):
    def __init__(self, arms):
        super().__init__(arms, numpy.random)
'''
LOOP = '''
import json, sys
from policies import *
make = {make}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        shape = message["shape"]
        answer = {{"type": "ready", "name": "a loop"}}
    else:
        outputs = []
        for seed in message["seeds"]:
            policy = make(seed)
            out = []
            for reward in message["input"]:
                arm = policy.choose()
                policy.update(arm, reward)
                out.append(arm)
            outputs.append(out)
        answer = {{"type": "plays", "id": message["id"], "outputs": outputs}}
    print(json.dumps(answer), flush=True)
'''
OF_SEED = {
    "WithRng": "lambda seed: WithRng(3, random.Random(seed))",
    "WithRandom": "lambda seed: random.seed(seed) or WithRandom(3)",
    "WithRng, numpy": "lambda seed: WithRng(3, numpy.random.default_rng(seed))",
    "WithRandom, numpy": "lambda seed: random.seed(seed) or WithRandom(3)",
    "WithLegacy, numpy": "lambda seed: numpy.random.seed(seed & 0xFFFFFFFF) or WithLegacy(3)",
}


class Program:
    def __init__(self, words, folder):
        environment = dict(os.environ, ASSAY_PROTOCOL="1", PYTHONPATH=f"{folder}:{SOURCE}/policies/external")
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        shape = {"kind": "bandit", "arms": 3, "horizon": HORIZON}
        self.answer(json.dumps({"assay_protocol": 1, "shape": shape, "type": "hello"}))

    def answer(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def microseconds(self, lines):
        """The processor time of these messages."""
        before = self.time()
        for line in lines:
            answer = self.answer(line)
            assert answer["type"] == "plays" and len(answer["outputs"][0]) == HORIZON, answer
        return (self.time() - before) / 1000 / len(lines)

    def time(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0])

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def messages(draw, count):
    out = []
    inputs = [[float(draw.randrange(2)) for _ in range(HORIZON)] for _ in range(2)]
    for number in range(count):
        message = {"id": number, "input": draw.choice(inputs), "seeds": [draw.randrange(2 ** 53)], "type": "play"}
        if number % 2:
            message["keys"] = [draw.randbytes(32).hex()]
        out.append(json.dumps(dict(sorted(message.items())), separators=(",", ":")))
    return out


def compare(name, blocks, runs):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "policies.py").write_text(POLICIES + (NUMPY if "numpy" in name else ""))
        pathlib.Path(folder, "loop.py").write_text(LOOP.format(make=OF_SEED[name]))
        package = Program([sys.executable, str(SOURCE / "python/src/assay/serve.py"), "--path", folder, "--policy",
                           "policies:" + name.split(",")[0]], folder)
        loop = Program([sys.executable, f"{folder}/loop.py"], folder)
        draw = random.Random(1)
        pairs = []
        for _ in range(blocks + 1):
            lines = messages(draw, runs)
            pairs.append([program.microseconds(lines) for program in (package, loop)])
        package.end()
        loop.end()
    pairs = pairs[1:]  # the first warms up
    low, middle, high = statistics.quantiles([one / other for one, other in pairs], n=4)
    medians = [statistics.median(side) for side in zip(*pairs)]
    print(f"{name:20} package {medians[0]:6.1f} us, loop {medians[1]:6.1f} us, "
          f"ratio {middle:.2f} [{low:.2f}, {high:.2f}]", flush=True)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    for policy in OF_SEED:
        compare(policy, *(given + [40, 200][len(given):]))
