"""Runs the commands of action.yml, examples/ci/ and .pre-commit-hooks.yaml in a scratch git repository, with a
regression planted and with none, without a network where a user may cut it off. A release is an archive on this machine.

ci_snippets_test.py SOURCE_FOLDER NAME ASSAY, NAME being action, gitlab, jenkins or pre_commit.
"""
import hashlib
import html
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
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
        self.release(assay)
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

    def release(self, assay):
        """The archive of a release, which starts the command of this build, and the script that fetches it."""
        self.version = re.search(r"\Aassay (\S+)", subprocess.run([assay, "--version"], check=True, text=True,
                                                                 stdout=subprocess.PIPE).stdout)[1]
        self.archive = self.scratch / f"assay-{self.version}-linux-x86_64.tar.gz"
        content = f"#!/bin/sh\nexec {shlex.quote(assay)} \"$@\"\n".encode()
        with tarfile.open(self.archive, "w:gz") as archive:
            entry = tarfile.TarInfo(f"assay-{self.version}-linux-x86_64/bin/assay")
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
        self.sha256 = hashlib.sha256(self.archive.read_bytes()).hexdigest()
        (self.folder / "ci").mkdir()
        shutil.copy(self.source / "tools/get_assay", self.folder / "ci")

    def without_command(self):
        """No assay in PATH."""
        (self.scratch / "bin/assay").unlink()

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
    own = repository.scratch / "_actions/an owner/assay/v1/tools"
    own.mkdir(parents=True)
    shutil.copy(repository.source / "tools/get_assay", own)
    built = own / "run"
    built.write_text("#!/bin/sh\ntouch \"$0.ran\"\nexec assay \"$@\"\n")
    built.chmod(0o755)
    temporary = repository.scratch / "temporary"
    released = dict(version=repository.version, sha256=repository.sha256, url=str(repository.archive))

    def run(status, refused=False, **inputs):
        files = {name: repository.scratch / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        shutil.rmtree(temporary, ignore_errors=True)
        values = {f"inputs.{name}": one.get("default", "") for name, one in definition["inputs"].items()}
        inputs = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert set(inputs) <= set(definition["inputs"]), inputs
        values.update({f"inputs.{name}": value for name, value in inputs.items()})
        values.update({"github.action_path": str(own.parent), "github.sha": "0123abcd", "github.action_repository": "",
                       "github.server_url": "https://git.example.invalid", "runner.temp": str(temporary)})
        said = ""
        for step in steps[:1] if refused else steps:
            assert "${{" not in step["run"]
            environment = {name: re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: values[match[1]], text)
                           for name, text in step["env"].items()}
            last = refused or step is steps[-1]
            said = repository.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                                  status if last else 0, **environment,
                                  **{name: str(file) for name, file in files.items()})
            for line in files["GITHUB_OUTPUT"].read_text().splitlines():
                name, value = line.split("=", 1)
                values[f"steps.{step['id']}.outputs.{name}"] = value
        sarif = values.get("steps.check.outputs.sarif")
        results = json.loads(pathlib.Path(sarif).read_text())["runs"][0]["results"] if sarif else None
        return said, html.unescape(files["GITHUB_STEP_SUMMARY"].read_text()), results

    said, summary, results = run(0, **released)
    assert ENTRY in summary and results == [] and "::error" not in said, (said, summary, results)
    assert (repository.folder / ".assay/history.sqlite").exists()  # what the cache hands on
    repository.run(["assay", "suite", "update", "--baseline", "base line.toml"])
    said, _, _ = run(0, assay="assay", baseline="base line.toml")
    assert re.search(r"Run +3, with alpha", said), said  # it goes on in the history
    run(0, assay="assay", tier="smoke", history="none")
    said, summary, results = run(2, suite="no such.toml", **released)
    assert summary == "" and results is None and "no such.toml" in said, (said, summary, results)
    assert not (own / "run.ran").exists()
    run(0, build_from_source="true", history="none")  # only when it is asked for
    assert (own / "run.ran").exists()

    def refuses(why, **inputs):
        said, summary, results = run(2, refused=True, **inputs)
        assert re.search("^::error title=Assay::.*" + re.escape(why), said, re.M), said
        assert summary == "" and results is None
        assert not list(temporary.glob("assay-command/*/bin/assay")) and "assay " + repository.version not in said, said

    (own / "run.ran").unlink()
    refuses("no checksum", **{**released, "sha256": ""})
    refuses("nothing of it was run", **{**released, "sha256": repository.sha256[::-1]})
    refuses("which assay runs?")
    refuses("which assay runs?", **{**released, "version": ""})
    refuses("which assay runs?", assay="assay", **released)
    refuses("which assay runs?", build_from_source="true", **released)
    refuses("sha256 and url belong to a version", assay="assay", sha256=repository.sha256)
    refuses("neither true nor false", build_from_source="yes", **released)
    # Without an address it is the release of the action's own repository.
    curl = repository.scratch / "bin/curl"
    curl.write_text("#!/bin/sh\nexit 22\n")
    curl.chmod(0o755)
    refuses(f"https://git.example.invalid/an owner/assay/releases/download/v{repository.version}/{repository.archive.name}",
            **{**released, "url": ""})
    assert not (own / "run.ran").exists()
    repository.plant()
    said, summary, results = run(1, baseline="base line.toml", **released)
    assert ENTRY in summary and len(results) >= 1 and "::error file=assay.toml" in said, (said, summary, results)


