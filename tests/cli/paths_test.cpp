// Paths that cannot be used, and pipes whose other end does not come: an error that names the path, never a bug of ours.
#include <sys/stat.h>

#include <filesystem>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOneEntry =
    "schema = \"assay.suite/1\"\n[[audit]]\nid = \"a\"\ncase = \"laplace\"\n";

class Paths : public InAFolder {
 protected:
  const std::string suite = folder.write("suite.toml", kOneEntry);

  // Commands that read a file, or write one.
  std::vector<Words> commands(const std::string& path) const {
    const std::string fresh = folder.file("fresh.toml");
    return {{"suite", "run", path, "--history", "none"},
            {"suite", "list", path},
            {"suite", "compare", path, path},
            {"suite", "init", path, "-w", fresh},
            {"suite", "init", "laplace", "-w", path},
            {"suite", "run", suite, "--history", path},
            {"suite", "history", "--suite", suite, "--history", path},
            {"suite", "run", suite, "--history", "none", "--baseline", path},
            {"suite", "run", suite, "--history", "none", "--report", "json=" + path},
            {"account", path + ".toml"},
            {"check-certificate", path},
            {"audit", "laplace", "-w", path + "/a.json"},
            {"audit", "thompson-sampling", "--input", path},
            {"audit", "--transcripts", path, path, "--claim", "eps=1"},
            {"audit", "--plugin", path, "--claim", "eps=1"},
            {"verify", "dp-ebs", "--certificates", path + "/inside"}};
  }
  CommandResult in_folder(const std::string& script) const {
    return run_command({"/bin/sh", "-c", "cd '" + folder.path().string() + "'; " + script});
  }
};

TEST_F(Paths, ThatCannotBeUsedAreErrorsOfTheirUser) {
  fs::create_symlink(folder.file("loop"), folder.file("loop"));
  fs::create_symlink(folder.file("loop.toml"), folder.file("loop.toml"));
  for (const std::string& path :
       {folder.file("loop"), folder.file(std::string(300, 'a')), suite + "/inside"}) {
    for (const Words& words : commands(path)) {
      const auto run = run_assay(words);
      // 4: it was taken for a program.
      EXPECT_TRUE(run.status == 2 || run.status == 4)
          << run.status << ::testing::PrintToString(words) << run.err;
      EXPECT_THAT(run.err, Not(HasSubstr("internal error"))) << ::testing::PrintToString(words);
    }
  }
}

TEST_F(Paths, OfADeletedWorkingFolderAreNoBug) {
  for (const std::string words :
       {"suite run suite.toml", "suite run suite.toml --history h", "suite list",
        "suite init laplace", "audit laplace -w a.json", "account x.toml"}) {
    const auto run = in_folder("mkdir gone; cd gone; rmdir ../gone; exec " ASSAY_CLI " " + words);
    EXPECT_EQ(run.status, 2) << words << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("internal error"))) << words;
  }
  const auto run =
      in_folder("mkdir gone; cd gone; rmdir ../gone; exec " ASSAY_CLI " audit laplace");
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(Paths, OfAPipeGiveASuiteInTheWorkingFolder) {
  const std::string run = ASSAY_CLI " suite run --history none --quiet ";
  for (const std::string& script :
       {"cat suite.toml | " + run + "/dev/stdin", run + "/dev/stdin <suite.toml",
        "mkfifo pipe; cat suite.toml >pipe & " + run + "pipe"}) {
    const auto result = in_folder(script);
    EXPECT_EQ(result.status, 0) << script << result.err;
    EXPECT_THAT(result.out, HasSubstr("Nothing fails")) << script;
  }
  const auto none = in_folder(run + "/dev/stdin </dev/null");
  EXPECT_EQ(none.status, 2) << none.err;
}

TEST_F(Paths, OfPipesWithoutTheirOtherEndAreLeftAtTheFirstInterrupt) {
  const std::string pipe = folder.file("pipe.toml");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const Words& words :
       {Words{"suite", "run", pipe, "--history", "none"}, Words{"suite", "compare", pipe, suite},
        Words{"suite", "run", suite, "--history", "none", "--baseline", pipe},
        Words{"suite", "run", suite, "--history", "none", "--report", "json=" + pipe},
        Words{"account", pipe}, Words{"check-certificate", pipe},
        Words{"audit", "thompson-sampling", "--input", pipe},
        Words{"audit", "--transcripts", pipe, pipe, "--claim", "eps=1"}}) {
    const auto started = std::chrono::steady_clock::now();
    const auto run = run_command(with({ASSAY_CLI}, words), std::chrono::milliseconds(700));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    EXPECT_LE(seconds, 0.7 + 0.5 + (kSanitized ? 20.0 : 4.0)) << ::testing::PrintToString(words);
    EXPECT_THAT(run.err, HasSubstr("interrupted while waiting for the other end"))
        << ::testing::PrintToString(words) << run.status;
    EXPECT_TRUE(run.status == 2 || run.status == 3)
        << run.status << ::testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace assay
