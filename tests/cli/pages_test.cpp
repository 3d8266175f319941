// Every page of the command in a real browser: on a telephone and on screens, light and dark.
#include <filesystem>

#include "assay/auditors/text/document.hpp"
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
  void add_page(const std::string& name, const doc::Document& document) {
    add(folder_.write(name + ".html", to_page(document)));
  }
  CommandResult run(const Words& words) {
    const auto done = run_assay(words);
    EXPECT_NE(done.status, 2) << done.err;  // what a verdict is does not matter here
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

// Blocks that no command of this test shows, and colours of figures.
doc::Document other_blocks() {
  doc::Document document;
  document.title = "Other blocks";
  document.heading("Other blocks", "", 1);
  document.add(
      doc::Tiles{{{"Verdict", "Not refuted", "with 99.9% confidence", doc::Tone::kGood},
                  {"eps at delta = 1e-6", ">= 1.1952", "the claim allows 1", doc::Tone::kBad},
                  {"Smallest visible level", "2.31", "", doc::Tone::kWeak},
                  {"Runs", "40,000", "on both inputs"}}});
  ProbabilityGrid grid{"grid", "Arms", "The probability of each arm in 40 rounds on both inputs"};
  grid.rows = {"0", "1", "a longer name of an action"};
  for (int round = 1; round <= 40; ++round) {
    const double p = 1.0 / round;
    grid.columns.push_back(std::to_string(round));
    grid.cells.push_back({{p, 0.5 * p}, {1.0 - p, 1.0 - p}, {0.0, 0.5 * p}});
    grid.chosen.push_back({static_cast<std::size_t>(round) % 3});
  }
  grid.changed = 4;
  document.add(doc::DrawnGrid{grid, "Each cell has the probability of an arm in a round."});
  Figure figure{"colours", "Colours", "Lines in all colours, and intervals without an end"};
  Panel& lines = figure.panels.emplace_back();
  lines.title = "All colours";
  for (int i = 0; i < 8; ++i) {
    lines.series.push_back(Series::line("a curve with a long name, number " + std::to_string(i),
                                        {0.0, 1.0}, {0.0, 1.0 * i},
                                        {static_cast<Colour>(i), Dash::kSolid, Marker::kCircle}));
  }
  Panel& interval = figure.panels.emplace_back();
  interval.title = "An interval without an end";
  interval.x.high = 2.0;
  interval.y.hidden = true;
  interval.series.push_back(
      Series::interval("certified", 0.5, std::numeric_limits<double>::infinity(), 0.5,
                       {Colour::kBlue, Dash::kSolid, Marker::kNone, 2.6, 0.2}));
  document.add(doc::Drawn{figure, "Colours and intervals.", true});
  return document;
}

TEST(Pages, AreReadableOnATelephoneAndInTheDark) {
  if (!std::filesystem::exists(kChromium)) {
    GTEST_SKIP() << kChromium << " is missing: apt-get install chromium";
  }
  Pages pages;
  const std::string python = ASSAY_PYTHON;
  pages.write("audit", "audit thompson-sampling -p arms=3 -p horizon=5 --claim eps=0.1,delta=1e-6");
  pages.add_page("blocks", other_blocks());
  pages.write("table", "audit ftnl -p actions=4 -p horizon=8 --claim eps=1");
  pages.write("program",
              {"audit", "--exec",
               python + " " + ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py --leak",
               "--arms", "3", "--horizon", "30", "--claim", "eps=1", "--samples", "1000"});
  pages.write("weak", {"audit", "--exec",
                       python + " " + ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py",
                       "--arms", "3", "--horizon", "60", "--claim", "eps=1", "--samples", "200"});
  pages.write("verified", "audit laplace -p epsilon=1 --claim eps=1");
  pages.write("numbers", "audit laplace -p epsilon=2 --claim eps=1 --method events --samples 500");
  pages.write("values",
              "audit randomized-response -p epsilon=2 --claim eps=1 --method events --samples 500");
  pages.write("failure", "audit --exec /bin/false --kind mechanism --claim eps=1");
  pages.write("account", {"account", ASSAY_SOURCE_DIR "/examples/chain.toml"});
  pages.write("bench", "bench additive --epsilon 1 --delta 1e-6 --samples 50");
  pages.write("sampler",
              {"sampler", "--exec",
               python + " " + ASSAY_SOURCE_DIR "/examples/samplers/laplace.py {seed} tail",
               "--distribution", "laplace:scale=1", "--samples", "50000"});
  pages.write("simulate", "simulate ftnl-gap --repetitions 50 --horizon 1000");
  pages.print("detect", "detect sparse-vector-5 --sample-share 0.001");
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
