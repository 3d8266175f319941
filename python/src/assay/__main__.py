"""The command `assay` of the wheel: becomes the command that the wheel carries."""
import os
import sys

from ._command import CommandError, command


def main() -> None:
    try:
        path = command()
    except CommandError as error:
        sys.exit(f"assay: {error}")
    os.execv(path, ["assay", *sys.argv[1:]])


if __name__ == "__main__":
    main()
