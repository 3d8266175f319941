#!/usr/bin/env python3
"""command_archive.py WHEEL FOLDER: writes the command of a wheel as FOLDER/assay-VERSION-linux-x86_64.tar.gz.

The archive has one folder, assay-VERSION-linux-x86_64: bin/assay, the module of adapters, and all licences. It takes them
from the wheel, so that both have the same command. The same wheel gives the same bytes. tools/package calls this, and
tools/get_assay reads the archive.
"""
import gzip
import io
import pathlib
import re
import sys
import tarfile
import zipfile


def main(wheel, folder):
    version, machine = re.fullmatch(r"dp_assay-([0-9.]+)-py3-none-[a-z0-9_]*?linux_(?:\d+_\d+_)?(x86_64)\.whl",
                                    pathlib.Path(wheel).name).groups()
    name = f"assay-{version}-linux-{machine}"
    with zipfile.ZipFile(wheel) as packed:
        files = {entry.removeprefix("assay/"): packed.read(entry) for entry in packed.namelist()
                 if entry.startswith(("assay/bin/", "assay/share/"))}
        files["LICENSE"] = packed.read(f"dp_assay-{version}.dist-info/LICENSE")
    target = pathlib.Path(folder) / f"{name}.tar.gz"
    # Neither times, nor owners, nor the order of a file system.
    with open(target, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as zipped, \
            tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(content)
            entry.mode = 0o755 if path == "bin/assay" else 0o644
            archive.addfile(entry, io.BytesIO(content))
    print(target)


main(*sys.argv[1:])
