// Help, manual pages and completions: what each says of every command, that none is wider than it should be,
// and that older names of options are still read.

#include <regex>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string help_of(const Words& command, const std::string& flag = "--help") {
  return run_assay(with(command, {flag})).out;
}

// The first word of each entry below a heading.
Words entries_below(const std::string& help, const std::string& heading) {
  Words found;
  bool is_below = false;
  for (const auto& line : lines_of(help)) {
    if (line == heading + ":") {
      is_below = true;
    } else if (is_below && line.empty()) {
      return found;
    } else if (is_below && line.starts_with("  ") && line[2] != ' ') {
      found.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return found;
}

void add_commands(const Words& command, std::vector<Words>& all) {
  all.push_back(command);
  for (const auto& below : entries_below(help_of(command), "Commands")) {
    add_commands(with(command, {below}), all);
  }
}

// Each as its words: {}, {"audit"}, {"suite", "run"}.
const std::vector<Words>& all_commands() {
  static const std::vector<Words> all = [] {
    std::vector<Words> found;
    add_commands({}, found);
    return found;
  }();
  return all;
}

std::string name_of(const Words& command) {
  std::string name = "assay";
  for (const auto& word : command) name += " " + word;
  return name;
}

std::set<std::string> flags_in(const std::string& text) {
  static const std::regex flag(R"(--[a-z][a-z0-9-]+)");
  return {std::sregex_token_iterator(text.begin(), text.end(), flag), std::sregex_token_iterator()};
}

TEST(Help, KnowsEveryCommand) {
  EXPECT_GT(all_commands().size(), 24U);
  EXPECT_THAT(all_commands(), ::testing::Contains(Words{"suite", "schema"}));
  EXPECT_THAT(all_commands(), ::testing::Contains(Words{"account", "convert"}));
}

TEST(Help, IsNeverWiderThanItsWidth) {
  for (const int width : {60, 80, 100}) {
    setenv("COLUMNS", std::to_string(width).c_str(), 1);
    for (const auto& command : all_commands()) {
      for (const char* flag : {"--help", "-h"}) {
        SCOPED_TRACE(name_of(command) + " " + flag + " at " + std::to_string(width));
        for (const auto& line : lines_of(help_of(command, flag))) {
          const auto continuations = std::count_if(line.begin(), line.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
          });
          EXPECT_LE(static_cast<long>(line.size()) - continuations, width) << line;
        }
      }
    }
    unsetenv("COLUMNS");
  }
  EXPECT_NE(help_of({"audit"}), "");
}

TEST(Help, BeginsWithASummaryTheUsageAndExamples) {
  for (const auto& command : all_commands()) {
    SCOPED_TRACE(name_of(command));
    const auto help = help_of(command);
    const auto usage = help.find("\nUsage: " + name_of(command));
    const auto examples = help.find("\nExamples:\n");
    const auto options = help.find("\nHelp:\n");
    ASSERT_NE(options, std::string::npos);
    EXPECT_LT(help.find(".\n"), usage);
    EXPECT_LT(usage, examples);
    EXPECT_LT(examples, options);
    EXPECT_THAT(help, HasSubstr("\nExit status:\n"));
    EXPECT_THAT(help, Not(HasSubstr("  \n")));
  }
}

// The words of an example are those of a command that there is, and of its options.
TEST(Help, ExamplesNameOptionsThatExist) {
  int examples = 0;
  for (const auto& command : all_commands()) {
    const std::string help = help_of(command);
    std::string text = help.substr(0, help.find("\nHelp:\n"));
    text = text.substr(text.find("\nExamples:\n"));
    text = text.substr(0, text.find("\n\n"));
    static const std::regex broken(R"( \\\n +)");
    for (const auto& line : lines_of(std::regex_replace(text, broken, " "))) {
      const auto at = line.find("assay ");
      if (!line.starts_with("    ") || at == std::string::npos) continue;
      SCOPED_TRACE(line);
      ++examples;
      // The longest command that its words begin with.
      const Words* meant = nullptr;
      for (const auto& one : all_commands()) {
        const bool is_it = (line.substr(at) + " ").starts_with(name_of(one) + " ") ||
                           line.substr(at).starts_with(name_of(one) + ")");
        if (is_it && (meant == nullptr || one.size() > meant->size())) meant = &one;
      }
      ASSERT_NE(meant, nullptr);
      const auto known = flags_in(help_of(*meant));
      for (const auto& flag : flags_in(line)) EXPECT_TRUE(known.count(flag) == 1) << flag;
    }
  }
  EXPECT_GT(examples, 60);
}

TEST(Help, OfOptionsShowsRangesChoicesAndDefaults) {
  setenv("COLUMNS", "100", 1);
  const auto help = help_of({"audit"});
  const auto filled = std::regex_replace(help, std::regex("\\s+"), " ");
  unsetenv("COLUMNS");
  EXPECT_THAT(filled, HasSubstr("[1 to 4096; default: all cores; environment: ASSAY_THREADS]"));
  EXPECT_THAT(filled, HasSubstr("[text, json or html; default: text]"));
  EXPECT_THAT(help, HasSubstr("\nOutput:\n"));
  EXPECT_THAT(help, HasSubstr("\nReproducibility:\n"));
  const auto brief = help_of({"audit"}, "-h");
  EXPECT_LT(brief.size(), help.size());
  EXPECT_EQ(flags_in(brief).count("--claim"), 1U);
  EXPECT_THAT(brief, Not(HasSubstr("environment: ASSAY_THREADS")));
}

// One meaning, and one text, wherever there is an option of this name.
TEST(Help, OfACommonOptionIsTheSameEverywhere) {
  setenv("COLUMNS", "100", 1);
  for (const auto& [flag, text] : std::vector<std::pair<std::string, std::string>>{
           {"  --threads N ", "Use this many threads. The result does not depend on it."},
           {"  --seed SEED ", "Draw all random numbers from this seed."},
           {"  --format FORMAT ", "Print the report in this format."},
           {"  --quiet ", "Print only the headline of the report. Files get the whole report."},
           {"  --time SECONDS ", "Spend about this many seconds on the whole run."}}) {
    int found = 0;
    for (const auto& command : all_commands()) {
      for (const auto& line : lines_of(help_of(command))) {
        if (!line.starts_with(flag)) continue;
        ++found;
        EXPECT_THAT(line, HasSubstr(text)) << name_of(command);
      }
    }
    EXPECT_GT(found, 2) << flag;
  }
  unsetenv("COLUMNS");
}

TEST(Help, AnswersWhatIsMissingWithAnExample) {
  for (const auto& [words, message] : std::vector<std::pair<Words, std::string>>{
           {{"audit"}, "\n  for example: assay audit laplace -p epsilon=2 --claim eps=1\n"},
           {{"try"}, "\n  for example: assay try --exec"},
           {{"bench"}, "\n  for example: assay bench additive --epsilon 1"},
           {{"bench", "additive"}, "\n  for example: assay bench additive --epsilon 1"},
           {{"replay", "laplace"}, "\n  for example: assay replay laplace --old 0 --new 1\n"},
           {{"audit", "--exec", "a"}, "\n  for example: assay audit laplace"},
           {{"account"}, "\n  for example: assay account gaussian --sigma 2"},
           {{"account", "calibrate", "gaussian"},
            "assay account calibrate needs --epsilon EPS\n  for example: assay account calibrate "
            "gaussian --epsilon 1 --delta 1e-6\n"},
           {{"adapter"},
            "assay adapter needs LANGUAGE: python, c or cpp\n  for example: assay adapter c >"},
           {{"check-certificate"}, "assay check-certificate needs FILE...\n  for example: assay "},
           {{"suite", "compare", "a"}, "assay suite compare needs NEW\n  for example: assay suite"},
           {{"suite", "init"}, "\n  for example: assay suite init --exec"},
           {{"suite"}, "\n  for example: assay suite init --exec"}}) {
    const auto run = run_assay(words);
    EXPECT_EQ(run.status, 2) << name_of(words);
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

// ---- older names ----------------------------------------------------------------------------------

TEST(OlderNames, AreReadAndShownNowhere) {
  for (const auto& command : all_commands()) {
    EXPECT_EQ(flags_in(help_of(command)).count("--plays"), 0U) << name_of(command);
    EXPECT_EQ(flags_in(help_of(command)).count("--time-budget"), 0U) << name_of(command);
  }
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(run_assay({"completion", shell}).out, Not(HasSubstr("time-budget")));
  }
  EXPECT_THAT(run_assay({"suite", "schema"}).out, Not(HasSubstr("\"plays\"")));
  const Words audit = {"audit", "--exec", "/bin/false", "--claim", "eps=1"};
  for (const char* name : {"--plays", "--runs"}) {
    const auto run = run_assay(with(audit, {name, "7"}));
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("--runs must be 1000 to 4000000000, not 7")) << name;
  }
}

TEST(OlderNames, OfKeysAreReadInSuitesAndChains) {
  const TemporaryFolder folder;
  const std::string head =
      "schema = \"assay.suite/1\"\n[[audit]]\nid = \"a\"\nexec = \"/bin/false\"\n"
      "claim = \"eps=1\"\ndepends = []\n";
  const auto listed = [&](const std::string& keys) {
    const auto suite = folder.write("assay.toml", head + keys);
    return run_assay({"suite", "list", suite, "--history", "none"});
  };
  EXPECT_EQ(listed("plays = 5000\n").status, 0);
  EXPECT_EQ(listed("runs = 5000\n").out, listed("plays = 5000\n").out);
  EXPECT_THAT(listed("runs = 5000\nplays = 6000\n").err,
              HasSubstr("are one key: give one of them"));
  EXPECT_THAT(listed("plays = 7\n").err, HasSubstr("must be 1000 to 4000000000"));

  const auto account = [&](const std::string& key) {
    const auto chain = folder.write(
        "chain.toml", "[[step]]\nmechanism = \"gaussian\"\nsigma = 5\n" + key + " = 20\n");
    return run_assay({"account", chain});
  };
  EXPECT_EQ(account("compose").status, 0);
  EXPECT_THAT(account("compose").out, HasSubstr("20 times"));
  EXPECT_EQ(account("count").out, account("compose").out);
  EXPECT_THAT(account("compose = 3\ncount").err, HasSubstr("count is the former name of compose"));
}

TEST(SuiteInit, TakesAProgramAsAuditDoes) {
  const TemporaryFolder folder;
  const std::string program =
      std::string(ASSAY_PYTHON) + " " + ASSAY_SOURCE_DIR + "/examples/targets/naive_gaussian.py";
  const auto old_name = run_assay({"suite", "init", program, "--output", folder.file("old.toml")});
  EXPECT_EQ(old_name.status, 0) << old_name.err;
  const auto run = run_assay({"suite", "init", "--exec", program, "-w", folder.file("new.toml")});
  EXPECT_EQ(run.status, 0) << run.err;
  // But for the measured times, which no two runs share.
  const auto keys = [&](const std::string& name) {
    std::istringstream in(read_file(folder.file(name)));
    std::string text;
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("tier", 0) != 0 && line.rfind("tags", 0) != 0) {
        text += line.substr(0, line.find('#')) + "\n";
      }
    }
    return text;
  };
  EXPECT_EQ(keys("new.toml"), keys("old.toml"));
  EXPECT_THAT(run_assay({"suite", "init", "laplace", "--exec", program}).err,
              HasSubstr("needs either a POLICY or --exec COMMAND"));
}

