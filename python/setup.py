"""Builds the wheel of dp-assay: the package, the built command, and the module of adapters.

The sources of the command are in source/ (in a source distribution) or in the folder above (in a checkout). CMake
builds the command from them, unless ASSAY_PORTABLE names one that is built. tools/package calls this.
"""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = next((one for one in (HERE / "source", HERE.parent) if (one / "CMakeLists.txt").is_file()), None)
if SOURCE is None:
    raise SystemExit("dp-assay: the sources of the command are neither in source/ nor in the folder above")
# A system that has a C library has these, too, in the versions that go with it.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
# What the command contains of others, by Debian's packages. Their licences ask that these texts come with it.
CONTAINED = ("libssl-dev", "libsqlite3-dev", "libmpfr-dev", "libgmp-dev", "libfmt-dev", "libtomlplusplus-dev",
             "nlohmann-json3-dev", "libcli11-dev", "libeigen3-dev", "libexpected-dev", "libstdc++-*-dev")


def version():
    return re.search(r"project\(assay VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def built_command():
    """Returns the folder that has bin/assay, linked statically but for the C library, and share/assay/python."""
    if "ASSAY_PORTABLE" in os.environ:
        return pathlib.Path(os.environ["ASSAY_PORTABLE"])
    lacking = [name for name in ("cmake", "objdump", os.environ.get("CXX", "c++")) if shutil.which(name) is None]
    if lacking:
        raise SystemExit(f"dp-assay: building the command needs {', '.join(lacking)}; its other needs are listed in "
                         "tools/packages.txt of the project. A wheel needs none of them.")
    build = HERE / "build" / "command"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                    "-DASSAY_JOIN_SOURCES=ON", "-DASSAY_BUILD_TESTS=OFF", "-DASSAY_NEEDS_PORTABLE=ON", *generator], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "assay_portable", "--parallel",
                    str(os.cpu_count() or 1)], check=True)
    return build / "portable"


def platform_tag(program):
    """Returns the tag of the oldest systems that run the program, judging by the symbols that it needs.

    Its libraries must be part of every such system. "linux_..." promises nothing about other systems.
    """
    machine = os.uname().machine
    shown = subprocess.run(["objdump", "-p", "-T", str(program)], check=True, stdout=subprocess.PIPE, text=True).stdout
    others = set(re.findall(r"^ +NEEDED +(\S+)", shown, re.M)) - OF_THE_SYSTEM
    needed = [tuple(map(int, one.split("."))) for one in re.findall(r"\bGLIBC_([0-9.]+)", shown)]
    if machine != "x86_64" or others or not needed:
        print(f"dp-assay: no manylinux tag for {program}: {machine}, {sorted(others)}")
        return f"linux_{machine}"
    major, minor = max(max(needed)[:2], (2, 17))
    return f"manylinux_{major}_{minor}_{machine}"


class WithCommand(build_py):
    def run(self):
        super().run()
        built = built_command()
        package = pathlib.Path(self.build_lib) / "assay"
        for name in ("bin/assay", "share/assay/python/assay_target.py"):
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(built / name, package / name)
        WithTag.program = package / "bin/assay"
        licences = package / "share/doc/licences"
        licences.mkdir(parents=True, exist_ok=True)
        for name in CONTAINED:
            found = sorted(pathlib.Path("/usr/share/doc").glob(name + "/copyright"))
            if not found:
                print(f"dp-assay: add the licence of {name} before you pass this wheel on: /usr/share/doc has none")
            for text in found:
                shutil.copy(text, licences / text.parent.name)


class WithTag(bdist_wheel):
    program = None

    def get_tag(self):
        return "py3", "none", platform_tag(self.program) if self.program else f"linux_{os.uname().machine}"


class WithBinary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), distclass=WithBinary, cmdclass={"build_py": WithCommand, "bdist_wheel": WithTag})
