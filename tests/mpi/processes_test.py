#!/usr/bin/env python3
"""processes_test.py COMMAND MPIRUN ALONE WAY [KILLS]: the command as several processes together.

COMMAND is built with ASSAY_MPI, ALONE is what its outputs are compared with: a command of any build, or the same.
WAY is `same`: each job has the same bytes in every report, alone and for 1, 2, 3 and 5 processes, except for times; or
`kills`: random processes of a job with a checkpoint are killed at random moments KILLS times (default 6), and it then
ends with the same bytes.
"""
import csv
import itertools
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

os.environ["NO_COLOR"] = "1"  # mpirun gives the first process a terminal
ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "examples" / "targets" / "epsilon_greedy.py"
PYTHON = "/usr/bin/python3"

JOBS = {
    "simulate": ["simulate", "ts-fig2", "--repetitions", "40", "--horizon", "3000"],
    "detect": ["detect", "noisy-max-*", "--sample-share", "0.001", "--quiet"],
    "sequences": ["detect", "--sequences", "seed-leaked", "--quiet"],
    "verify": ["verify", "ts-step-dp", "bai-pairwise", "gopt-confidence-differences", "--effort", "0.1"],
    "bench": ["bench", "counters", "--epsilon", "1", "--delta", "1e-6", "-p", "horizon=64", "--samples", "30",
              "--timings", "0"],
    "likelihood": ["audit", "thompson-sampling", "--method", "likelihood", "-p", "arms=3", "-p", "horizon=30",
                   "--samples", "600"],
    "exact": ["audit", "thompson-sampling", "-p", "arms=2", "-p", "horizon=8"],
    "release": ["audit", "dp-bai"],
    "events": ["audit", "laplace", "--method", "events", "--samples", "3000"],
    "program": ["audit", "--exec", f"{PYTHON} {TARGET}", "--kind", "bandit", "--arms", "2",
                "--horizon", "6", "--claim", "eps=1", "--runs", "1500"],
    "suite": ["suite", "run", "{folder}/suite.toml", "--history", "{folder}/history.sqlite", "--seed", "5",
              "--today", "2026-01-01"],
}
WRITES = {"suite": ["json", "xml"], "sequences": ["json"], "program": ["json", "html"], "verify": ["json"]}

SUITE = '''
schema = "assay.suite/1"
name = "small"
[[audit]]
id = "mechanism"
case = "laplace"
claim = "eps=1"
[[audit]]
id = "program"
exec = "{python} {target}"
kind = "bandit"
arms = 2
horizon = 4
claim = "eps=1"
runs = 2000
'''

# What a clock decides, and what names the command.
VARIES = [re.compile(p) for p in (
    r'"(started|seconds|threads|commit|version|build)[a-z_]*": ?("[^"]*"|[-0-9.eE+]+)',
    r'\b[0-9.]+ ?(ns|us|ms|s|min|h)\b',
    r"transcripts_per_second[^\n]*",
    r'"(faulty|correct)": [0-9.e+-]+',  # seconds of a row
    r'time="[^"]*"|timestamp="[^"]*"|hostname="[^"]*"',
    r"Started [-0-9T:Z]*; *(on [0-9]+ threads?)?",
    r"[0-9.,]+ transcripts a second",
    r'"rounds_played": [0-9]+',  # without those before a death
    r"(<li>)?The target makes [^\n]*(\n [^\n]*)*",  # advice for slow targets
    r" {2,}",  # beside a time in a table
)]


def settled(text, name="report.txt"):
    if name.endswith(".csv"):
        rows = list(csv.reader(text.splitlines()))
        timed = [i for i, column in enumerate(rows[0]) if "seconds" in column]
        return "\n".join(",".join(cell for i, cell in enumerate(row) if i not in timed) for row in rows)
    for pattern in VARIES:
        text = pattern.sub("", text)
    return text


def first_difference(one, other):
    lines = itertools.zip_longest(str(one).splitlines(), str(other).splitlines())
    pair = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
    at = next((i for i, (a, b) in enumerate(zip(*map(str, pair))) if a != b), 0)
    return "\n".join(f"    {mark} {str(line)[max(0, at - 60):at + 100]}" for mark, line in zip("-+", pair))


