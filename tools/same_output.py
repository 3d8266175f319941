#!/usr/bin/env python3
"""tools/same_output.py OLD NEW: compares the outputs of two builds of the command.

Runs the commands below with both builds, each in an empty folder of its own. Compares exit status, standard
output, standard error and the written files, byte for byte except for times. Use it for changes that move code
and should change nothing else. Exit status: 0 if all are the same, 1 if any differ, 2 for misuse. It takes about
three minutes.
"""
import concurrent.futures
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
PYTHON = "/usr/bin/python3"

CASES = """thompson-sampling -p arms=2 -p horizon=8|thompson-sampling --method likelihood -p arms=3 -p horizon=40 --samples 2000
ftnl -p horizon=8|dp-bai|dp-bai-gauss|bai-baseline|dp-od|od-linbai|sequential-halving|dp-ebs|gopt-dpdb|ebs-local|fliphat
iht-bandit|laplace|gaussian|snapped-laplace|discrete-laplace|discrete-gaussian|exponential|permute-and-flip
report-noisy-max|top-k|idealized-peeling|above-threshold|resetting-above-threshold|idealized-numerical-sparse-vector
idealized-noisy-histogram|idealized-prefix-sum|idealized-parallel-laplace|truncated-geometric|randomized-response
rappor|one-time-rappor|tree-counter|honaker-counter|hybrid-counter|idealized-laplace|idealized-gaussian
idealized-square-root-counter|laplace --method events --samples 5000|laplace --claim eps=0.5 -p epsilon=1
gaussian --claim mu=0.1 --format json|randomized-response --format html|tree-counter --format json"""
CLAIMS = """ts-step-dp|ts-step-gdp|ts-advanced|gdp-composition|rnm-hetero-gauss|ftnl-dp-laplace|ftnl-conjecture
softmax-integral|bai-dp|bai-gauss-dp|dp-od-dp|bai-change-of-measure|tree-dp|duel-gap|gopt-confidence|ebs-property-2
peel-dp|niht-sensitivity|clip-inactive|fliphat-jdp"""
EXPLAINED = "thompson-sampling|laplace|ts-gdp|ts-fig1|likelihood|pair|eps|mu|nothing-of-this-name|dp-bai|release"


def commands():
    def split(text):
        return [part for line in text.split("\n") for part in line.split("|")]

    for case in split(CASES):
        small = "" if "--samples" in case or "--claim" in case else " --confidence 0.99"
        yield f"audit {case} --seed 7{small}"
    for claim in split(CLAIMS):
        yield f"verify {claim} --effort 0.05 --format json"
    yield "verify ts-step-dp bai-gauss-dp tree-dp --effort 0.05 --certificates ."
    for name in split(EXPLAINED):
        yield f"explain {name}"
    for kind in ("", "cases", "claims", "experiments", "mechanisms", "detect", "sequences", "methods"):
        yield f"list {kind}"
    for command in ("", *("audit try verify simulate detect account frontier bench replay list explain suite adapter "
                          "check-certificate").split(), "suite run"):
        yield f"{command} --help"
    for word in ("python", "c", "cpp"):
        yield f"adapter {word}"
    yield "simulate ts-fig1 ts-fig6 ts-fig7 --format json"
    yield "simulate ftnl-gap --repetitions 10 --horizon 200 --format csv --check"
    yield "simulate bai-fig1 --repetitions 4 --format html"
    yield "detect --sample-share 0.001 --format json"
    yield "detect --sequences epsilon-greedy* --format text"
    yield f"account {EXAMPLES}/chain.toml"
    yield f"account {EXAMPLES}/chain.toml --format json"
    yield f"account {EXAMPLES}/chain.toml --format html"
    yield "suite schema"
    yield f"suite list --suite {EXAMPLES}/suite.toml --history none"
    yield f"suite run {EXAMPLES}/suite.toml --seed 3 --history none --report json=a.json"
    yield f"suite run {EXAMPLES}/suite.toml --seed 3 --history none --report sarif=a.sarif --report junit=a.xml"
    for kind, target in (("mechanism", "naive_gaussian"), ("bandit", "epsilon_greedy")):
        program = f"{PYTHON} {EXAMPLES}/targets/{target}.py"
        yield ["try", "--exec", program, "--kind", kind]
        for form in ("text", "json"):
            yield ["audit", "--exec", program, "--kind", kind, "--claim", "eps=1", "--plays", "4000", "--seed", "5",
                   "--format", form]
    yield ["audit", "--exec", f"{PYTHON} {EXAMPLES}/targets/naive_gaussian.py", "--kind", "mechanism", "--method",
           "one-run", "--inputs", "40", "--claim", "eps=1,delta=1e-5", "--seed", "5"]
    yield "audit nothing"
    yield "audit laplace --claim eps=x"
    yield "audit laplace -p nothing=1"
    yield "verify no-such-claim"
    yield "check-certificate missing.json"
    yield "suite run missing.toml"


TIMES = [
    (re.compile(r'"meta": \{.*?\n  \}', re.S), '"meta": {}'),
    (re.compile(r"\b\d+(\.\d+)? (s|ms|us|seconds)\b"), "T"),
    (re.compile(r'"content": "[0-9a-f]+"'), "C"),  # of a suite's entry: the command is a part of it
    (re.compile(r'time="[^"]*"|timestamp="[^"]*"'), "T"),
    (re.compile(r'"(seconds|started|finished|time)": [^,\n]*'), "T"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:]+Z?"), "T"),
    (re.compile(r"\d+ threads?\b|[0-9a-f]{7,40}(-modified|-dirty)?\b(?= |\)|,|<)"), "X"),
]


def without_times(text):
    for pattern, instead in TIMES:
        text = pattern.sub(instead, text)
    return text


def run(program, command):
    words = command.split() if isinstance(command, str) else command
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=600)
        texts = {"status": str(done.returncode), "stdout": done.stdout.decode(), "stderr": done.stderr.decode()}
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file():
                texts[str(path.relative_to(folder))] = path.read_text(errors="replace")
        return {name: without_times(text.replace(folder, "F")) for name, text in texts.items()}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    asked = list(commands())
    differ = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for command, before, now in zip(asked, pool.map(lambda c: run(old, c), asked),
                                        pool.map(lambda c: run(new, c), asked)):
            if before == now:
                continue
            differ += 1
            print(f"\n{command if isinstance(command, str) else ' '.join(command)}")
            for name in sorted({*before, *now}):
                lines = difflib.unified_diff(before.get(name, "").split("\n"), now.get(name, "").split("\n"),
                                             f"old {name}", f"new {name}", lineterm="", n=0)
                print("\n".join(line[:300] for line, _ in zip(lines, range(12))))
    print(f"{len(asked)} commands, {differ} differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
