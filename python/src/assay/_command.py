"""Runs the command `assay`: finds it, writes its options, shows its progress, and reads its report and its errors."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from ._progress import progress_line

# Beside this file in a wheel, which has the folders of an installed Assay.
_PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "assay")


class Error(Exception):
    """The command ended with an error. The text is the command's own.

    status  the exit status of the command; negative: the signal that ended it; None: it never ran
    report  the report that it left, if it left one; else None
    """

    status: Optional[int] = None
    report: Any = None

    def __init__(self, message: str, status: Optional[int] = None, report: Any = None):
        super().__init__(message)
        self.status = status
        self.report = report


class UsageError(Error):
    """Exit status 2: the command or its configuration is wrong, or a report could not be written."""


class Interrupted(Error):
    """Exit status 3 without a result: a signal ended the run from outside."""


class TargetError(Error):
    """Exit status 4: the audited program or object failed."""


class InternalError(Error):
    """Exit status 5, or an ending that the command should not have: a bug in Assay."""


class CommandError(Error):
    """The command could not be started, or a signal ended it."""


for _one in (Error, UsageError, Interrupted, TargetError, InternalError, CommandError):
    _one.__module__ = "assay"  # where users find it, and as tracebacks name it

_BY_STATUS = {2: UsageError, 3: Interrupted, 4: TargetError}


def command() -> str:
    """Returns the path of the command: ASSAY_COMMAND from the environment, else the one that the wheel carries."""
    chosen = os.environ.get("ASSAY_COMMAND")
    path = chosen or _PACKAGED
    if os.path.isfile(path) and os.access(path, os.X_OK):
        return os.path.abspath(path)
    raise CommandError(f"ASSAY_COMMAND names no program: {chosen}" if chosen else
                       f"this copy of the package has no command ({_PACKAGED}): install the wheel, or name a built "
                       "command by ASSAY_COMMAND")


def module_folder() -> str:
    """Returns the folder of assay_target.py, the module of adapters, which travels with the command."""
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(command()))), "share", "assay", "python")
    if not os.path.isfile(os.path.join(folder, "assay_target.py")):
        raise CommandError(f"the command {command()} has no assay_target.py in {folder}")
    return folder


def version() -> str:
    """Returns the version of the command, such as "0.1.0"."""
    done = subprocess.run([command(), "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    words = done.stdout.split()
    if done.returncode or len(words) < 2 or words[0] != "assay":
        raise CommandError(f"{command()} --version ended with status {done.returncode}: {done.stderr.strip()}",
                           done.returncode)
    return words[1]


def option_words(options: Dict[str, Any]) -> List[str]:
    """Returns the options of a command as it reads them: answer_time=5 is --answer-time 5.

    An underscore stands for a hyphen; one at the end goes (lambda_=1). A name of one letter has one hyphen. True is a
    flag; None and False leave the option out. A list repeats the option; a dict repeats it with KEY=VALUE; a tuple
    gives it several words.

    >>> option_words({"answer_time": 5, "stops": True, "p": {"epsilon": 2}, "transcripts": ("a", "b")})
    ['--answer-time', '5', '--stops', '-p', 'epsilon=2', '--transcripts', 'a', 'b']
    """
    words: List[str] = []
    for name, value in options.items():
        plain = name[:-1] if name.endswith("_") else name
        flag = ("-" if len(plain) == 1 else "--") + plain.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, dict):
            for key, one in value.items():
                words += [flag, f"{key}={value_word(name, one)}"]
        elif isinstance(value, list):
            for one in value:
                words += [flag, value_word(name, one)]
        elif isinstance(value, tuple):
            words += [flag] + [value_word(name, one) for one in value]
        else:
            words += [flag, value_word(name, value)]
    return words


def value_word(name: str, value: Any) -> str:
    """Returns a value as one word: a text, a number (also numpy's), or a path."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # of numpy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return value
    raise TypeError(f"{name}: a value is a text, a number or a path, not {value!r} ({type(value).__name__})")


class Outcome:
    """How a run of the command ended, and what it wrote."""

    def __init__(self, status: int, report: str, others: Dict[str, str], said: str, interrupted: bool):
        self.status = status
        self.report = report  # on standard output: JSON
        self.others = others  # by extension: ".txt", ".html"
        self.said = said      # on standard error
        self.interrupted = interrupted

    def message(self, otherwise: str = "") -> str:
        """Returns the error in the command's words."""
        said = self.said.strip()
        if said.startswith("assay: "):
            said = said[len("assay: "):]
        if self.status < 0:
            name = signal.Signals(-self.status).name if -self.status in set(signal.Signals) else str(-self.status)
            said = (said + "\n" if said else "") + f"the command was ended by {name}"
        return said or otherwise or f"the command ended with status {self.status} and said nothing"

    def error(self, report: Any = None, otherwise: str = "") -> Error:
        kind = CommandError if self.status < 0 else _BY_STATUS.get(self.status, InternalError)
        return kind(self.message(otherwise), self.status, report)


def run(words: Sequence[str], extensions: Sequence[str], feed: Optional[Iterable[bytes]] = None) -> Outcome:
    """Runs the command with its JSON report on standard output, and the same report in files with these extensions.

    feed: what its standard input gets, until the command reads no more.
    KeyboardInterrupt interrupts the command and waits for its report; a second one ends it and is raised.
    """
    folder = tempfile.mkdtemp(prefix="assay-")
    try:
        files = {one: os.path.join(folder, "report" + one) for one in extensions}
        argv = [command(), *words, "--format", "json"]
        for path in files.values():
            argv += ["-w", path]
        with open(os.path.join(folder, "out"), "w+b") as out, open(os.path.join(folder, "err"), "w+b") as err:
            status, interrupted = _wait(argv, out, err, feed)
            out.seek(0)
            err.seek(0)
            report = out.read().decode("utf-8")
            said = err.read().decode("utf-8", "replace")
        others = {}
        for extension, path in files.items():
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    others[extension] = file.read()
        return Outcome(status, report, others, said, interrupted)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(argv: List[str], out: Any, err: Any, feed: Optional[Iterable[bytes]] = None) -> Tuple[int, bool]:
    # The command ends if nobody reads the pipe of its progress: it does not outlive this process.
    mine, its = os.pipe()
    process = None
    interrupted = False
    try:
        try:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE,
                                       stdout=out, stderr=err, pass_fds=(its,),
                                       env=dict(os.environ, ASSAY_PROGRESS=str(its)))
        except OSError as error:
            raise CommandError(f"cannot start {argv[0]}: {error.strerror}") from error
        finally:
            os.close(its)
        with progress_line() as line:
            try:
                if feed is not None:
                    _feed(process.stdin, feed)  # meanwhile the command reports no progress
                _follow(mine, line)
                process.wait()
            except KeyboardInterrupt:
                interrupted = True
                process.send_signal(signal.SIGINT)  # counts once with the one from a terminal
                _follow(mine, line)
                process.wait()
    finally:
        os.close(mine)
        if process is not None and process.poll() is None:
            _end(process)
    return process.returncode, interrupted


def _feed(stream: Any, parts: Iterable[bytes]) -> None:
    """Writes the parts until the command reads no more."""
    try:
        with contextlib.suppress(BrokenPipeError):
            for part in parts:
                stream.write(part)
    finally:
        with contextlib.suppress(BrokenPipeError):
            stream.close()


def _follow(pipe: int, line: Any) -> None:
    """Shows the command's progress until the command closes the pipe."""
    rest = b""
    while True:
        some = os.read(pipe, 1 << 16)
        if not some:
            return
        *whole, rest = (rest + some).split(b"\n")
        if whole:
            fraction, stage, found = whole[-1].decode("utf-8", "replace").split("\t")
            line.update(float(fraction), stage, found)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends the command with all that it started, which end with it however it ends."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def say(text: str) -> None:
    """Repeats notes of a command that succeeded."""
    if text:
        sys.stderr.write(text)
