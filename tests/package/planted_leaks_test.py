#!/usr/bin/env python3
"""Runs benchmarks/compare/planted_leaks.py on a few leaks, and reads its tables and its errors.

    planted_leaks_test.py SOURCE_DIR ASSAY
"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, ASSAY = pathlib.Path(sys.argv[1]), sys.argv[2]
SCRIPT = [sys.executable, str(SOURCE / "benchmarks" / "compare" / "planted_leaks.py")]
FEW = "^(bandit|dueling)/a-position/first/4/respond"


def script(*words):
    return subprocess.run([*SCRIPT, *words], capture_output=True, text=True, check=False)


class PlantedLeaks(unittest.TestCase):
    def test_finds_those_that_nobody_can_miss_and_prints_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            stored = folder + "/outcomes"
            run = script(ASSAY, "--only", FEW, "--write", stored)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("2 leaks, 2 audits: 2 of 2 found, 100% (15% to 100%).", run.stdout)
            self.assertIn("| bandits | 1 | 1 of 1 | 100% (2% to 100%) |", run.stdout)
            self.assertIn("| a position |", run.stdout)
            again = script("--from", stored)
            self.assertEqual(again.stdout, run.stdout)
            shares = script("--from", stored, "--shares").stdout
            self.assertIn('{InputKind::kDueling, "dueling policies", 1, 1, 1},', shares)
            outcomes = [json.loads(line) for line in pathlib.Path(stored).read_text().splitlines()]
            self.assertEqual([outcome["verdict"] for outcome in outcomes], ["Violated"] * 2)
            outcomes[0]["verdict"] = "NotRefuted"
            pathlib.Path(stored).write_text("".join(json.dumps(outcome) + "\n" for outcome in outcomes))
            self.assertIn("| bandits | 1 | 0 of 1 | 0% (0% to 98%) |", script("--from", stored).stdout)
            self.assertRegex(script("--from", stored, "--missed").stdout, "^bandit/a-position/first/4/respond, seed 1: NotRefuted")

    def test_lists_hundreds_of_leaks_that_all_refute_the_claim(self):
        lines = script("--list").stdout.splitlines()[::3]
        self.assertGreater(len(lines), 500)
        self.assertEqual(len(lines), len(set(lines)))
        for line in lines:
            self.assertGreater(float(line.split(" = ")[1]), 1.0)

    def test_says_what_is_wrong(self):
        for words, message in (([], "give the command assay"),
                               (["/nowhere/assay"], "/nowhere/assay is not a program"),
                               ([ASSAY, "--only", "nothing like it"], "no leak has a name with nothing like it"),
                               ([ASSAY, "--only", "("], "is no regular expression"),
                               ([ASSAY, "--seeds", "0"], "--seeds and --jobs must be at least 1"),
                               (["--from", "/nowhere/outcomes"], "/nowhere/outcomes")):
            run = script(*words)
            self.assertNotEqual(run.returncode, 0, words)
            self.assertIn(message, run.stderr)
            self.assertNotIn("Traceback", run.stderr)

    def test_an_interrupt_prints_what_is_done(self):
        with tempfile.TemporaryDirectory() as folder:
            stored = pathlib.Path(folder) / "outcomes"
            child = subprocess.Popen([*SCRIPT, ASSAY, "--only", "^bandit", "--write", str(stored)],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                for _ in range(600):
                    if stored.exists() and stored.read_text().count("\n") >= 2:
                        break
                    time.sleep(0.1)
                child.send_signal(signal.SIGINT)
                out, error = child.communicate(timeout=60)
            finally:
                child.kill()
                child.wait()
            self.assertEqual(child.returncode, 130, error)
            self.assertIn("interrupted after", error)
            self.assertIn("too little noise", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
