"""Hands its standard streams to the process that forks an object for Assay, and ends as that object's process ends.

relay.py SOCKET: see _fork.py.
"""
import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    socket.send_fds(connection, [b"."], [0, 1, 2])
    # Standard output stays open here: Assay shall see its end together with the end of this process.
    answer = connection.recv(16)
if not answer:
    sys.exit("the process that forks has ended")
status = int(answer)
if status < 0:
    signal.signal(-status, signal.SIG_DFL) if -status not in (signal.SIGKILL, signal.SIGSTOP) else None
    os.kill(os.getpid(), -status)
sys.exit(status)
