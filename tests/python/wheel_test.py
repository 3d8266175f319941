"""The wheel as its user meets it: wheel_test.py SOURCE_FOLDER PORTABLE, PORTABLE being the folder of the built command.

It builds the wheel and the source distribution, and installs the wheel into an empty virtual environment. There it works
without a network, and without the checkout if this system lets a test hide it.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SOURCE, PORTABLE = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
LIMIT = 10 << 20  # bytes of a wheel
PARTS = ("CMakeLists.txt", "LICENSE", "assay.hpp", "cmake", "mechanisms", "policies", "auditors", "cli", "python")
CLEAN = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}
HIDDEN = ["unshare", "-rmn", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(SOURCE)]
if shutil.which("unshare") is None or subprocess.run(HIDDEN + ["test", "!", "-e", str(SOURCE / "README.md")],
                                                     capture_output=True, check=False).returncode:
    HIDDEN = []

POLICY = '''
class Coin:
    def __init__(self, arms, rng):
        self.arms, self.rng = arms, rng
    def choose(self):
        return int(self.rng.random() * self.arms)
    def update(self, arm, reward):
        pass
class Tells(Coin):
    last = 0
    def choose(self):
        return int(self.last == 1)
    def update(self, arm, reward):
        self.last = reward if self.rng.random() < 0.9 else 1 - reward
'''
USE = '''
import sys
sys.path.insert(0, sys.argv[1])
import assay
from armory import Coin, Tells
assert "numpy" not in sys.modules and assay.__file__.startswith(sys.prefix), assay.__file__
private = assay.audit(Coin, claim="eps=1", arms=2, horizon=4, samples=500, seed=1)
assert private.verdict in ("NotRefuted", "Weak"), private
leak = assay.audit(Tells, claim="eps=1", arms=2, horizon=4, samples=2000, seed=1)
assert leak.verdict == "Violated" and 1 < leak.eps.lower < 2.2, leak
class Here(Tells):
    pass
try:
    assay.audit(Here, claim="eps=1", arms=2, horizon=4)
except assay.UsageError as error:
    assert "cloudpickle" in str(error), error
else:
    raise SystemExit("a class of __main__ needs cloudpickle, which this environment lacks")
fork = assay.audit(Here, fork=True, claim="eps=1", arms=2, horizon=4, samples=2000, seed=1)
assert fork.quantities == leak.quantities and fork.pair == leak.pair, (fork, leak)
assert assay.account("gaussian", sigma=2, compose=1000, delta=1e-6).eps.upper == 199.2845688056289
assert assay.try_(assay.function(lambda values, rng: [rng.random()]), fork=True, kind="mechanism").status == 0
print(assay.__version__, leak.verdict)
'''
# A plug-in in C++ that throws: the command has its own static copy of the library of C++.
PLUGIN = '''
#include "assay_target.h"
#include <stdexcept>
static void play(const assay_shape_v1* shape, const double* input, uint64_t seed, double* output) {
  if (input[0] > 0.5 && seed % 64 == 0) throw std::runtime_error("no noise today");
  for (int64_t t = 0; t < shape->horizon; ++t) output[t] = (double)(seed >> t & 1);
}
ASSAY_TARGET("throws", "bandit", 1, play)
'''


def run(*words, status=0, **more):
    done = subprocess.run([str(one) for one in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode != status:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def version():
    return re.search(r"project\(assay VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="assay-wheel-")
        cls.folder = pathlib.Path(cls.scratch.name)
        stage = cls.folder / "stage"
        shutil.copytree(SOURCE / "python", stage)
        shutil.copy(SOURCE / "LICENSE", stage)
        for name in PARTS:
            origin, copy = SOURCE / name, stage / "source" / name
            copy.parent.mkdir(exist_ok=True)
            if origin.is_dir():
                shutil.copytree(origin, copy, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(origin, copy)
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", cls.folder / "dist", stage]
        run(*build, "--sdist")
        run(*build, "--wheel", env=dict(os.environ, ASSAY_PORTABLE=str(PORTABLE)))
        cls.wheel, = (cls.folder / "dist").glob("*.whl")
        cls.sdist, = (cls.folder / "dist").glob("*.tar.gz")
        run(sys.executable, "-m", "venv", cls.folder / "an environment")
        cls.bin = cls.folder / "an environment" / "bin"
        run(cls.bin / "pip", "install", "--no-index", "--disable-pip-version-check", cls.wheel, env=CLEAN,
            cwd=cls.folder)
        (cls.folder / "library").mkdir()
        (cls.folder / "library" / "armory.py").write_text(POLICY)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def hidden(self, *words, status=0):
        """Runs a command where neither the checkout nor a network is, if this system allows that."""
        return run(*HIDDEN, *words, status=status, env=CLEAN, cwd=self.folder)

    def test_it_is_small_and_has_the_version_of_the_command(self):
        self.assertLess(self.wheel.stat().st_size, LIMIT)
        self.assertTrue(self.wheel.name.startswith(f"dp_assay-{version()}-py3-none-"), self.wheel.name)
        self.assertEqual(self.sdist.name.lower().replace("-", "_"), f"dp_assay_{version()}.tar.gz")
        with zipfile.ZipFile(self.wheel) as archive:
            metadata = archive.read(f"dp_assay-{version()}.dist-info/METADATA").decode()
            module = archive.read("assay/share/assay/python/assay_target.py")
            self.assertIn("assay/py.typed", archive.namelist())
            entry_points = archive.read(f"dp_assay-{version()}.dist-info/entry_points.txt").decode()
            self.assertIn("[pytest11]\nassay = assay.pytest_plugin\n", entry_points)
            self.assertIn("assay/pytest_plugin.py", archive.namelist())
            licences = [name for name in archive.namelist() if name.startswith("assay/share/doc/licences/")]
            self.assertGreaterEqual(len(licences), 11, licences)
            self.assertIn(b"LGPL", archive.read("assay/share/doc/licences/libmpfr-dev"))
        self.assertNotRegex(metadata, r"(?m)^Requires-Dist: (?!.*; extra ==)")
        self.assertIn("Requires-Python: >=3.9", metadata)
        self.assertEqual(module, (SOURCE / "policies/external/assay_target.py").read_bytes())

    def test_the_tag_promises_no_more_than_the_symbols_do(self):
        """By readelf, not by what chose the tag."""
        program = PORTABLE / "bin/assay"
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program)))
        # PEP 600's own list, as far as a program without a window needs it.
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libdl.so.2",
                                      "libpthread.so.0", "librt.so.1"})
        wanted = re.findall(r"Name: (GLIBC|GCC|GLIBCXX|CXXABI)_([0-9.]+)", run("readelf", "-W", "-V", program))
        newest = {}
        for library, text in wanted:
            newest[library] = max(newest.get(library, (0,)), tuple(map(int, text.split("."))))
        tag = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_", self.wheel.name).groups()))
        self.assertLessEqual(newest["GLIBC"], tag)
        self.assertLessEqual(newest.get("GCC", (0,)), (7, 0, 0))
        self.assertNotIn("GLIBCXX", newest)
        self.assertLessEqual(tag, (2, 34), "the wheel reached older systems before")

    def test_it_works_without_the_checkout(self):
        (self.folder / "use.py").write_text(USE)
        self.assertEqual(self.hidden(self.bin / "python", "use.py", self.folder / "library"),
                         f"{version()} Violated\n")

    def test_its_command_works_without_the_checkout(self):
        self.assertIn(f"assay {version()}\n", self.hidden(self.bin / "assay", "--version"))
        said = self.hidden(self.bin / "assay", "audit", "laplace", "-p", "epsilon=2", "--claim", "eps=1", "--quiet",
                           status=1)
        self.assertEqual(said, "Violated: eps at delta = 0 is at least 1.9999; the claim allows 1\n")
        suite = self.folder / "assay.toml"
        suite.write_text('schema = "assay.suite/1"\nname = "here"\n[[audit]]\nid = "counts"\ncase = "laplace"\n'
                         'claim = "eps=1"\n')
        said = self.hidden(self.bin / "assay", "suite", "run", suite, "--history", self.folder / "history.sqlite")
        self.assertIn("Of 1 entry 1 held", said)

    def test_the_archive_of_the_command_is_fetched_by_its_checksum_and_works_without_the_checkout(self):
        """As tools/package makes it and as CI fetches it."""
        name = f"assay-{version()}-linux-x86_64"
        archive = self.folder / f"{name}.tar.gz"
        self.assertEqual(run(SOURCE / "tools/command_archive.py", self.wheel, self.folder), f"{archive}\n")
        content = archive.read_bytes()
        run(SOURCE / "tools/command_archive.py", self.wheel, self.folder)
        self.assertEqual(archive.read_bytes(), content)
        self.assertLess(len(content), LIMIT)
        with tarfile.open(archive) as listed:
            members = listed.getmembers()
        self.assertEqual({(one.uid, one.gid, one.mtime, one.isreg()) for one in members}, {(0, 0, 0, True)})
        licences = [one.name for one in members if one.name.startswith(f"{name}/share/doc/licences/")]
        self.assertGreaterEqual(len(licences), 11, licences)
        self.assertIn(f"{name}/LICENSE", [one.name for one in members])
        shutil.copy(SOURCE / "tools/get_assay", self.folder)
        words = ["sh", "get_assay", version(), hashlib.sha256(content).hexdigest(), archive, "released"]
        command = self.hidden(*words).strip()
        self.assertEqual(command, str(self.folder / "released" / name / "bin/assay"))
        said = self.hidden(command, "audit", "laplace", "-p", "epsilon=2", "--claim", "eps=1", "--quiet", status=1)
        self.assertEqual(said, "Violated: eps at delta = 0 is at least 1.9999; the claim allows 1\n")
        # Python finds the module of adapters with nothing installed.
        (self.folder / "target.py").write_text("from assay_target import serve\nserve(lambda v, s, seed: [v[0]])\n")
        said = self.hidden(command, "audit", "--exec", "/usr/bin/python3 target.py", "--kind", "mechanism", "--outputs",
                           "1", "--claim", "eps=1", "--samples", "500", "--seed", "1", "--deterministic", "--quiet", status=1)
        self.assertTrue(said.startswith("Violated"), said)

    def test_plug_ins_load_and_may_throw(self):
        compiler = shutil.which("c++") or self.skipTest("no compiler")
        (self.folder / "plugin.cpp").write_text(PLUGIN)
        (self.folder / "assay_target.h").write_text(run(self.bin / "assay", "adapter", "cpp", env=CLEAN))
        run(compiler, "-shared", "-fPIC", "-o", self.folder / "plugin.so", self.folder / "plugin.cpp")
        said = self.hidden(self.bin / "assay", "audit", "--plugin", "./plugin.so", "--arms", "2", "--horizon", "3",
                           "--claim", "eps=1", "--samples", "2000", "--seed", "1", "--method", "events", "--full",
                           status=1)
        self.assertIn("the plug-in threw an exception: no noise today", said)

    def test_import_is_fast(self):
        code = "import time; begin = time.perf_counter(); import assay; print(time.perf_counter() - begin)"
        environment = {name: value for name, value in CLEAN.items() if name != "PYTHONDONTWRITEBYTECODE"}
        spent = [float(run(self.bin / "python", "-c", code, env=environment, cwd=self.folder)) for _ in range(10)]
        print(f"import assay: {1000 * min(spent):.1f} ms", file=sys.stderr)
        modules = run(self.bin / "python", "-c", "import sys; before = set(sys.modules); import assay; "
                      "print(sorted(set(sys.modules) - before))", env=environment, cwd=self.folder)
        for heavy in ("numpy", "pytest", "subprocess", "dataclasses", "json", "assay._reports"):  # what takes the time
            self.assertNotIn(f"'{heavy}'", modules)

    def test_the_source_distribution_has_what_the_command_is_built_from(self):
        unpacked = self.folder / "unpacked"
        with tarfile.open(self.sdist) as archive:
            archive.extractall(unpacked)
        sources = next(unpacked.iterdir()) / "source"
        for part in PARTS:
            listed = subprocess.run(["git", "ls-files", "--", part], cwd=SOURCE, stdout=subprocess.PIPE, text=True,
                                    check=False).stdout.split()
            for name in listed or [part]:
                self.assertTrue((sources / name).exists(), name)
        build = self.folder / "build"
        run("cmake", "-S", sources, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DASSAY_JOIN_SOURCES=ON",
            "-DASSAY_BUILD_TESTS=OFF")
        inputs = run("ninja", "-C", build, "-t", "inputs", "assay_portable").split("\n")
        compiled = [one for one in inputs if one.startswith(str(sources)) and one.endswith(".cpp")]
        self.assertEqual([one for one in compiled if not os.path.exists(one)], [])
        self.assertIn(str(sources / "python/command/static_libraries.cpp"), compiled)


if __name__ == "__main__":
    if not HIDDEN:
        print("this system lets no test hide the checkout: it stays visible", file=sys.stderr)
    unittest.main()
