"""Stands between Assay and a target and adds what both say to a file: record_protocol.py LOG COMMAND..."""

import subprocess
import sys


def main(log_path, command):
    with open(log_path, "a", encoding="utf-8") as log, subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as target:
        for line in sys.stdin:
            log.write(line)
            target.stdin.write(line)
            target.stdin.flush()
            answer = target.stdout.readline()
            log.write(answer)
            log.flush()
            sys.stdout.write(answer)
            sys.stdout.flush()
        target.stdin.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
