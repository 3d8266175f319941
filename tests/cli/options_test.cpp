// Every option against every job of the command: it has an effect there, or it is refused by name. The
// options are read from --help, so that a new one has to find its place here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

// "suite run" is two words.
Words command_words(const std::string& command) {
  Words words;
  std::istringstream text(command);
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// "--claim", "--parameter", ...: the long names that --help lists.
std::vector<std::string> options_of(const std::string& command) {
  const std::regex option(R"(^  (?:-\w, )?(--[a-z0-9-]+))");
  std::vector<std::string> found;
  std::istringstream help(run_assay(with(command_words(command), {"--help"})).out);
  for (std::string line; std::getline(help, line);) {
    std::smatch match;
    if (std::regex_search(line, match, option) && match[1] != "--help") found.push_back(match[1]);
  }
  return found;
}

struct Job {
  std::string name;
  Words words;
  std::set<std::string> used;  // the options that have an effect, beside those of `words`
};

// How messages call it.
std::string shown(const std::string& option) {
  if (option == "--parameter") return "-p";
  if (option == "--write") return "-w";
  return option;
}

// A format that does not exist ends every job after its options were judged and before it begins.
void expect_judged(const std::string& command, const std::vector<Job>& jobs,
                   const std::map<std::string, Words>& values,
                   const std::set<std::string>& elsewhere) {
  const auto options = options_of(command);
  EXPECT_GT(options.size(), 3U);
  for (const auto& option : options) {
    if (elsewhere.count(option) > 0) continue;
    ASSERT_EQ(values.count(option), 1U) << option << " of " << command << " needs a row here";
    for (const auto& job : jobs) {
      const auto& given = job.words;
      if (std::find(given.begin(), given.end(), option) != given.end()) continue;
      SCOPED_TRACE(option + " for " + job.name);
      auto words = with(with(command_words(command), job.words), {option});
      words = with(words, values.at(option));
      if (option != "--format") words = with(words, {"--format", "none"});
      const auto run = run_assay(words);
      EXPECT_EQ(run.status, 2);
      EXPECT_EQ(run.out, "");
      if (job.used.count(option) > 0) {
        EXPECT_THAT(run.err, AnyOf(HasSubstr("format must be"), HasSubstr("give both"),
                                   HasSubstr("contradict each other")));
      } else {
        EXPECT_THAT(run.err, AnyOf(HasSubstr(shown(option) + " is for "),
                                   HasSubstr("is not a parameter of any selected")));
      }
    }
  }
}

std::set<std::string> also(std::set<std::string> options, const std::set<std::string>& more) {
  options.insert(more.begin(), more.end());
  return options;
}

class OptionsOfAudit : public ::testing::Test {
 protected:
  std::string recorded(const std::string& name, const std::string& shape, const std::string& play) {
    std::string text = R"({"assay_transcripts": 1, "shape": )" + shape + "}\n";
    for (int i = 0; i < 120; ++i) text += play + "\n";
    return folder_.write(name, text);
  }
  TemporaryFolder folder_;
  const std::string bandit_ =
      recorded("bandit.ndjson", R"({"kind": "bandit", "arms": 2, "horizon": 2})", "[0, 1]");
  const std::string mechanism_ =
      recorded("mechanism.ndjson", R"({"kind": "mechanism", "inputs": 1, "outputs": 1})", "[0.5]");
  const std::string rewards_ = folder_.write("rewards.csv", "r,s\n0,1\n1,0\n1,1\n0,0\n");
};

TEST_F(OptionsOfAudit, HaveAnEffectOrAreRefused) {
  const std::set<std::string> report = {"--claim",  "--method", "--confidence", "--threads",
                                        "--format", "--quiet",  "--write"};
  const auto of_case = also(report, {"--parameter", "--delta0", "--seed", "--time"});
  const auto of_policy = also(of_case, {"--search"});
  const auto played = also(
      report, {"--input", "--neighbour", "--domain", "--neighbours", "--seed", "--samples",
               "--kind", "--answer-time", "--deterministic", "--stops", "--failures", "--env"});
  const auto actions = also(played, {"--arms", "--horizon", "--numbers", "--estimates"});
  const std::set<std::string> budgets = {"--runs", "--time"};
  const auto events = also(budgets, {"--stop-when-decided"});
  const std::set<std::string> program = {"--vary"};
  const Words policy = {"thompson-sampling", "--parameter", "horizon=4"};
  const Words exec = {"--exec", "/bin/false {x}", "--claim", "eps=1"};
  const Words numbers = with(exec, {"--kind", "mechanism"});
  const std::vector<Job> jobs = {
      {"a mechanism, exact", {"randomized-response"}, of_case},
      {"a policy, exact", policy, of_policy},
      {"a policy with an input", with(policy, {"--input", rewards_, "--column", "r"}), of_policy},
      {"a policy by likelihood", with(policy, {"--method", "likelihood"}),
       also(of_policy, {"--samples", "--stop-when-decided"})},
      {"a policy by likelihood with samples",
       with(policy, {"--method", "likelihood", "--samples", "512"}),
       also(of_policy, {"--stop-when-decided", "--stop-after"})},
      {"experts", {"ftnl"}, of_case},
      {"best arm", {"dp-bai"}, also(of_case, {"--features"})},
      {"duels", {"dp-ebs", "--parameter", "horizon=4"}, also(of_case, {"--samples", "--search"})},
      {"a mechanism by likelihood",
       {"laplace", "--method", "likelihood"},
       also(of_case, {"--samples"})},
      {"a mechanism by events",
       {"laplace", "--method", "events"},
       also(report, {"--parameter", "--seed", "--time", "--samples", "--stop-when-decided"})},
      {"a mechanism by events, in mu",
       {"laplace", "--method", "events", "--claim", "mu=1"},
       also(of_case, {"--samples", "--stop-when-decided"})},
      {"a bandit", exec, also(also(actions, events), program)},
      {"a bandit, in mu",
       {"--exec", "/bin/false {x}", "--claim", "mu=1"},
       also(also(actions, events), also(program, {"--delta0"}))},
      {"a bandit until decided", with(exec, {"--stop-when-decided"}),
       also(also(also(actions, program), budgets), {"--margin"})},
      {"a bandit with a parameter", with(exec, {"--vary", "x=1:2"}),
       also(also(actions, events), {"--settings"})},
      {"a contextual bandit", with(exec, {"--kind", "contextual"}),
       also(also(actions, {"--dimension"}), also(events, program))},
      {"an external mechanism", numbers,
       also(also(played, {"--inputs", "--outputs", "--round-outputs"}), also(events, program))},
      {"an external mechanism in one run", with(numbers, {"--method", "one-run", "--inputs", "20"}),
       also(played, {"--outputs", "--canaries", "--training"})},
      {"a bandit with estimates", with(exec, {"--estimates", "2"}),
       also(also(actions, events), also(program, {"--round-outputs"}))},
      {"a shared library", {"--plugin", "/none.so", "--claim", "eps=1"}, also(actions, events)},
      {"recorded plays",
       {"--transcripts", bandit_, bandit_, "--claim", "eps=1"},
       also(report, {"--changed-row"})},
      {"recorded plays, in mu",
       {"--transcripts", bandit_, bandit_, "--claim", "mu=1"},
       also(report, {"--changed-row", "--delta0"})},
      {"recorded outputs",
       {"--transcripts", mechanism_, mechanism_, "--claim", "eps=1"},
       also(report, {"--round-outputs"})},
  };
  const std::map<std::string, Words> values = {
      {"--parameter", {"epsilon=1"}},
      {"--claim", {"eps=1"}},
      {"--column", {"r"}},
      {"--features", {folder_.write("arms.csv", "1,0\n0,1\n1,1\n")}},
      {"--method", {"auto"}},
      {"--confidence", {"0.99"}},
      {"--delta0", {"1e-3"}},
      {"--seed", {"7"}},
      {"--samples", {"512"}},
      {"--time", {"1"}},
      {"--runs", {"2000"}},
      {"--stop-when-decided", {}},
      {"--stop-after", {"256"}},
      {"--threads", {"1"}},
      {"--format", {"none"}},
      {"--quiet", {}},
      {"--write", {folder_.file("report.json")}},
      {"--kind", {"bandit"}},
      {"--arms", {"3"}},
      {"--horizon", {"7"}},
      {"--dimension", {"2"}},
      {"--inputs", {"3"}},
      {"--outputs", {"3"}},
      {"--stops", {}},
      {"--numbers", {"2"}},
      {"--estimates", {"3"}},
      {"--neighbour", {"/nonexistent"}},
      {"--domain", {"0:1"}},
      {"--neighbours", {"one"}},
      {"--changed-row", {"1"}},
      {"--vary", {"x=1,2"}},
      {"--settings", {"3"}},
      {"--margin", {"0.2"}},
      {"--round-outputs", {"0.1"}},
      {"--canaries", {"3"}},
      {"--training", {"50"}},
      {"--failures", {"memory"}},
      {"--answer-time", {"10"}},
      {"--env", {"PATH"}},
      {"--deterministic", {}},
      {"--search", {"5"}},
  };
  expect_judged("audit", jobs, values, {"--input", "--exec", "--plugin", "--transcripts"});
}

TEST_F(OptionsOfAudit, OfATrialAreItsOwn) {
  const std::set<std::string> played = {
      "--input",  "--runs",       "--neighbour", "--seed",  "--samples",     "--quiet",
      "--kind",   "--threads",    "--format",    "--write", "--answer-time", "--deterministic",
      "--domain", "--neighbours", "--stops",     "--env"};
  const Words exec = {"--exec", "/bin/false"};
  const Words numbers = with(exec, {"--kind", "mechanism"});
  const std::vector<Job> jobs = {
      {"a bandit", exec, also(played, {"--arms", "--horizon", "--numbers", "--estimates"})},
      {"a contextual bandit", with(exec, {"--kind", "contextual"}),
       also(played, {"--arms", "--horizon", "--dimension", "--numbers", "--estimates"})},
      {"a mechanism", numbers, also(played, {"--inputs", "--outputs"})},
      {"a shared library",
       {"--plugin", "/none.so"},
       also(played, {"--arms", "--horizon", "--numbers", "--estimates"})}};
  const std::map<std::string, Words> values = {{"--seed", {"7"}},
                                               {"--runs", {"2000"}},
                                               {"--samples", {"512"}},
                                               {"--threads", {"1"}},
                                               {"--quiet", {}},
                                               {"--format", {"none"}},
                                               {"--write", {folder_.file("report.json")}},
                                               {"--kind", {"bandit"}},
                                               {"--arms", {"3"}},
                                               {"--horizon", {"7"}},
                                               {"--dimension", {"2"}},
                                               {"--inputs", {"3"}},
                                               {"--outputs", {"3"}},
                                               {"--stops", {}},
                                               {"--numbers", {"2"}},
                                               {"--estimates", {"3"}},
                                               {"--domain", {"0:1"}},
                                               {"--neighbours", {"one"}},
                                               {"--neighbour", {"/nonexistent"}},
                                               {"--answer-time", {"10"}},
                                               {"--deterministic", {}},
                                               {"--env", {"PATH"}}};
  expect_judged("try", jobs, values, {"--input", "--exec", "--plugin"});
}

TEST_F(OptionsOfAudit, WayOfASubjectIsAskedForOnce) {
  for (const auto& words : std::vector<Words>{
           {"laplace", "--exec", "/bin/false", "--claim", "eps=1"},
           {"laplace", "--transcripts", bandit_, bandit_, "--claim", "eps=1"},
           {"--exec", "/bin/false", "--plugin", "/none.so", "--claim", "eps=1"},
           {"--transcripts", bandit_, bandit_, "--input", rewards_, "--claim", "eps=1"},
           {"laplace", "--claim", ""}}) {
    const auto run = run_assay(with({"audit"}, words));
    EXPECT_EQ(run.status, 2) << run.out;
    EXPECT_THAT(run.err, AnyOf(HasSubstr("CASE is for cases"), HasSubstr("give one of"),
                               HasSubstr("--input is for"), HasSubstr("an empty value")));
  }
}

// What is given and ignored by mistake in practice.
TEST_F(OptionsOfAudit, ThatWouldBeIgnoredAreNamedWithWhatTheyAreFor) {
  const std::pair<Words, const char*> given[] = {
      {{"thompson-sampling", "--arms", "3", "--horizon", "7", "--neighbour", "/nonexistent"},
       "--arms is for external targets that play actions, and has no effect on an audit of "
       "thompson-sampling by likelihood"},
      {{"report-noisy-max", "--round-outputs", "0.1"},
       "--round-outputs is for external mechanisms"},
      {{"--exec", "/bin/false", "--kind", "bandit", "--inputs", "3", "--claim", "eps=1"},
       "--inputs is for external targets of --kind mechanism, and has no effect on an audit of an "
       "external bandit by events"},
      {{"laplace", "--answer-time", "bad", "--canaries", "NaN"},
       "--answer-time is for external targets that are played"}};
  for (const auto& [words, message] : given) {
    const auto run = run_assay(with({"audit"}, words));
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

TEST_F(OptionsOfAudit, OfTheEnvironmentAreForWhoeverUsesThem) {
  setenv("ASSAY_SEED", "5", 1);
  const auto run = run_assay({"audit", "--transcripts", bandit_, bandit_, "--claim", "eps=1"});
  const auto figure = run_assay({"simulate", "ts-fig1", "--format", "none"});  // has no seed
  const auto replay = run_assay({"replay", "laplace", "--old", "0", "--new", "1"});
  unsetenv("ASSAY_SEED");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(figure.err, HasSubstr("--format must be"));
  EXPECT_THAT(replay.out, HasSubstr("seed 5"));
}

// The options that the table accepts change the report.
TEST_F(OptionsOfAudit, ThatAreAcceptedChangeTheReport) {
  const auto report_of = [](const Words& words) {
    const auto run = run_assay(with(words, {"--format", "json"}));
    auto report = nlohmann::json::parse(run.out);
    report.erase("meta");
    return report;
  };
  const std::string pair = folder_.write("pair.csv", "0\n1\n");
  const Words exact = {"audit", "randomized-response"};
  for (const auto& words : std::vector<Words>{{"-p", "epsilon=2"},
                                              {"--claim", "eps=2"},
                                              {"--input", pair},
                                              {"--method", "events"},
                                              {"--confidence", "0.9"},
                                              {"--delta0", "1e-3"},
                                              {"--seed", "7"}}) {
    EXPECT_NE(report_of(with(exact, words)), report_of(exact)) << words[0];
  }
  const Words rows = {"audit", "--transcripts", bandit_, bandit_, "--claim", "eps=1"};
  for (const auto& words :
       std::vector<Words>{{"--claim", "mu=1"}, {"--confidence", "0.9"}, {"--changed-row", "2"}}) {
    auto other = rows;
    if (words[0] == "--claim") other.resize(4);
    // What is seen on recorded plays that are all alike is the same from any row; the command is not.
    EXPECT_NE(report_of(with(other, words)), report_of(rows)) << words[0];
  }
}

TEST(OptionsOfVerify, HaveAnEffectOrAreRefused) {
  const std::set<std::string> always = {"--threads", "--format",       "--quiet",
                                        "--write",   "--certificates", "--strict"};
  const TemporaryFolder folder;
  expect_judged("verify",
                {{"a proof", {"mts-lemma7"}, always},
                 {"a search", {"softmax-lemma2"}, also(always, {"--seed", "--effort"})},
                 {"runs", {"mts-pulls"}, also(always, {"--seed", "--effort", "--confidence"})},
                 {"one of each", {"mts-*"}, also(always, {"--seed", "--effort", "--confidence"})}},
                {{"--seed", {"2"}},
                 {"--effort", {"0.1"}},
                 {"--confidence", {"0.9"}},
                 {"--threads", {"1"}},
                 {"--format", {"none"}},
                 {"--quiet", {}},
                 {"--write", {folder.file("report.md")}},
                 {"--certificates", {folder.file("certificates")}},
                 {"--strict", {}}},
                {});
}

TEST(OptionsOfSimulate, HaveAnEffectOrAreRefused) {
  const std::set<std::string> always = {"--horizon", "--threads", "--check", "--format",
                                        "--quiet",   "--write",   "--output"};
  const TemporaryFolder folder;
  expect_judged(
      "simulate",
      {{"a closed form", {"ts-fig1"}, always},
       {"runs", {"ts-fig2"}, also(always, {"--repetitions", "--seed", "--regret", "--checkpoint"})},
       {"experts",
        {"ftnl-gap"},
        also(always, {"--repetitions", "--seed", "--parameter", "--checkpoint"})}},
      {{"--repetitions", {"2"}},
       {"--horizon", {"1000"}},
       {"--seed", {"2"}},
       {"--regret", {"realised"}},
       {"--parameter", {"actions=3"}},
       {"--threads", {"1"}},
       {"--checkpoint", {folder.file("kept")}},
       {"--check", {}},
       {"--format", {"none"}},
       {"--quiet", {}},
       {"--write", {folder.file("report.csv")}},
       {"--output", {folder.file("reports")}}},
      {});
}

TEST(OptionsOfDetect, HaveAnEffectOrAreRefused) {
  const TemporaryFolder folder;
  const std::set<std::string> always = {"--seed",   "--confidence", "--threads",
                                        "--format", "--quiet",      "--write"};
  expect_judged("detect",
                {{"mechanisms", {}, also(always, {"--sample-share", "--sequences"})},
                 {"sequences", {"--sequences"}, always}},
                {{"--seed", {"2"}},
                 {"--confidence", {"0.95"}},
                 {"--sample-share", {"0.01"}},
                 {"--threads", {"1"}},
                 {"--format", {"none"}},
                 {"--quiet", {}},
                 {"--write", {folder.file("report.json")}},
                 {"--sequences", {}}},
                {});
}

TEST(OptionsOfReplay, HaveAnEffectOrAreRefused) {
  const Words inputs = {"--old", "0", "--new", "1"};
  const Words exec = with({"--exec", "/bin/false"}, inputs);
  const TemporaryFolder folder;
  const std::set<std::string> always = {"--seed", "--format", "--quiet", "--write"};
  const auto target = also(always, {"--kind", "--answer-time", "--stops", "--env"});
  const auto actions = also(target, {"--arms", "--horizon", "--numbers", "--estimates"});
  expect_judged("replay",
                {{"a case", with({"laplace"}, inputs), also(always, {"--parameter"})},
                 {"a bandit", exec, actions},
                 {"a shared library", with({"--plugin", "/none.so"}, inputs), actions},
                 {"a contextual bandit", with(exec, {"--kind", "contextual"}),
                  also(actions, {"--dimension"})},
                 {"a bandit with numbers", with(exec, {"--numbers", "1"}),
                  also(actions, {"--round-outputs"})},
                 {"a mechanism", with(exec, {"--kind", "mechanism"}),
                  also(target, {"--inputs", "--outputs", "--round-outputs"})}},
                {{"--parameter", {"epsilon=2"}},
                 {"--seed", {"2"}},
                 {"--format", {"none"}},
                 {"--quiet", {}},
                 {"--write", {folder.file("report.json")}},
                 {"--kind", {"bandit"}},
                 {"--arms", {"3"}},
                 {"--horizon", {"7"}},
                 {"--dimension", {"2"}},
                 {"--inputs", {"3"}},
                 {"--outputs", {"3"}},
                 {"--stops", {}},
                 {"--numbers", {"2"}},
                 {"--estimates", {"3"}},
                 {"--round-outputs", {"0.1"}},
                 {"--answer-time", {"10"}},
                 {"--env", {"PATH"}}},
                {"--exec", "--plugin", "--old", "--new"});
}

TEST(OptionsOfFrontier, AllHaveAnEffect) {
  const TemporaryFolder folder;
  const std::map<std::string, Words> values = {{"--seed", {"2"}},
                                               {"--budget", {"1"}},
                                               {"--epochs", {"2"}},
                                               {"--actions", {"100"}},
                                               {"--noise", {"laplace"}},
                                               {"--c2", {"8"}},
                                               {"--checkpoint", {folder.file("kept")}},
                                               {"--threads", {"1"}},
                                               {"--format", {"none"}},
                                               {"--write", {folder.file("report.json")}}};
  std::set<std::string> all;
  for (const auto& [option, value] : values) all.insert(option);
  expect_judged("frontier", {{"a search", {}, all}}, values, {});
}

TEST(OptionsOfBench, AllHaveAnEffect) {
  const TemporaryFolder folder;
  const std::map<std::string, Words> values = {{"--parameter", {"answers=2"}},
                                               {"--epsilon", {"1"}},
                                               {"--delta", {"1e-6"}},
                                               {"--samples", {"20"}},
                                               {"--time", {"1"}},
                                               {"--seed", {"2"}},
                                               {"--confidence", {"0.9"}},
                                               {"--sizes", {"2"}},
                                               {"--timings", {"0"}},
                                               {"--threads", {"1"}},
                                               {"--format", {"none"}},
                                               {"--quiet", {}},
                                               {"--write", {folder.file("report.csv")}}};
  std::set<std::string> all;
  for (const auto& [option, value] : values) all.insert(option);
  expect_judged("bench", {{"a group", {"additive", "--epsilon", "1"}, all}}, values, {});
}

TEST(OptionsOfSuite, HaveAnEffectOrAreRefused) {
  const TemporaryFolder folder;
  const std::string entry =
      "schema = \"assay.suite/1\"\n[[audit]]\nid = \"a\"\ncase = \"laplace\"\n"
      "tier = \"smoke\"\ntags = [\"t\"]\n";
  const std::string plain = folder.write("plain.toml", entry);
  const std::string base = folder.write(
      "base.toml", "schema = \"assay.suite-baseline/1\"\nsuite = \"plain.toml\"\nentries = []\n");
  const std::string suppressed = folder.write(
      "suppressed.toml", entry +
                             "[[suppress]]\nid = \"s\"\nscope = \"a\"\nstatus = \"violated\"\n"
                             "reason = \"r\"\nowner = \"o\"\nexpires = \"2027-01-01\"\n");
  const std::set<std::string> tolerances = {"--tolerance", "--power-tolerance", "--time-tolerance"};
  const std::set<std::string> always = {
      "--tier",     "--entry",    "--tag",    "--time",    "--seed",   "--history",
      "--baseline", "--revision", "--report", "--threads", "--format", "--fail-on-inconclusive",
      "--quiet",    "--write"};
  std::map<std::string, Words> values = {{"--tier", {"full"}},
                                         {"--entry", {"a"}},
                                         {"--tag", {"t"}},
                                         {"--time", {"5"}},
                                         {"--seed", {"2"}},
                                         {"--history", {"none"}},
                                         {"--no-reuse", {}},
                                         {"--baseline", {"none"}},
                                         {"--today", {"2026-11-23"}},
                                         {"--revision", {"x"}},
                                         {"--fail-on-inconclusive", {}},
                                         {"--report", {"text=" + folder.file("r.txt")}},
                                         {"--threads", {"1"}},
                                         {"--format", {"none"}},
                                         {"--quiet", {}},
                                         {"--write", {folder.file("r.json")}}};
  for (const auto& option : tolerances) values[option] = {"0.1"};
  expect_judged(
      "suite run",
      {{"a run", {plain}, also(always, {"--no-reuse", "--today"})},
       {"a run alone", {plain, "--history", "none"}, always},
       {"a comparison",
        {plain, "--baseline", base},
        also(also(always, tolerances), {"--no-reuse", "--today"})},
       {"a suite that suppresses", {suppressed}, also(always, {"--no-reuse", "--today"})}},
      values, {});
  expect_judged(
      "suite compare",
      {{"two baselines", {base, base}, also(tolerances, {"--format", "--quiet", "--write"})}},
      values, {});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".assay"));  // nothing ran
}

TEST(OptionsOfList, AnEmptyKindIsNotAllKinds) {
  const auto run = run_assay({"list", ""});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("KIND is given an empty value"));
}

}  // namespace
}  // namespace assay
