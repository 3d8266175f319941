"""tools/get_assay, which fetches a release for CI, and what a release promises: release_test.py SOURCE_FOLDER [--write].

A server on this machine has the archives. Their command leaves a file when it runs, so that a test sees whether it did.
released_interface.json has what users of the last release rely on, by docs/what-may-change.md; --write writes it again,
which a release does.
"""
import ast
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


RELEASED = SOURCE / "tests/package/released_interface.json"


def text_of(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def keys_below(node, name=""):
    """Every key of a schema with the key that it is below, and every value of a list of choices."""
    if isinstance(node, list):
        for one in node:
            yield from keys_below(one, name)
    if not isinstance(node, dict):
        return
    for value in node.get("enum", []):
        if isinstance(value, str):
            yield f"{name}={value}".replace(" ", "_")
    for key, below in node.items():
        if key == "properties":
            for one, part in below.items():
                yield f"{name}.{one}"
                yield from keys_below(part, one)
        else:
            yield from keys_below(below, name)


def keys_of_formats():
    """Of each format of schemas/, by its name and version."""
    formats = {}
    for path in sorted((SOURCE / "schemas").glob("*.json")):
        text = path.read_text(encoding="utf-8")
        if path.name.startswith("protocol."):
            number, = re.findall(r"kProtocolVersion = (\d+);", text_of("policies/external/process_target.hpp"))
            name = f"protocol/{number}"
        else:
            name, = set(re.findall(r'"const": "(assay\.[a-z-]+/\d+)"', text))
        formats[name] = set(keys_below(json.loads(text)))
    return formats


def names_of_python():
    """The functions and classes of the package, and the fields and properties of its reports."""
    names = set()
    for path in (SOURCE / "python/src/assay").glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and path.name == "__init__.py":
                names |= {node.name, *(f"{node.name}({one.arg})" for one in node.args.args + node.args.kwonlyargs)}
            if isinstance(node, ast.ClassDef):
                names.add(node.name)
                for one in node.body:
                    field = one.target.id if isinstance(one, ast.AnnAssign) else getattr(one, "name", "_")
                    names.add(f"{node.name}.{field}")
    return {one for one in names if not re.search(r"(^|\.)_", one)}


def interface():
    header = re.sub(r"/\*.*?\*/", "", text_of("policies/external/assay_policy_v1.h"), flags=re.S)
    structs = [" ".join(one.split()) for one in re.findall(r"^typedef struct .*?^\} \w+;", header, re.M | re.S)]
    abi, = re.findall(r"ASSAY_POLICY_ABI (\d+)u", header)
    codes = re.search(r"enum ExitCode : int \{(.*?)\};", text_of("cli/exit_codes.hpp"), re.S)[1]
    return {"exit codes": " ".join(f"{name}={number}" for name, number in re.findall(r"(k\w+) = (\d)", codes)),
            f"plug-in/{abi}": " ".join(structs),
            "python": " ".join(sorted(names_of_python())),
            **{name: " ".join(sorted(keys)) for name, keys in keys_of_formats().items()}}


class Promises(unittest.TestCase):
    """Of docs/what-may-change.md to users of the last release."""

    def setUp(self):
        self.released = json.loads(RELEASED.read_text(encoding="utf-8"))
        self.now = interface()

    def test_what_is_gone_or_changed_has_another_version(self):
        older = set(re.findall(r'formerly = "([a-z-]+)"', "".join(
            path.read_text(encoding="utf-8") for path in (SOURCE / "auditors").rglob("*.cpp"))))
        self.assertGreaterEqual(len(older), 4)
        for name, words in self.released.items():
            with self.subTest(name):
                family, _, version = name.partition("/")
                if version and name not in self.now:
                    later = [int(one.split("/")[1]) for one in self.now if one.startswith(f"{family}/")]
                    self.assertTrue(later and later[0] > int(version), f"{name} is gone without a later version")
                elif family in ("plug-in", "exit codes"):
                    self.assertEqual(self.now[name], words)
                else:
                    gone = {one for one in set(words.split()) - set(self.now[name].split())
                            if name != "assay.suite/1" or one.split(".")[-1] not in older}
                    self.assertEqual(gone, set(), f"{name} lacks what the last release had: raise its version, or keep it")

    def test_the_list_is_of_every_format(self):
        self.assertEqual({one.split("/")[0] for one in self.released} - {one.split("/")[0] for one in self.now}, set())
        self.assertIn("AuditReport.verdict", self.released["python"].split())
        self.assertIn("verdict=Violated", self.released["assay.audit-report/2"].split())
        self.assertIn("audit.claim", self.released["assay.suite/1"].split())
        self.assertIn("int64_t arms;", self.released["plug-in/1"])


class Statements(unittest.TestCase):
    """Of the version, in every file that states it, and of the formats that docs/what-may-change.md lists."""

    def found(self, path, pattern):
        found = re.findall(pattern, text_of(path), re.M)
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
        text = text_of("CHANGELOG.md")
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
        formats = {one for one in keys_of_formats() if one.startswith("assay.")}
        self.assertGreaterEqual(len(formats), 17)
        formats |= set(self.found("auditors/suite/baseline.hpp", r'kBaselineSchema = "(\S+)"'))
        page = "docs/what-may-change.md"
        self.assertEqual(set(self.found(page, r"`(assay\.[a-z-]+/\d+)`")), formats)
        for path, constant, word in (("policies/external/process_target.hpp", "kProtocolVersion", "assay_protocol"),
                                     ("policies/external/recorded_runs.cpp", "kFormatVersion", "assay_transcripts"),
                                     ("auditors/suite/history.cpp", "kHistoryVersion", "user_version"),
                                     ("policies/external/assay_policy_v1.h", "ASSAY_POLICY_ABI", "ASSAY_POLICY_ABI")):
            number, = self.found(path, rf"\b{constant}(?: =)? (\d+)u?;?$")
            self.assertEqual(self.found(page, rf"`{word}` (\d+)"), [number], path)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        RELEASED.write_text(json.dumps(interface(), indent=1) + "\n", encoding="utf-8")
    else:
        unittest.main()
