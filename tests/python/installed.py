"""The wheel of the checkout, installed into an environment of its own, for tests that meet it as its users do."""
import os
import pathlib
import shutil
import subprocess
import sys

CLEAN = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}
PARTS = ("CMakeLists.txt", "LICENSE", "assay.hpp", "cmake", "mechanisms", "policies", "auditors", "cli", "python")


def run(*words, status=0, **more):
    done = subprocess.run([str(one) for one in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode != status:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def hiding(source):
    """Returns words before a command that run it without the checkout and a network; none if the system forbids it."""
    words = ["unshare", "-rmn", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(source)]
    if shutil.which("unshare") is None or subprocess.run(words + ["test", "!", "-e", str(source / "README.md")],
                                                         capture_output=True, check=False).returncode:
        print("this system lets no test hide the checkout: it stays visible", file=sys.stderr)
        return []
    return words


def build(source, portable, folder, kinds=("wheel",)):
    """Builds packages into folder/dist. portable: the folder of the built command, for the wheel."""
    stage = folder / "stage"
    shutil.copytree(source / "python", stage)
    shutil.copy(source / "LICENSE", stage)
    for name in PARTS if "sdist" in kinds else ("CMakeLists.txt",):
        origin, copy = source / name, stage / "source" / name
        copy.parent.mkdir(exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(origin, copy)
    for kind in kinds:
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", stage, f"--{kind}",
            env=dict(os.environ, ASSAY_PORTABLE=str(portable)) if kind == "wheel" else None)


def install(folder, *options):
    """Installs folder/dist/*.whl into a new environment, and returns the folder of its programs."""
    environment = folder / "an environment"
    run(sys.executable, "-m", "venv", *options, environment)
    wheel, = (folder / "dist").glob("*.whl")
    run(environment / "bin/pip", "install", "--no-index", "--disable-pip-version-check", wheel, env=CLEAN, cwd=folder)
    return pathlib.Path(environment / "bin")