def run_job(name, words, folder):
    """Exit status and every byte of a job, run in `folder` by the command that begins with `words`."""
    folder.mkdir()
    (folder / "suite.toml").write_text(SUITE.format(python=PYTHON, target=TARGET))
    arguments = [word.format(folder=".") for word in JOBS[name]]
    for ending in WRITES.get(name, ["json", "csv", "html"] if name in ("simulate", "detect", "bench") else ["json", "html"]):
        arguments += ["--write", f"report.{ending}"]
    ran = subprocess.run(words + arguments, cwd=folder, capture_output=True, text=True, timeout=600)
    out = {"status": ran.returncode, "stdout": settled(ran.stdout)}
    if ran.returncode not in (0, 1, 3):
        sys.exit(f"{name}: {' '.join(words + arguments)} ended with {ran.returncode}\n{ran.stdout}{ran.stderr}")
    for path in sorted(folder.glob("report.*")):
        out[path.name] = settled(path.read_text(), path.name)
    return out


def together(command, mpirun, processes):
    # Several processes share a core here, and tests may run as root in a container.
    return [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(processes), command]


def same(command, mpirun, alone, names):
    differ = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in names:
            expected = run_job(name, [alone], folder / f"{name}-alone")
            for processes in (1, 2, 3, 5):
                began = time.time()
                found = run_job(name, together(command, mpirun, processes), folder / f"{name}-{processes}")
                for part, text in expected.items():
                    if found.get(part) != text:
                        differ.append(f"{name}, {processes} processes: {part}\n{first_difference(text, found.get(part))}")
                print(f"{name}, {processes}: {time.time() - began:.1f} s", flush=True)
    return differ


# The processes of the job, by its folder, which only they have as theirs.
def ranks(folder):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").resolve() == folder.resolve():
                if (entry / "exe").resolve().name == "assay":
                    found.append(int(entry.name))
        except OSError:
            continue  # it ended meanwhile
    return found


def kills(command, mpirun, alone, times):
    job = ["simulate", "ts-fig2", "--repetitions", "200", "--horizon", "30000", "--threads", "1",
           "--write", "report.json", "--checkpoint", "work.checkpoint"]
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folders = [pathlib.Path(name) / "alone", pathlib.Path(name) / "killed"]
        for folder in folders:
            folder.mkdir()
        began = time.time()
        subprocess.run([alone] + job, cwd=folders[0], check=True, capture_output=True, timeout=600)
        whole = time.time() - began
        expected = settled((folders[0] / "report.json").read_text())
        killed = 0
        largest = 0
        for attempt in range(20 * times):
            ran = subprocess.Popen(together(command, mpirun, 3) + job, cwd=folders[1], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
            if killed < times:
                time.sleep(chance.uniform(0.3, 0.3 + whole / 2))
                victims = ranks(folders[1])
                if victims:
                    try:
                        os.kill(chance.choice(victims), signal.SIGKILL)
                        killed += 1
                    except ProcessLookupError:
                        pass
            said = ran.communicate(timeout=600)[0]
            if ran.returncode == 0:
                found = settled((folders[1] / "report.json").read_text())
                if found != expected:
                    return ["the resumed job has other bytes\n" + first_difference(expected, found)]
                if killed == times:
                    break
                (folders[1] / "report.json").unlink()
                (folders[1] / "work.checkpoint").unlink()
                largest = 0
                continue
            if victims and not re.search(r"rank \d+ .*signal 9|[Kk]illed", said):
                return [f"nothing says why the job ended: {said}"]
            checkpoint = folders[1] / "work.checkpoint"
            size = checkpoint.stat().st_size if checkpoint.exists() else 0
            if size < largest:
                return [f"the checkpoint lost chunks: {size} bytes after {largest}"]
            largest = size
        print(f"{killed} kills in {attempt + 1} runs", flush=True)
        return [] if killed == times else [f"only {killed} of {times} kills reached a process"]


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    command, mpirun, alone, way = sys.argv[1:5]
    if way == "kills":
        differ = kills(command, mpirun, alone, int(sys.argv[5]) if len(sys.argv) > 5 else 6)
    else:
        differ = same(command, mpirun, alone, sys.argv[5:] or list(JOBS))
    for line in differ:
        print("differs:", line)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
