"""Runs the commands of action.yml, examples/ci/ and .pre-commit-hooks.yaml in a scratch git repository, with a
regression planted and with none, without a network where a user may cut it off.

ci_snippets_test.py SOURCE_FOLDER NAME ASSAY, NAME being action, gitlab, jenkins or pre_commit.
"""
import html
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

ENTRY = "noisy-count"
CUT_OFF = ["unshare", "-rn"]
if shutil.which("unshare") is None or subprocess.run(CUT_OFF + ["true"], capture_output=True, check=False).returncode:
    CUT_OFF = []


class Repository:
    """A git repository with the auditor's example, its recordings committed."""

    def __init__(self, scratch, source, assay):
        self.source = source
        self.scratch = pathlib.Path(scratch)
        self.folder = self.scratch / "a repository"
        shutil.copytree(source / "examples/auditor", self.folder,
                        ignore=shutil.ignore_patterns("__pycache__", "*.ndjson", ".assay"))
        commands = self.scratch / "bin"
        commands.mkdir()
        (commands / "assay").symlink_to(assay)
        self.environment = {"PATH": f"{commands}:{os.path.dirname(sys.executable)}:/usr/bin:/bin", "HOME": scratch,
                            "PYTHONDONTWRITEBYTECODE": "1", "ASSAY_SEED": "1", "GIT_CONFIG_NOSYSTEM": "1"}
        for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.run(["git", "init", "-q", "."])
        self.run(["git", "config", "user.email", "a@example.org"])
        self.run(["git", "config", "user.name", "A"])
        self.record()
        self.commit("recordings")

    def run(self, command, status=0, **environment):
        done = subprocess.run(CUT_OFF + command, cwd=self.folder, env={**self.environment, **environment}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == status, f"{command} ended with {done.returncode}, not {status}:\n{done.stdout}"
        return done.stdout

    def record(self):
        self.run(["python3", "record.py", "--seed", "1"])

    def commit(self, message, status=0):
        self.run(["git", "add", "-A"])
        return self.run(["git", "commit", "-q", "-m", message], status)

    def plant(self):
        file = self.folder / "service.py"
        text = file.read_text()
        planted = text.replace("rng.expovariate(EPSILON)", "rng.expovariate(3 * EPSILON)")
        assert planted != text
        file.write_text(planted)
        self.record()


def action(repository):
    """The steps that run commands, as a runner runs them; nothing that a caller sets is text of a script."""
    definition = yaml.safe_load((repository.source / "action.yml").read_text())
    assert definition["runs"]["using"] == "composite"
    steps = [step for step in definition["runs"]["steps"] if "run" in step]
    assert [step["id"] for step in steps] == ["command", "check"]
    own = repository.scratch / "action/tools"
    own.mkdir(parents=True)
    (own / "run").write_text("#!/bin/sh\nexec assay \"$@\"\n")
    (own / "run").chmod(0o755)

    def run(status, **inputs):
        files = {name: repository.scratch / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        temporary = repository.scratch / "temporary"
        shutil.rmtree(temporary, ignore_errors=True)
        values = {f"inputs.{name}": one.get("default", "") for name, one in definition["inputs"].items()}
        values.update({f"inputs.{name}": value for name, value in inputs.items()})
        values.update({"github.action_path": str(own.parent), "github.sha": "0123abcd",
                       "runner.temp": str(temporary)})
        said = ""
        for step in steps:
            assert "${{" not in step["run"]
            environment = {name: re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: values[match[1]], text)
                           for name, text in step["env"].items()}
            last = step is steps[-1]
            said = repository.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                                  status if last else 0, **environment,
                                  **{name: str(file) for name, file in files.items()})
            for line in files["GITHUB_OUTPUT"].read_text().splitlines():
                name, value = line.split("=", 1)
                values[f"steps.{step['id']}.outputs.{name}"] = value
        sarif = values.get("steps.check.outputs.sarif")
        results = json.loads(pathlib.Path(sarif).read_text())["runs"][0]["results"] if sarif else None
        return said, html.unescape(files["GITHUB_STEP_SUMMARY"].read_text()), results

    said, summary, results = run(0)
    assert ENTRY in summary and results == [] and "::error" not in said, (said, summary, results)
    assert (repository.folder / ".assay/history.sqlite").exists()  # what the cache hands on
    repository.run(["assay", "suite", "update", "--baseline", "base line.toml"])
    said, _, _ = run(0, assay="assay", baseline="base line.toml")
    assert re.search(r"Run +3, with alpha", said), said  # it goes on in the history
    run(0, assay="assay", tier="smoke", history="none")
    said, summary, results = run(2, suite="no such.toml")
    assert summary == "" and results is None and "no such.toml" in said, (said, summary, results)
    repository.plant()
    said, summary, results = run(1, baseline="base line.toml")
    assert ENTRY in summary and len(results) >= 1 and "::error file=assay.toml" in said, (said, summary, results)


def both(repository, check):
    check(0)
    assert (repository.folder / ".assay/history.sqlite").exists()
    repository.plant()
    check(1)


def junit_failures(repository):
    return len(xml.etree.ElementTree.parse(repository.folder / "assay.xml").findall(".//failure"))


def gitlab(repository):
    job = yaml.safe_load((repository.source / "examples/ci/gitlab-ci.yml").read_text())["assay"]
    assert job["artifacts"]["reports"]["junit"] == "assay.xml"
    variables = {name: text.replace("$CI_COMMIT_SHA", "0123abcd") for name, text in job["variables"].items()}

    def check(status):
        repository.run(["sh", "-e", "-c", "\n".join(job["script"])], status, **variables)
        assert junit_failures(repository) == status
        assert "recordings of a service" in html.unescape((repository.folder / "assay.md").read_text())

    both(repository, check)


def jenkins(repository):
    text = (repository.source / "examples/ci/Jenkinsfile").read_text()
    (script,) = re.findall(r"sh '''(.*?)'''", text, re.S)
    history = re.search(r"ASSAY_HISTORY = '(.*)'", text)[1]

    def check(status):
        repository.run(["sh", "-xe", "-c", script], status, ASSAY_HISTORY=history, ASSAY_REVISION="0123abcd")
        assert junit_failures(repository) == status
        assert (repository.folder / "assay.html").stat().st_size > 1000

    both(repository, check)


def pre_commit(repository):
    """As the framework starts a hook of language system: its words, without a shell."""
    (hook,) = yaml.safe_load((repository.source / ".pre-commit-hooks.yaml").read_text())
    assert hook["language"] == "system" and hook["pass_filenames"] is False
    file = repository.folder / ".git/hooks/pre-commit"
    file.write_text(f"#!/bin/sh\nexec {shlex.join(shlex.split(hook['entry']))}\n")
    file.chmod(0o755)
    (repository.folder / "notes.txt").write_text("nothing that leaks\n")
    repository.commit("notes")
    repository.plant()
    said = repository.commit("less noise", status=1)
    assert f"{ENTRY}: violated" in said, said
    assert not (repository.folder / ".assay").exists()  # it spends nothing of the history
    assert repository.run(["git", "log", "--format=%s", "-1"]) == "notes\n"


def main(source, name, assay):
    with tempfile.TemporaryDirectory() as scratch:
        globals()[name](Repository(scratch, pathlib.Path(source), assay))
    print(f"{name} holds" + ("" if CUT_OFF else " (with the network that there is)"))


main(*sys.argv[1:])
