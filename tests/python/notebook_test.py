"""The package in a notebook, with a kernel as Jupyter starts it: notebook_test.py SOURCE_FOLDER ASSAY."""
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest

SOURCE, COMMAND = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
SCRATCH = tempfile.TemporaryDirectory(prefix="assay-notebook-")
for name in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "XDG_CACHE_HOME"):
    os.environ[name] = os.path.join(SCRATCH.name, name.lower())
    os.makedirs(os.environ[name])
os.environ.update(ASSAY_COMMAND=COMMAND, PYTHONPATH=str(SOURCE / "python/src"), PYTHONDONTWRITEBYTECODE="1",
                  PYDEVD_DISABLE_FILE_VALIDATION="1")
import nbclient  # noqa: E402  after its folders are set
import nbformat  # noqa: E402

POLICY = """
import assay
class Follows:
    def __init__(self, arms, rng):
        self.arms, self.rng, self.last = arms, rng, 0.0
    def choose(self):
        return int(self.rng.random() * self.arms) if self.rng.random() < 0.2 else int(self.last > 0.5)
    def update(self, arm, reward):
        self.last = reward
settings = dict(claim="eps=1", arms=3, horizon=6, samples=1000, seed=1, method="events")
"""


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.notebook = nbformat.v4.new_notebook()
        cls.client = nbclient.NotebookClient(cls.notebook, timeout=300, kernel_name="python3", allow_errors=True)
        cls.kernel = cls.client.setup_kernel()
        cls.kernel.__enter__()
        cls.run_cell(POLICY)

    @classmethod
    def tearDownClass(cls):
        cls.kernel.__exit__(None, None, None)

    @classmethod
    def run_cell(cls, code):
        """The outputs of a cell, without the bar of its progress."""
        cell = nbformat.v4.new_code_cell(code)
        cls.notebook.cells.append(cell)
        cls.client.execute_cell(cell, len(cls.notebook.cells) - 1)
        return [one for one in cell.outputs if one.output_type != "display_data"]

    def printed(self, code):
        outputs = self.run_cell(code)
        self.assertEqual([one.output_type for one in outputs], ["stream"], outputs)
        return outputs[0].text.strip()

    def test_a_class_of_a_cell_is_audited_and_its_report_is_a_page(self):
        shown, = self.run_cell("assay.audit(Follows, **settings)")
        self.assertRegex(shown.data["text/plain"], "^<assay.AuditReport: Violated: eps at delta = 0 is at least ")
        self.assertTrue(shown.data["text/html"].startswith("<iframe srcdoc="))

    def test_a_lambda_with_a_variable_of_a_cell(self):
        self.assertEqual(self.printed("arms = 3\nprint(assay.audit(lambda shape, rng: Follows(arms, rng), "
                                      "**settings).verdict)"), "Violated")

    def test_a_fork_of_the_kernel(self):
        self.assertEqual(self.printed("import threading\nlock = threading.Lock()\nclass Locks(Follows):\n"
                                      "    def choose(self):\n        with lock:\n            print('for nobody')\n"
                                      "            return super().choose()\n"
                                      "print(assay.audit(Locks, fork=True, **settings).verdict)"), "Violated")

    def test_interrupting_the_kernel_returns_the_partial_report(self):
        mark = os.path.join(SCRATCH.name, "mark")

        def interrupt():
            while not os.path.exists(mark):
                time.sleep(0.05)
            time.sleep(1)
            os.kill(self.client.km.provisioner.process.pid, signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        said = self.printed("import time\nclass Slow(Follows):\n    def choose(self):\n        time.sleep(0.001)\n"
                            f"        return super().choose()\n    def update(self, arm, reward):\n"
                            f"        open({mark!r}, 'w').close()\n"
                            "report = assay.audit(Slow, **dict(settings, samples=10 ** 6))\n"
                            "print(report.verdict, report.error)")
        self.assertEqual(said, "Inconclusive interrupted")
        self.assertEqual(self.printed("print('the kernel goes on')"), "the kernel goes on")

    def test_an_error_is_the_command_s(self):
        error, = self.run_cell("assay.audit(Follows, claims='eps=1')")
        self.assertEqual((error.ename, error.evalue.split("\n")[0]),
                         ("UsageError", "unknown option '--claims'; did you mean '--claim'?"))


if __name__ == "__main__":
    unittest.main()