TEST(SuiteReports, AreWrittenInTheFormatOfTheEnding) {
  const TemporaryFolder folder;
  const auto suite = folder.write("assay.toml",
                                  "schema = \"assay.suite/1\"\n[[audit]]\nid = \"a\"\ncase = "
                                  "\"laplace\"\nparameters = {epsilon = 1}\n");
  const Words run = {"suite", "run", suite, "--history", "none", "--seed", "1", "--quiet"};
  Words files;
  for (const char* name : {"r.txt", "r.json", "r.sarif", "r.xml", "r.html", "r.md"}) {
    files = with(files, {"-w", folder.file(name)});
  }
  ASSERT_EQ(run_assay(with(run, files)).status, 0);
  EXPECT_THAT(read_file(folder.file("r.json")), StartsWith("{"));
  EXPECT_THAT(read_file(folder.file("r.sarif")), HasSubstr("\"2.1.0\""));
  EXPECT_THAT(read_file(folder.file("r.xml")), HasSubstr("<testsuite"));
  EXPECT_THAT(read_file(folder.file("r.html")), HasSubstr("<html"));
  EXPECT_THAT(
      run_assay(with(run, {"-w", folder.file("r.csv")})).err,
      HasSubstr("--write takes a file that ends in .txt, .json, .sarif, .xml, .html or .md"));
}

