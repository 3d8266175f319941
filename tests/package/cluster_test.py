"""Runs what examples/cluster/ has for GNU parallel, Slurm, Kubernetes and GitHub, each as its scheduler would, and
compares the merged report with that of one process.

cluster_test.py SOURCE_FOLDER ASSAY
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

SMALL = ["simulate", "ts-fig2", "--repetitions", "6", "--horizon", "400"]
SUITE = """schema = "assay.suite/1"
name = "two"
[[account]]
id = "a"
what = "gaussian"
sigma = 3
below = "eps=9,delta=1e-6"
[[audit]]
id = "b"
case = "laplace"
claim = "eps=1"
"""


def run(words, folder, **variables):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True,
                          env={**os.environ, **variables}, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def wrapper(folder, assay, edit=""):
    """A command `assay` in a folder of its own, which first edits its arguments, for the PATH."""
    path = folder / "bin"
    path.mkdir()
    script = path / "assay"
    script.write_text(f'#!/bin/bash\nwords=("$@")\n{edit}\nexec "{assay}" "${{words[@]}}"\n')
    script.chmod(0o755)
    return f"{path}{os.pathsep}{os.environ['PATH']}"


def gnu_parallel(source, assay, folder):
    expected = run([assay, *SMALL, "--format", "csv"], folder)
    script = source / "examples/cluster/gnu_parallel.sh"
    assert run([script, "4", *SMALL, "--format", "csv"], folder, ASSAY=assay) == expected
    # A report is written by the merge, and only by it.
    run([script, "2", *SMALL, "-w", "out.csv"], folder, ASSAY=assay)
    assert (folder / "out.csv").read_text() == expected


def slurm(source, assay, folder):
    path = wrapper(folder, assay, 'words=("${words[@]//100000/6}" --horizon 400)')
    for task in (1, 2, 3):
        run(["bash", source / "examples/cluster/slurm.sh"], folder, PATH=path,
            SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_COUNT="3")
    files = sorted((folder / "shards").glob("*.assay"))
    expected = run([assay, *SMALL, "--format", "csv"], folder)
    assert run([assay, "merge", *files, "--format", "csv"], folder) == expected


def kubernetes(source, assay, folder):
    (folder / "assay.toml").write_text(SUITE)
    job = yaml.safe_load((source / "examples/cluster/kubernetes.yaml").read_text())["spec"]
    assert job["completionMode"] == "Indexed"
    container = job["template"]["spec"]["containers"][0]
    shell = container["args"][0].replace("/shards/", f"{folder}/")
    path = wrapper(folder, assay)
    for index in range(job["completions"]):
        run([*container["command"], shell], folder, PATH=path, JOB_COMPLETION_INDEX=str(index))
    files = sorted(folder.glob("*.assay"))
    assert len(files) == job["completions"]
    assert "2 held" in run([assay, "merge", *files, "--quiet"], folder)


def github(source, assay, folder):
    (folder / "assay.toml").write_text(SUITE)
    jobs = yaml.safe_load((source / "examples/cluster/github.yml").read_text())["jobs"]
    shards = jobs["shard"]["strategy"]["matrix"]["shard"]

    def script(job):
        return next(step["run"] for step in jobs[job]["steps"] if "run" in step)

    for shard in shards:
        text = script("shard").replace("${{ matrix.shard }}", str(shard))
        run(["bash", "-e", "-c", text], folder, GET_ASSAY=f"echo {assay}")
    run(["bash", "-e", "-c", script("merge")], folder, GET_ASSAY=f"echo {assay}")
    assert "suite.html" in os.listdir(folder)


def main():
    source, assay = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    assert shutil.which("parallel"), "GNU parallel is missing"
    for test in (gnu_parallel, slurm, kubernetes, github):
        with tempfile.TemporaryDirectory() as folder:
            test(source, assay, pathlib.Path(folder))
        print(f"{test.__name__}: as one process")


main()
