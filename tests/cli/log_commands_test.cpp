// What a program says is printed in the log of a CI, and the server must not take it for a command.
#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// No line that a server reads as a command (safe_text.hpp).
void expect_no_command(const std::string& log, const std::string& of) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t");
    EXPECT_FALSE(begin != std::string::npos && line.compare(begin, 2, "::") == 0) << of << line;
    EXPECT_THAT(line, Not(HasSubstr("##["))) << of;
    EXPECT_THAT(line, Not(HasSubstr("##vso["))) << of;
  }
}

constexpr const char* kCommands =
    "  ::error file=a.py,line=1::no privacy ##[error]b ##vso[task.setvariable variable=a]c";

class LogCommands : public InAFolder {
 protected:
  // A mechanism that says commands on standard error, in its name, and when it fails.
  std::string program(const std::string& play) const {
    return python(folder.write(
        "p.py",
        "import json, sys\nsays = '" + std::string(kCommands) +
            "'\n"
            "sys.stderr.write(says + chr(10) + ' ::warning::x' + chr(10)); sys.stderr.flush()\n"
            "for line in sys.stdin:\n"
            "    m = json.loads(line)\n"
            "    if 'assay_protocol' in m:\n"
            "        print(json.dumps({'ready': True, 'name': says}), flush=True)\n"
            "    else:\n        " +
            play + "\n"));
  }
};

TEST_F(LogCommands, OfAProgramAreNoneInTheLogOfAnyCommand) {
  const std::string row = folder.write(
      "suite.toml",
      "schema = \"assay.suite/1\"\n[[audit]]\nid = \"a\"\nkind = \"mechanism\"\nexec = \"" +
          program("sys.exit(says)") + "\"\nclaim = \"eps=1\"\n");
  for (const std::string play : {"sys.exit(says)", "print(says, flush=True)"}) {
    const std::string exec = program(play);
    for (const Words& words :
         {Words{"audit", "--exec", exec, "--kind", "mechanism", "--claim", "eps=1"},
          Words{"audit", "--exec", exec, "--kind", "mechanism", "--claim", "eps=1", "--format",
                "json"},
          Words{"try", "--exec", exec, "--kind", "mechanism"},
          Words{"try", "--exec", exec, "--kind", "mechanism", "--format", "json"},
          Words{"replay", "--exec", exec, "--kind", "mechanism", "--old", "0", "--new", "1"},
          Words{"suite", "run", row, "--history", "none"},
          Words{"suite", "run", row, "--history", "none", "--format", "markdown"},
          Words{"suite", "run", row, "--history", "none", "--format", "junit"},
          Words{"suite", "run", row, "--history", "none", "--format", "sarif"}}) {
      const auto run = run_assay(words);
      const std::string of = ::testing::PrintToString(words);
      EXPECT_NE(run.status, 0) << of;
      expect_no_command(run.out, of);
      expect_no_command(run.err, of);
    }
  }
  const auto json = run_assay({"audit", "--exec", program("sys.exit(says)"), "--kind", "mechanism",
                               "--claim", "eps=1", "--format", "json"});
  EXPECT_THAT(nlohmann::json::parse(json.out).dump(), HasSubstr("##[error]"));
}

}  // namespace
}  // namespace assay