// ---- pages and completions --------------------------------------------------------------------------

TEST(ManualPages, AreOfEveryCommandAndCleanTroff) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_assay({"man", folder.path().string()}).status, 0);
  EXPECT_THAT(help_of({}), Not(HasSubstr("manual pages to a folder")));
  const bool has_groff = run_command({"/usr/bin/groff", "--version"}).status == 0;
  if (!has_groff) std::printf("groff is not installed: the pages are not set in type here\n");
  for (const auto& command : all_commands()) {
    std::string name = name_of(command);
    std::replace(name.begin(), name.end(), ' ', '-');
    const auto path = folder.file("man1/" + name + ".1");
    const auto page = read_file(path);
    EXPECT_THAT(page, HasSubstr(".SH NAME\n")) << path;
    if (!has_groff) continue;
    const auto set = run_command(
        {"/usr/bin/groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-rLL=400n", "-P-c", path});
    EXPECT_EQ(set.status, 0);
    EXPECT_EQ(set.err, "") << path;
    std::string text;
    for (const auto& line : lines_of(set.out)) text += line + " ";
    text = std::regex_replace(text, std::regex("\b."), "");
    text = std::regex_replace(text, std::regex("\xE2\x88\x92|\xE2\x80\x90"), "-");
    for (const auto& flag : flags_in(help_of(command))) EXPECT_THAT(text, HasSubstr(flag)) << path;
  }
  const auto file_page = read_file(folder.file("man5/assay.toml.5"));
  for (const char* part : {".SH \"[[audit]]\"", ".SH \"[[suppress]]\"", "\\fBdepends\\fR",
                           "\\fBruns\\fR", "\\fBbaseline\\fR"}) {
    EXPECT_THAT(file_page, HasSubstr(part));
  }
  if (has_groff) {
    EXPECT_EQ(run_command({"/usr/bin/groff", "-man", "-Kutf8", "-Tutf8", "-ww",
                           folder.file("man5/assay.toml.5")})
                  .err,
              "");
  }
}