def of_release(repository, stated):
    """What the job states of its release, with the archive of this machine in place of the address and the checksum."""
    assert stated["ASSAY_VERSION"] == repository.version, stated
    assert stated["ASSAY_URL"].endswith(f"/v{repository.version}/{repository.archive.name}"), stated
    assert stated["ASSAY_SHA256"] == "SHA256", stated
    return {**stated, "ASSAY_URL": str(repository.archive), "ASSAY_SHA256": repository.sha256}


def refuses_another(repository, script, variables):
    """The job ends, and no command runs, if the archive is not the stated one or no checksum is stated."""
    repository.without_command()
    for sha256, why in (("0" * 64, "nothing of it was run"), ("", "no checksum")):
        said = repository.run(script, 2, **{**variables, "ASSAY_SHA256": sha256})
        assert why in said, said
        assert not (repository.folder / "assay.xml").exists()


def both(repository, check):
    check(0)
    assert (repository.folder / ".assay/history.sqlite").exists()
    repository.plant()
    check(1)


def junit_failures(repository):
    return len(xml.etree.ElementTree.parse(repository.folder / "assay.xml").findall(".//failure"))


def gitlab(repository):
    job = yaml.safe_load((repository.source / "examples/ci/gitlab-ci.yml").read_text())["assay"]
    assert job["artifacts"]["reports"] == {"junit": "assay.xml", "codequality": "assay-quality.json"}
    variables = {name: text.replace("$CI_COMMIT_SHA", "0123abcd") for name, text in job["variables"].items()}
    variables = of_release(repository, {**variables, "CI_JOB_ID": "17", "TMPDIR": str(repository.scratch)})
    script = ["sh", "-e", "-c", "\n".join(job["script"])]
    refuses_another(repository, script, variables)

    def check(status):
        repository.run(script, status, **variables)
        assert junit_failures(repository) == status
        issues = json.loads((repository.folder / "assay-quality.json").read_text())
        assert [issue["location"]["path"] for issue in issues] == ["assay.toml"] * status, issues
        assert "recordings of a service" in html.unescape((repository.folder / "assay.md").read_text())

    both(repository, check)


def jenkins(repository):
    text = (repository.source / "examples/ci/Jenkinsfile").read_text()
    (script,) = re.findall(r"sh '''(.*?)'''", text, re.S)
    variables = of_release(repository, {**dict(re.findall(r"(ASSAY_\w+) = '(.*)'", text)), "ASSAY_REVISION": "0123abcd",
                                        "WORKSPACE_TMP": str(repository.scratch / "a workspace@tmp")})
    script = ["sh", "-xe", "-c", script]
    refuses_another(repository, script, variables)

    def check(status):
        repository.run(script, status, **variables)
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
