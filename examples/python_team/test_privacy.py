"""For pytest: our policies are as private as assay.toml claims. ASSAY names the command if it is not in PATH."""
import os
import pathlib
import subprocess

MEANING = {1: "a claim is violated", 2: "the suite is misconfigured", 3: "inconclusive", 4: "a target could not run"}


def test_policies_are_as_private_as_claimed():
    suite = pathlib.Path(__file__).with_name("assay.toml")
    run = subprocess.run([os.environ.get("ASSAY", "assay"), "suite", "run", suite],
                         capture_output=True, text=True)
    what = MEANING.get(run.returncode, f"assay ended with {run.returncode}")
    assert run.returncode == 0, f"{what}\n{run.stdout}{run.stderr}"