// What bash offers behind these words, the last of which is begun.
std::set<std::string> bash_offers(const TemporaryFolder& folder, const std::string& words) {
  const std::string script =
      "compopt() { :; }\nsource " + folder.file("assay.bash") + "\nCOMP_WORDS=(" + words +
      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\ncomplete -p assay >/dev/null || exit 1\n"
      "_assay\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const auto run = run_command({"/bin/bash", "-c", script});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const auto lines = lines_of(run.out);
  return {lines.begin(), lines.end()};
}

TEST(Completion, OfBashOffersWhatFits) {
  const TemporaryFolder folder;
  folder.write("assay.bash", run_assay({"completion", "bash"}).out);
  using Set = std::set<std::string>;
  const auto offers = [&](const std::string& words) { return bash_offers(folder, words); };
  EXPECT_EQ(offers("assay au"), Set{"audit"});
  EXPECT_EQ(offers("assay suite r"), Set{"run"});
  EXPECT_EQ(offers("assay help suite u"), Set{"update"});
  EXPECT_EQ(offers("assay audit --cl"), Set{"--claim"});
  EXPECT_EQ(offers("assay suite run --ti"), (Set{"--tier", "--time", "--time-tolerance"}));
  EXPECT_EQ(offers("assay suite run --tier ''"), (Set{"smoke", "full"}));
  EXPECT_EQ(offers("assay audit --format ''"), (Set{"text", "json", "html"}));
  EXPECT_EQ(offers("assay audit --format = j"), Set{"json"});
  EXPECT_EQ(offers("assay audit thom"), Set{"thompson-sampling"});
  EXPECT_EQ(offers("assay audit --claim ''"), Set{""});
  EXPECT_EQ(offers("assay verify bai-bu"), Set{"bai-budget"});
  EXPECT_EQ(offers("assay simulate ts-fig1"), Set{"ts-fig1"});
  EXPECT_EQ(offers("assay explain witn"), Set{"witness"});
  EXPECT_EQ(offers("assay completion f"), Set{"fish"});
  EXPECT_EQ(offers("assay account conv"), Set{"convert"});
  const auto here = folder.write("input.csv", "");
  EXPECT_EQ(offers("assay audit --input " + folder.file("inp")), Set{here});
  EXPECT_EQ(offers("assay audit -w " + folder.file("inp")), Set{here});
  EXPECT_EQ(offers("assay verify --certificates " + folder.file("inp")), Set{""});  // no folder
  EXPECT_EQ(offers("assay man-"), Set{""});
}

// What each option of the help is for zsh and fish; where they are installed they read their script too.
TEST(Completion, OfZshAndFishNamesEveryOption) {
  const TemporaryFolder folder;
  for (const std::string shell : {"zsh", "fish"}) {
    const auto script = run_assay({"completion", shell}).out;
    const auto path = folder.write("assay." + shell, script);
    for (const auto& command : all_commands()) {
      for (const auto& line : lines_of(help_of(command))) {
        static const std::regex option(R"(^  (?:-\w, )?--([a-z0-9-]+))");
        std::smatch match;
        if (!std::regex_search(line, match, option)) continue;
        const std::string name = match[1];
        const std::string expected =
            shell == "zsh" ? "--" + name + "[" : "\"" + name_of(command) + "\"' ";
        EXPECT_THAT(script, HasSubstr(expected)) << line;
        if (shell == "fish") {
          EXPECT_THAT(script, HasSubstr(" -l " + name + " "));
        }
      }
    }
    const std::string unescaped = std::regex_replace(script, std::regex(R"(\\')"), "");
    EXPECT_EQ(std::count(unescaped.begin(), unescaped.end(), '\'') % 2, 0);
    if (run_command({"/usr/bin/" + shell, "--version"}).status != 0) {
      std::printf("%s is not installed: its script is not run here\n", shell.c_str());
      continue;
    }
    const auto read = run_command({"/usr/bin/" + shell, "-n", path});
    EXPECT_EQ(read.status, 0) << read.err;
    EXPECT_EQ(read.err, "");
  }
}

}  // namespace
}  // namespace assay
