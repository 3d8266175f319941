"""The command `assay` of the wheel: becomes the command that the wheel carries."""
import os
import sys

from ._command import CommandError, command


def main() -> None:
    try:
        os.execv(command(), ["assay", *sys.argv[1:]])
    except (CommandError, OSError) as error:
        sys.stderr.write(f"assay: {error}\n")
        sys.exit(2)  # 1 would mean that something is violated


if __name__ == "__main__":
    main()
