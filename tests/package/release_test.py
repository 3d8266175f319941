"""tools/get_assay, which fetches a release for CI, and what a release states of itself: release_test.py SOURCE_FOLDER.

A server on this machine has the archives. Their command leaves a file when it runs, so that a test sees whether it did.
"""
import functools
import hashlib
import http.server
import io
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
NAME = "assay-1.2.3-linux-x86_64"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802
        self.server.asked.append(self.path)
        answer = self.server.answers.get(self.path, 404)
        if isinstance(answer, bytes):
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        elif isinstance(answer, str):
            self.send_response(302)
            self.send_header("Location", answer)
            self.end_headers()
        else:
            self.send_error(answer)

    def log_message(self, *_):
        pass


def serve(certificate=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.answers, server.asked = {}, []
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=functools.partial(server.serve_forever, poll_interval=0.05), daemon=True).start()
    return server


def packed(program, name=NAME):
    """An archive with a program of one line of sh."""
    content = f"#!/bin/sh\ntouch \"$RAN\"\n{program}\n".encode()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo(f"{name}/bin/assay")
        entry.size, entry.mode = len(content), 0o755
        archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def digest(content):
    return hashlib.sha256(content).hexdigest()


class GetAssay(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="assay-release-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.into = self.scratch / "a folder"
        self.ran = self.scratch / "ran"
        self.home = self.scratch / "home"
        self.home.mkdir()
        self.good = packed("echo assay 1.2.3; echo a build")
        self.path = self.keep(self.good)

    def keep(self, content, name="archive.tar.gz"):
        path = self.scratch / name
        path.write_bytes(content)
        return path

    def get(self, *words, **environment):
        self.ran.unlink(missing_ok=True)
        return subprocess.run(["sh", SOURCE / "tools/get_assay", *map(str, words)], cwd=self.scratch, check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.home), "RAN": str(self.ran),
                                   **environment})

    def gives(self, *words, **environment):
        done = self.get(*words, self.into, **environment)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.into}/{NAME}/bin/assay\n"), done.stderr)
        self.assertEqual([one.name for one in self.into.iterdir()], [NAME])
        said = subprocess.run([done.stdout[:-1], "--version"], env={"RAN": "/dev/null", "PATH": "/usr/bin:/bin"},
                              check=True, capture_output=True, text=True)
        self.assertEqual(said.stdout, "assay 1.2.3\na build\n")

    def refuses(self, why, *words, ran=False, **environment):
        """The exit status is 2, no command is left, none ran."""
        done = self.get(*words, self.into, **environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(why, done.stderr)
        self.assertEqual(self.ran.exists(), ran, done.stderr)
        self.assertEqual(list(self.into.iterdir()) if self.into.exists() else [], [])

    def test_an_archive_with_the_stated_checksum_runs(self):
        self.gives("1.2.3", digest(self.good), self.path)
        self.gives("1.2.3", digest(self.good), self.path)  # again, over the first
        self.gives("1.2.3", digest(self.good), "archive.tar.gz")

    def test_an_archive_with_another_checksum_does_not_run(self):
        self.gives("1.2.3", digest(self.good), self.path)
        other = self.keep(packed("echo assay 1.2.3; echo another build"))
        self.refuses(f"is {digest(other.read_bytes())}, not {digest(self.good)}", "1.2.3", digest(self.good), other)
        cut = self.keep(self.good[:-1])  # half a download
        self.refuses("nothing of it was run", "1.2.3", digest(self.good), cut)

    def test_without_a_checksum_nothing_is_fetched(self):
        self.refuses("no checksum: state the SHA-256 of assay-1.2.3-linux-x86_64.tar.gz", "1.2.3", "", self.path)
        whole = digest(self.good)
        self.refuses("the checksum has 63 digits", "1.2.3", whole[1:], self.path)
        for sha256 in (whole.upper(), "SHA256", f"{whole}\n", f"{whole} *", "-"):
            self.refuses("expected the 64 lower-case hexadecimal digits", "1.2.3", sha256, self.path)

    def test_wrong_arguments_are_refused(self):
        whole = digest(self.good)
        for version in ("", "1.2", "1.2.3.4", "v1.2.3", "../1.2.3", "1..3", ".1.2", "1.2.", "1.2.3 "):
            self.refuses("expected three numbers, as 0.2.0", version, whole, self.path)
        for address in ("", "http://127.0.0.1/a", "file:///a", "ftp://a/b", "HTTPS://a/b"):
            self.refuses("expected https://... or a path", "1.2.3", whole, address)
        self.refuses("cannot read /nonexistent/archive", "1.2.3", whole, "/nonexistent/archive")
        for words in ((), ("1.2.3", whole, self.path), ("1.2.3", whole, self.path, self.into, "more")):
            done = self.get(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("usage: get_assay VERSION SHA256 ADDRESS FOLDER", done.stderr)
        self.assertIn("the folder for the command is empty", self.get("1.2.3", whole, self.path, "").stderr)

    def test_an_archive_of_something_else_is_refused(self):
        for content, why, ran in ((b"no archive", "cannot unpack", False),
                                  (packed("echo assay 1.2.3", "assay-1.2.4-linux-x86_64"),
                                   "it is not the archive of version 1.2.3", False),
                                  (packed("echo assay 1.2.30"), "it is 'assay 1.2.30', not version 1.2.3", True),
                                  (packed("exit 1"), "later of the GNU C library", True)):
            self.refuses(why, "1.2.3", digest(content), self.keep(content), ran=ran)

    def test_other_machines_are_refused(self):
        stub = self.scratch / "stubs/uname"
        stub.parent.mkdir()
        stub.write_text('#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo aarch64\n')
        stub.chmod(0o755)
        self.refuses("this is Linux aarch64: build it from source", "1.2.3", digest(self.good), self.path,
                     PATH=f"{stub.parent}:{os.environ['PATH']}")

    def test_addresses_are_fetched_by_https_alone(self):
        certificate = self.scratch / "server.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", certificate.with_suffix(".key"), "-out", certificate], check=True, capture_output=True)
        open_to_all, server = serve(), serve(certificate)
        for one in (open_to_all, server):
            self.addCleanup(one.server_close)
            self.addCleanup(one.shutdown)
        here = f"https://localhost:{server.server_port}"
        server.answers.update({"/release": "/stored", "/stored": self.good, "/changed": self.good[:-1],
                               "/down": f"http://localhost:{open_to_all.server_port}/stored"})
        open_to_all.answers["/stored"] = self.good
        trusting = {"CURL_CA_BUNDLE": str(certificate), "no_proxy": "localhost"}
        self.gives("1.2.3", digest(self.good), f"{here}/stored", **trusting)
        self.gives("1.2.3", digest(self.good), f"{here}/release", **trusting)  # redirected, as GitHub's are
        self.refuses("not the archive that was asked for", "1.2.3", digest(self.good), f"{here}/changed", **trusting)
        self.refuses("cannot fetch", "1.2.3", digest(self.good), f"{here}/none", **trusting)
        self.refuses("cannot fetch", "1.2.3", digest(self.good), f"{here}/down", **trusting)
        self.assertEqual(open_to_all.asked, [])
        server.asked.clear()
        self.refuses("no checksum", "1.2.3", "", f"{here}/stored", **trusting)
        # A server that nobody vouches for, and a user whose settings do not mind.
        (self.home / ".curlrc").write_text("insecure\n")
        self.refuses("cannot fetch", "1.2.3", digest(self.good), f"{here}/stored", no_proxy="localhost")
        self.assertEqual(server.asked, [])

    def test_an_address_needs_curl(self):
        tools = self.scratch / "tools"
        tools.mkdir()
        for name in ("sh", "uname", "mkdir", "rm", "mktemp", "cp", "sha256sum", "tar", "gzip", "mv", "touch"):
            (tools / name).symlink_to(shutil.which(name))
        self.refuses("needs curl, or the path", "1.2.3", digest(self.good), "https://localhost/a", PATH=str(tools))
        done = self.get("1.2.3", digest(self.good), self.path, self.into, PATH=str(tools))  # and a path needs no more
        self.assertEqual(done.returncode, 0, done.stderr)


