// The files of a Python program that its import statements name.
#include "assay/auditors/suite/python_imports.hpp"

#include <algorithm>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

class PythonImports : public ::testing::Test {
 protected:
  // The imports of this program, without their folder.
  std::string of(const std::string& program) const {
    const std::string script = folder_.write("program.py", program);
    std::string text;
    for (const std::string& file : python_imports(script)) {
      text += (text.empty() ? "" : " ") + file.substr(folder_.path().string().size() + 1);
    }
    return text;
  }
  TemporaryFolder folder_;
};

TEST_F(PythonImports, AreTheFilesOfItsFolder) {
  for (const char* file : {"a.py", "b.py", "c.py", "deep/__init__.py", "deep/d.py", "plain/e.py"}) {
    std::filesystem::create_directories(folder_.path() / std::filesystem::path(file).parent_path());
    folder_.write(file, "import os\n");
  }
  EXPECT_EQ(of("import os\nprint('import a')\n# import b\nx = 'from c import y'\n"), "");
  EXPECT_EQ(of("import a, b as other, os\n"), "a.py b.py");
  EXPECT_EQ(of("def f():\n    from a import (x,  # one\n        y)\n    import c; import b\n"),
            "a.py c.py");
  EXPECT_EQ(of("import deep.d\n"), "deep/__init__.py deep/d.py");
  EXPECT_EQ(of("from deep import d, nothing\n"), "deep/__init__.py deep/d.py");
  EXPECT_EQ(of("from deep import *\n"), "deep/__init__.py");
  EXPECT_EQ(of("from plain.e import x\n"), "plain/e.py");
  EXPECT_EQ(of("import program\nimport missing\nfrom . import b\n"), "b.py");
}

TEST_F(PythonImports, AreThoseOfItsModulesToo) {
  std::filesystem::create_directories(folder_.path() / "deep");
  folder_.write("a.py", "import b\n");
  folder_.write("b.py", "import a\n");
  folder_.write("deep/__init__.py", "");
  folder_.write("deep/one.py", "from .two import x\nfrom .. import b\n");
  folder_.write("deep/two.py", "import three\n");
  folder_.write("deep/three.py", "");  // not what `import three` finds from the program's folder
  EXPECT_EQ(of("import a\n"), "a.py b.py");
  EXPECT_EQ(of("import deep.one\n"), "a.py b.py deep/__init__.py deep/one.py deep/two.py");
  EXPECT_TRUE(python_imports(folder_.file("none.py")).empty());
}

}  // namespace
}  // namespace assay
