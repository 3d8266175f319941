"""The notebooks of examples/notebooks, as a reader runs them: notebooks_test.py SOURCE_FOLDER PORTABLE.

Jupyter executes each in an environment that has the wheel, where neither the checkout nor a network is if this system
lets a test hide them. The texts that come out are those that the notebook stores, and what its prose has in bold is
among them. ASSAY_UPDATE_GOLDEN=1 stores the texts. Pages are not stored (examples/README.md).
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import installed

SOURCE, PORTABLE = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
NOTEBOOKS = SOURCE / "examples/notebooks"
MOST = 20 << 10  # bytes of a notebook, for pages that host it
HIDDEN = installed.hiding(SOURCE)
import nbformat  # noqa: E402


def texts_of(cell):
    """What a cell says in text: standard output, then its value. Progress and notes of standard error are for nobody."""
    outputs = []
    for one in cell.outputs:
        if one.output_type == "stream" and one.name == "stdout":
            outputs.append(nbformat.v4.new_output("stream", name="stdout", text=one.text))
        elif one.output_type == "execute_result":
            plain = {"text/plain": one.data["text/plain"]}
            outputs.append(nbformat.v4.new_output("execute_result", plain, execution_count=cell.execution_count))
    return outputs


def flat(text):
    return " ".join(text.split())


class Notebooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="assay-notebooks-")
        cls.folder = pathlib.Path(cls.scratch.name)
        installed.build(SOURCE, PORTABLE, cls.folder)
        # Debian's Jupyter, numpy and cloudpickle show through; they are not installable without a network.
        cls.bin = installed.install(cls.folder, "--system-site-packages")
        cls.environment = dict(installed.CLEAN, HOME=str(cls.folder / "home"), PYDEVD_DISABLE_FILE_VALIDATION="1")
        (cls.folder / "home").mkdir()
        installed.run(cls.bin / "python", "-m", "ipykernel", "install", "--sys-prefix", env=cls.environment)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def execute(self, path, status=0):
        """Returns the notebook with its outputs, and what nbconvert says."""
        work = self.folder / path.stem
        work.mkdir()
        shutil.copy(path, work)
        said = installed.run(*HIDDEN, self.bin / "python", "-m", "nbconvert", "--KernelManager.transport=ipc", "--to",
                             "notebook", "--execute", "--output", "executed", path.name, status=status, cwd=work,
                             env=self.environment)
        return None if status else nbformat.read(work / "executed.ipynb", 4), said

    def check(self, name):
        stored = nbformat.read(NOTEBOOKS / name, 4)
        executed, _ = self.execute(NOTEBOOKS / name)
        told = ""
        for cell, fresh in zip(stored.cells, executed.cells):
            if cell.cell_type == "code":
                for one in fresh.outputs:
                    if one.output_type == "execute_result" and "assay." in one.data["text/plain"]:
                        self.assertIn("text/html", one.data, "a report is shown as its page")
                fresh_texts = texts_of(fresh)
                told += " ".join(one.get("text") or one.data["text/plain"] for one in fresh_texts)
                if os.environ.get("ASSAY_UPDATE_GOLDEN"):
                    cell.update(outputs=fresh_texts, execution_count=fresh.execution_count)
                self.assertEqual(cell.outputs, fresh_texts, cell.source)
            else:
                for words in re.findall(r"\*\*(.+?)\*\*", cell.source, re.S):
                    self.assertIn(flat(words), flat(told), f"{name} says so in bold, and no cell before it does")
        if os.environ.get("ASSAY_UPDATE_GOLDEN"):
            nbformat.write(stored, NOTEBOOKS / name)
        self.assertLess((NOTEBOOKS / name).stat().st_size, MOST)

    def test_audit_my_bandit(self):
        self.check("audit_my_bandit.ipynb")

    def test_choose_a_mechanism(self):
        self.check("choose_a_mechanism.ipynb")

    def test_reproduce_a_figure(self):
        self.check("reproduce_a_figure.ipynb")

    def test_each_notebook_has_a_test(self):
        tested = {name[len("test_"):] for name in dir(self) if name.startswith("test_")}
        self.assertLessEqual({one.stem for one in NOTEBOOKS.glob("*.ipynb")}, tested)

    def test_links_lead_somewhere(self):
        for path in NOTEBOOKS.glob("*.ipynb"):
            for cell in nbformat.read(path, 4).cells:
                for link in re.findall(r"\]\((?!https:)([^)#]+)", cell.source if cell.cell_type == "markdown" else ""):
                    self.assertTrue((NOTEBOOKS / link).exists(), f"{path.name}: {link}")

    def test_it_is_the_wheel_that_runs_and_a_cell_that_fails_fails_the_test(self):
        path = self.folder / "fails.ipynb"
        cells = [f"import assay\nassert assay.__file__.startswith({str(self.folder)!r}), assay.__file__",
                 f"import os\nassert not {bool(HIDDEN)} or not os.path.exists({str(SOURCE / 'README.md')!r})",
                 "assay.account('gaussian')"]
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells]), path)
        self.assertIn("UsageError: ", self.execute(path, status=1)[1])


if __name__ == "__main__":
    unittest.main()
