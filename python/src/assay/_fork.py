"""Serves an object by forks of this process: fork=True.

Assay starts relay.py, under the same supervision as any program. The relay connects here and sends its standard streams
over the socket; a fork of this process answers on them. When Assay ends the relay, the fork is killed with all of its
session; when the fork ends, the relay ends in the same way. A fork is no child of the supervisor: Assay limits neither
its memory nor what it sees of other processes.
"""
import contextlib
import ctypes
import importlib
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
from typing import Any, Dict, Iterator, List, Set

from . import serve
from ._command import module_folder

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38


@contextlib.contextmanager
def forking(target: Dict[str, Any]) -> Iterator[List[str]]:
    """Gives the command line of a program that a fork of this process serves."""
    modules = module_folder()
    folder = tempfile.mkdtemp(prefix="assay-")  # nobody else may enter it
    path = os.path.join(folder, "socket")
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(path)
        listener.listen(64)
        forks = _Forks(target, modules, listener)
        waiter = threading.Thread(target=forks.accept, daemon=True)
        waiter.start()
        try:
            yield [sys.executable, "-IS", os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.py"), path]
        finally:
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
            waiter.join()
            forks.end()
    finally:
        listener.close()
        shutil.rmtree(folder, ignore_errors=True)


class _Forks:
    def __init__(self, target: Dict[str, Any], modules: str, listener: socket.socket):
        self.target = target
        self.modules = modules
        self.listener = listener
        self.lock = threading.Lock()
        self.open: Set[int] = {listener.fileno()}  # descriptors of this class, which a fork closes
        self.watchers: List[threading.Thread] = []

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            watcher = threading.Thread(target=self.watch, args=(connection,), daemon=True)
            self.watchers.append(watcher)
            watcher.start()

    def end(self) -> None:
        for watcher in self.watchers:
            watcher.join(10)

    def watch(self, connection: socket.socket) -> None:
        """Forks for one relay, and waits for the end of either."""
        with connection:
            with self.lock:  # no other fork inherits what is only for this one
                _, streams, _, _ = socket.recv_fds(connection, 1, 3)
                if len(streams) != 3:
                    return
                alive, its = os.pipe()
                mine = {connection.fileno(), alive}
                process = os.fork()
                if process == 0:
                    self.serve(streams, mine)  # never returns
                self.open |= mine
                for one in (*streams, its):
                    os.close(one)
            ready, _, _ = select.select([connection, alive], [], [])
            if alive not in ready:
                for end in (os.killpg, os.kill):  # it may not have a session yet
                    with contextlib.suppress(ProcessLookupError):
                        end(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
            with self.lock:
                self.open -= mine
                os.close(alive)
            with contextlib.suppress(OSError):
                connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())

    def serve(self, streams: List[int], mine: Set[int]) -> None:
        """The fork: answers on the relay's streams, with nothing of a notebook's own left in its way."""
        status = 1
        try:
            os.setsid()
            system = ctypes.CDLL(None, use_errno=True)
            system.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            system.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            for one in self.open | mine:
                os.close(one)
            messages, answers, error = streams
            empty = os.open(os.devnull, os.O_RDONLY)
            os.dup2(empty, 0)
            os.dup2(error, 1)
            os.dup2(error, 2)
            sys.stdin = open(0, encoding="utf-8", closefd=False)
            sys.stdout = sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace",
                                           closefd=False)
            sys.path.append(self.modules)
            module = importlib.import_module("assay_target")
            os.environ["ASSAY_PROTOCOL"] = "1"  # not before: the module would take descriptors 0 and 1
            serve.serve_target(module, self.target, (messages, answers))
            status = 0
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            os._exit(status)

