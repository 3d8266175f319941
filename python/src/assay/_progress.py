"""The progress of a run: a bar in a notebook, one line on a terminal, and nothing elsewhere."""
import html
import shutil
import sys
from typing import Any


class _Silent:
    def __enter__(self) -> "_Silent":
        return self

    def __exit__(self, *error: Any) -> None:
        self.clear()

    def update(self, fraction: float, stage: str, found: str) -> None:
        pass

    def clear(self) -> None:
        pass


class _Line(_Silent):
    def update(self, fraction: float, stage: str, found: str) -> None:
        cells = "=" * int(12 * fraction)
        text = f"{stage:<20} [{cells:<12}] {100 * fraction:3.0f}%" + (f"; {found}" if found else "")
        most = max(20, shutil.get_terminal_size().columns - 1)  # a line that wraps cannot be redrawn
        sys.stderr.write("\r\033[K" + text[:most])
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class _Bar(_Silent):
    def __init__(self) -> None:
        self._shown: Any = None

    def update(self, fraction: float, stage: str, found: str) -> None:
        text = html.escape(stage + (f"; {found}" if found else ""))
        self._show(f'<progress value="{fraction:.4f}" max="1"></progress> {text}')

    def _show(self, text: str) -> None:
        from IPython.display import HTML, display  # there, or this would not be a notebook
        if self._shown is None:
            self._shown = display(HTML(text), display_id=True)
        else:
            self._shown.update(HTML(text))

    def clear(self) -> None:
        if self._shown is not None:
            self._show("")


def in_notebook() -> bool:
    """Says whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def progress_line() -> _Silent:
    if in_notebook():
        return _Bar()
    error = sys.stderr
    return _Line() if error is not None and error.isatty() else _Silent()
