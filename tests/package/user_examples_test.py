"""Runs the commands of an example's README in a scratch folder, as it is and with a regression planted.

user_examples_test.py EXAMPLES_FOLDER NAME ASSAY: the last command ends with 0 first, with 1 then, and says
what is violated.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PLANTED = {  # file, what it says, what it says then, what is reported
    "python_team": ("policy.py", "1.0 / EPSILON)", "0.25 / EPSILON)", "explore-then-commit: violated"),
    "auditor": ("service.py", "rng.expovariate(EPSILON)", "rng.expovariate(3 * EPSILON)", "noisy-count: violated"),
}


def commands(readme):
    """The lines of its sh blocks. pytest is nothing that the tests ask for: its function is called instead."""
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", readme.read_text(), re.S)).splitlines()
    call = "python3 -c 'import test_privacy; test_privacy.test_policies_are_as_private_as_claimed()'"
    seeded = {"pytest test_privacy.py": call, "python3 record.py": "python3 record.py --seed 1"}
    return [seeded.get(line, line) for line in lines]


def run(folder, lines, environment):
    """Exit status of the first command that fails, or of the last, and all that was said."""
    said = ""
    for line in lines:
        done = subprocess.run(["sh", "-c", line], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        said += f"$ {line}\n{done.stdout}"
        if done.returncode:
            return done.returncode, said
    return 0, said


def main(examples, name, assay):
    source = pathlib.Path(examples) / name
    file, before, after, report = PLANTED[name]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / name
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__", "*.ndjson", ".assay"))
        environment = dict(os.environ, PATH=f"{os.path.dirname(sys.executable)}:{os.path.dirname(assay)}:/usr/bin:/bin",
                           ASSAY_SEED="1", PYTHONDONTWRITEBYTECODE="1", ASSAY_HISTORY="none")
        status, said = run(folder, commands(folder / "README.md"), environment)
        assert status == 0, f"the example ended with {status}:\n{said}"
        text = (folder / file).read_text()
        assert before in text, f"{file} does not say {before}"
        (folder / file).write_text(text.replace(before, after))
        # Where there is a snippet that runs the suite and says why it fails, that is what is looked at.
        lines = commands(folder / "README.md")
        lines = [line for line in lines if "test_privacy" in line] or lines
        status, said = run(folder, lines, environment)
        assert status == 1 and report in said, f"with a regression it ended with {status}:\n{said}"
        if name == "python_team":
            assert "AssertionError: a claim is violated" in said, said


main(*sys.argv[1:])
