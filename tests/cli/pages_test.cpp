// Every page of the command in a real browser: on a telephone and on a screen, light and dark.
#include <filesystem>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

constexpr const char* kChromium = "/usr/bin/chromium";

class Pages {
 public:
  // The command writes its page to stdout, or to the file that the last word names.
  void print(const std::string& name, Words words) {
    words.insert(words.end(), {"--format", "html"});
    add(folder_.write(name + ".html", run(words).out));
  }
  void write(const std::string& name, Words words, const Words& to = {"-w", ""}) {
    const std::string file = folder_.file(name + ".html");
    words.insert(words.end(), to.begin(), to.end());
    words.back() += file;
    run(words);
    add(file);
  }
  CommandResult run(const Words& words) {
    const auto done = run_assay(words);
    EXPECT_TRUE(done.status == 0 || done.status == 1 || done.status == 4) << done.err;
    return done;
  }
  const TemporaryFolder& folder() const { return folder_; }
  const Words& files() const { return files_; }

 private:
  void add(const std::string& file) {
    EXPECT_GT(std::filesystem::file_size(file), 1000U) << file;
    files_.push_back(file);
  }
  TemporaryFolder folder_;
  Words files_;
};

TEST(Pages, AreReadableOnATelephoneAndInTheDark) {
  if (kSanitized) GTEST_SKIP() << "the pages are the same, and other tests write them";
  if (!std::filesystem::exists(kChromium)) {
    GTEST_SKIP() << kChromium << " is missing: apt-get install chromium";
  }
  Pages pages;
  const std::string python = ASSAY_PYTHON;
  pages.write("audit", "audit thompson-sampling -p arms=3 -p horizon=5 --claim eps=0.1,delta=1e-6");
  pages.write("table", "audit ftnl -p actions=4 -p horizon=8 --claim eps=1");
  pages.write("program",
              {"audit", "--exec",
               python + " " + ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py --leak",
               "--arms", "3", "--horizon", "30", "--claim", "eps=1", "--samples", "1000"});
  pages.write("failure", "audit --exec /bin/false --kind mechanism --claim eps=1");
  pages.write("account", {"account", ASSAY_SOURCE_DIR "/examples/chain.toml"});
  pages.write("bench", "bench additive --epsilon 1 --delta 1e-6 --samples 50");
  pages.write("simulate", "simulate ftnl-gap");
  pages.print("detect", "detect sparse-vector-5");
  const std::string history = pages.folder().file("history.sqlite");
  const Words suite = {"suite", "run", ASSAY_SOURCE_DIR "/examples/suite.toml", "--history",
                       history};
  pages.run(suite);
  pages.write("suite", suite, "--report html=");
  Words words = {ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/check_layout.py", kChromium};
  words.insert(words.end(), pages.files().begin(), pages.files().end());
  const auto looked = run_command(words);
  EXPECT_EQ(looked.status, 0) << looked.err;
}

}  // namespace
}  // namespace assay