class Statements(unittest.TestCase):
    """Of the version, in every file that states it, and of the formats that docs/what-may-change.md lists."""

    def found(self, path, pattern):
        found = re.findall(pattern, (SOURCE / path).read_text(encoding="utf-8"), re.M)
        self.assertTrue(found, f"{path} has no {pattern}")
        return found

    def test_every_file_states_the_same_version(self):
        version, = self.found("CMakeLists.txt", r"^project\(assay VERSION (\S+)")
        self.assertEqual(self.found("CITATION.cff", r"^version: (\S+)"), [version])
        first, *_ = self.found("CHANGELOG.md", r"^## \[(\d\S*)\] - \d{4}-\d\d-\d\d$")
        self.assertEqual(first, version)
        for path in ("action.yml", "docs/ci.md", "examples/ci/gitlab-ci.yml", "examples/ci/Jenkinsfile", "tools/get_assay"):
            self.assertEqual(set(self.found(path, r"(?<![\d.])\d+\.\d+\.\d+(?![\d.])")), {version}, path)

    def test_the_changelog_has_one_section_for_each_kind_of_change(self):
        text = (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
        unreleased, *releases = re.split(r"^## \[", text, flags=re.M)[1:]
        self.assertTrue(unreleased.startswith("Unreleased]\n"))
        dates = [re.match(r"\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d)\n", one)[1] for one in releases]
        self.assertEqual(dates, sorted(dates, reverse=True))
        self.assertEqual(self.found("CITATION.cff", r'^date-released: "(\S+)"')[0], dates[0])
        kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
        for section in (unreleased, *releases):
            named = re.findall(r"^### (.*)$", section, re.M)
            self.assertEqual(named, [kind for kind in kinds if kind in named])

    def test_the_page_of_changes_has_the_versions_of_all_formats(self):
        formats = set()
        for path in (SOURCE / "schemas").glob("*.json"):
            formats |= set(re.findall(r'"const": "(assay\.[a-z-]+/\d+)"', path.read_text(encoding="utf-8")))
        self.assertGreaterEqual(len(formats), 17)
        formats |= set(self.found("auditors/suite/baseline.hpp", r'kBaselineSchema = "(\S+)"'))
        page = "docs/what-may-change.md"
        self.assertEqual(set(self.found(page, r"`(assay\.[a-z-]+/\d+)`")), formats)
        for path, constant, word in (("policies/external/process_target.hpp", "int kProtocolVersion", "assay_protocol"),
                                     ("policies/external/recorded_runs.cpp", "int kFormatVersion", "assay_transcripts"),
                                     ("auditors/suite/history.cpp", "kHistoryVersion", "user_version")):
            number, = self.found(path, rf"constexpr .*{constant.split()[-1]} = (\d+);")
            self.assertEqual(self.found(page, rf"`{word}` (\d+)"), [number], path)
        schema = json.loads((SOURCE / "schemas/protocol.schema.json").read_text(encoding="utf-8"))
        self.assertIn("version 1", schema["title"])


if __name__ == "__main__":
    unittest.main()
