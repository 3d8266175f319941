// Every option against every job of the command: it has an effect there, or it is refused by name. The
// options are read from --help, so that a new one has to find its place here.
#include <nlohmann/json.hpp>
#include <regex>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// "--claim", "--parameter", ...: the long names that --help lists.
Words options_of(const Words& command) {
  const std::regex option(R"(^  (?:-\w, )?(--[a-z0-9-]+))");
  Words found;
  std::istringstream help(run_assay(with(command, "--help")).out);
  for (std::string line; std::getline(help, line);) {
    std::smatch match;
    if (std::regex_search(line, match, option) && match[1] != "--help") found.push_back(match[1]);
  }
  return found;
}

// Names of options, without their dashes.
struct Options : std::set<std::string> {
  Options(const Words& names) {
    for (const auto& name : names) insert("--" + name);
  }
  Options(const char* names) : Options(Words(names)) {}
};
Options operator+(Options options, const Options& more) {
  options.insert(more.begin(), more.end());
  return options;
}

struct Job {
  std::string name;
  Words words;
  Options used;  // the options that have an effect, beside those of `words`
};

// A value of each option, none where it takes none.
std::map<std::string, Words> values_of_options() {
  const Words all =
      "actions=100 answer-time=10 arms=3 as-run=3 baseline=none budget=1 c2=8 canaries=3 certificates=x "
      "changed-row=1 check= checkpoint=x claim=eps=1 column=r confidence=0.99 delta=1e-6 "
      "delta0=1e-3 deterministic= dimension=2 distribution=laplace:scale=1 domain=0:1 effort=0.1 entry=a env=PATH epochs=2 "
      "epsilon=1 estimates=3 failures=memory fail-on-inconclusive= features=x format=none "
      "history=none horizon=1000 inputs=3 keep-shares= kind=bandit full= memory=8G "
      "method=auto "
      "neighbour=/nonexistent neighbours=one no-reuse= noise=laplace numbers=2 output=x "
      "outputs=3 parameter=epsilon=1 runs=2000 power-tolerance=0.1 quiet= regret=realised "
      "repetitions=2 report=text=x revision=x round-outputs=0.1 rounded-to=0.1 sample-share=0.01 samples=512 "
      "sandbox= search=5 see=3 seed=7 sequences= settings=3 shard=1/2 shard-file=x sizes=2 stop-after=256 stop-when-decided= stops= "
      "strict= tag=t threads=1 tier=full time=1 time-tolerance=0.1 timings=0 "
      "today=2026-11-23 tolerance=0.1 training=50 vary=x=1,2 write=report.csv";
  std::map<std::string, Words> values;
  for (const auto& word : all) {
    const auto equals = word.find('=');
    values["--" + word.substr(0, equals)] = Words(word.substr(equals + 1));
  }
  return values;
}

// How messages call it.
std::string shown(const std::string& option) {
  if (option == "--parameter") return "-p";
  if (option == "--write") return "-w";
  return option;
}

// A format that does not exist ends every job after its options were judged and before it begins.
void expect_judged(const Words& command, const std::vector<Job>& jobs, const Options& elsewhere,
                   const std::map<std::string, Words>& own_values = {}) {
  auto values = values_of_options();
  for (const auto& [option, value] : own_values) values[option] = value;
  const auto options = options_of(command);
  EXPECT_GT(options.size(), 3U);
  for (const auto& option : options) {
    if (elsewhere.count(option) > 0) continue;
    ASSERT_EQ(values.count(option), 1U) << option << " of " << command[0] << " needs a value here";
    for (const auto& job : jobs) {
      const auto& given = job.words;
      if (std::find(given.begin(), given.end(), option) != given.end()) continue;
      SCOPED_TRACE(option + " for " + job.name);
      auto words = with(with(with(command, job.words), option), values.at(option));
      if (option != "--format") words = with(words, "--format none");
      const auto run = run_expecting(2, words);
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
  const Options report = "claim see method confidence threads format quiet full write";
  const auto of_case = report + "parameter delta0 seed time";
  const auto of_policy = of_case + "search";
  const auto played = report +
                      "input neighbour domain neighbours seed samples kind answer-time "
                      "deterministic stops failures env memory";
  const auto actions = played + "arms horizon numbers estimates";
  const auto program = actions + "runs time stop-when-decided vary sandbox";
  const Words policy = "thompson-sampling --parameter horizon=4";
  const Words exec = {"--exec", "/bin/false {x}", "--claim", "eps=1"};
  const Words numbers = with(exec, "--kind mechanism");
  const Words runs = {"--transcripts", bandit_, bandit_, "--claim"};
  expect_judged(
      "audit",
      {{"a mechanism, exact", "randomized-response", of_case},
       {"a policy, exact", policy, of_policy},
       {"a policy with an input", with(policy, {"--input", rewards_, "--column", "r"}), of_policy},
       {"a policy by likelihood", with(policy, "--method likelihood"),
        of_policy + "samples stop-when-decided"},
       {"a policy by likelihood with samples", with(policy, "--method likelihood --samples 512"),
        of_policy + "stop-when-decided stop-after"},
       {"experts", "ftnl", of_case},
       {"best arm", "dp-bai", of_case + "features"},
       {"duels", "dp-ebs --parameter horizon=4", of_case + "samples search"},
       {"a mechanism by likelihood", "laplace --method likelihood", of_case + "samples"},
       {"a mechanism by events", "laplace --method events",
        report + "parameter seed time samples stop-when-decided"},
       {"a mechanism by events, in mu", "laplace --method events --claim mu=1",
        of_case + "samples stop-when-decided"},
       {"a bandit", exec, program},
       {"a bandit, in mu", {"--exec", "/bin/false {x}", "--claim", "mu=1"}, program + "delta0"},
       {"a bandit until decided", with(exec, "--stop-when-decided"),
        actions + "vary runs time sandbox"},
       {"a bandit with a parameter", with(exec, "--vary x=1:2"),
        actions + "runs time stop-when-decided settings sandbox"},
       {"a contextual bandit", with(exec, "--kind contextual"), program + "dimension"},
       {"an external mechanism", numbers,
        played + "inputs outputs round-outputs runs time stop-when-decided vary sandbox"},
       {"an external mechanism in one run", with(numbers, "--method one-run --inputs 20"),
        played + "outputs canaries training sandbox"},
       {"a bandit with estimates", with(exec, "--estimates 2"), program + "round-outputs"},
       {"a shared library", "--plugin /none.so --claim eps=1",
        actions + "runs time stop-when-decided"},
       {"recorded plays", with(runs, "eps=1"), report + "changed-row"},
       {"recorded plays, in mu", with(runs, "mu=1"), report + "changed-row delta0"},
       {"recorded outputs",
        {"--transcripts", mechanism_, mechanism_, "--claim", "eps=1"},
        report + "round-outputs"}},
      "input exec plugin transcripts",
      {{"--features", {folder_.write("arms.csv", "1,0\n0,1\n1,1\n")}},
       {"--horizon", "7"},
       {"--write", {folder_.file("report.json")}}});
}

// One command line serves both.
TEST_F(OptionsOfAudit, OfADryRunAreThoseOfAnAuditOfATarget) {
  const Options played =
      "input runs neighbour seed samples quiet kind threads format write answer-time deterministic "
      "domain neighbours stops env claim see confidence method time stop-when-decided failures full memory";
  const auto actions = played + "arms horizon numbers estimates";
  const auto program = actions + "vary sandbox";
  const Words exec = {"--exec", "/bin/false {x}"};
  expect_judged(
      "try",
      {{"a bandit", exec, program},
       {"a bandit, in mu", with(exec, "--claim mu=1"), program + "delta0"},
       {"a bandit with a parameter", with(exec, "--vary x=1:2"), actions + "settings sandbox"},
       {"a contextual bandit", with(exec, "--kind contextual"), program + "dimension"},
       {"a mechanism", with(exec, "--kind mechanism"),
        played + "inputs outputs round-outputs vary sandbox"},
       {"a bandit by one run", with(exec, "--method one-run"),
        "claim see confidence method threads format quiet full write input neighbour domain "
        "neighbours seed samples kind answer-time deterministic stops failures env arms horizon "
        "numbers estimates canaries training memory sandbox"},
       {"a shared library", "--plugin /none.so", actions}},
      "input exec plugin", {{"--write", {folder_.file("report.json")}}});
}

TEST_F(OptionsOfAudit, WayOfASubjectIsAskedForOnce) {
  for (const auto& words : std::vector<Words>{
           {"laplace", "--exec", "/bin/false", "--claim", "eps=1"},
           {"laplace", "--transcripts", bandit_, bandit_, "--claim", "eps=1"},
           {"--exec", "/bin/false", "--plugin", "/none.so", "--claim", "eps=1"},
           {"--transcripts", bandit_, bandit_, "--input", rewards_, "--claim", "eps=1"},
           {"laplace", "--claim", ""}}) {
    const auto run = run_expecting(2, with("audit", words));
    EXPECT_THAT(run.err, AnyOf(HasSubstr("CASE is for cases"), HasSubstr("give one of"),
                               HasSubstr("--input is for"), HasSubstr("an empty value")));
  }
}

// What is given and ignored by mistake in practice.
TEST_F(OptionsOfAudit, ThatWouldBeIgnoredAreNamedWithWhatTheyAreFor) {
  const std::pair<Words, const char*> given[] = {
      {"thompson-sampling --arms 3 --horizon 7 --neighbour /nonexistent",
       "--arms is for external targets that choose actions, and has no effect on an audit of "
       "thompson-sampling by likelihood"},
      {"report-noisy-max --round-outputs 0.1", "--round-outputs is for external mechanisms"},
      {"--exec /bin/false --kind bandit --inputs 3 --claim eps=1",
       "--inputs is for external targets of --kind mechanism, and has no effect on an audit of an "
       "external bandit by events"},
      {"laplace --answer-time bad --canaries NaN",
       "--answer-time is for external targets that Assay runs"}};
  for (const auto& [words, message] : given) expect_refused(with("audit", words), message);
}

TEST_F(OptionsOfAudit, OfTheEnvironmentAreForWhoeverUsesThem) {
  setenv("ASSAY_SEED", "5", 1);
  const auto run = run_assay({"audit", "--transcripts", bandit_, bandit_, "--claim", "eps=1"});
  const auto figure = run_assay({"simulate", "ts-fig1", "--format", "none"});  // has no seed
  const auto replay = run_assay({"replay", "laplace", "--old", "0", "--new", "1"});
  unsetenv("ASSAY_SEED");
  EXPECT_EQ(run.status, 3) << run.err;  // weak
  EXPECT_THAT(figure.err, HasSubstr("--format must be"));
  EXPECT_THAT(replay.out, HasSubstr("seed 5"));
}

// The options that the table accepts change the report.
TEST_F(OptionsOfAudit, ThatAreAcceptedChangeTheReport) {
  const auto report_of = [](const Words& words) {
    return without_meta(run_assay(with(words, "--format json")).out);
  };
  const std::string pair = folder_.write("pair.csv", "0\n1\n");
  const Words exact = "audit randomized-response";
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
  const Options always = "threads shard shard-file format quiet write certificates findings strict";
  const TemporaryFolder folder;
  expect_judged("verify",
                {{"a proof", "mts-lemma7", always},
                 {"a search", "softmax-lemma2", always + "seed effort"},
                 {"runs", "mts-pulls", always + "seed effort confidence"},
                 {"one of each", "mts-*", always + "seed effort confidence"}},
                Words(),
                {{"--write", {folder.file("report.md")}},
                 {"--findings", {folder.file("findings.md")}},
                 {"--certificates", {folder.file("certificates")}}});
}

TEST(OptionsOfSimulate, HaveAnEffectOrAreRefused) {
  const Options always = "horizon threads shard shard-file check format quiet write output";
  const TemporaryFolder folder;
  expect_judged("simulate",
                {{"a closed form", "ts-fig1", always},
                 {"runs", "ts-fig2", always + "repetitions seed regret checkpoint"},
                 {"experts", "ftnl-gap", always + "repetitions seed parameter checkpoint"}},
                Words(),
                {{"--parameter", "actions=3"},
                 {"--checkpoint", {folder.file("kept")}},
                 {"--write", {folder.file("report.csv")}},
                 {"--output", {folder.file("reports")}}});
}

TEST(OptionsOfDetect, HaveAnEffectOrAreRefused) {
  const TemporaryFolder folder;
  const Options always = "seed confidence threads shard shard-file format quiet write";
  expect_judged(
      "detect",
      {{"mechanisms", {}, always + "sample-share sequences"}, {"sequences", "--sequences", always}},
      Words(), {{"--write", {folder.file("report.json")}}});
}

TEST(OptionsOfReplay, HaveAnEffectOrAreRefused) {
  const Words inputs = "--old 0 --new 1";
  const Words exec = with("--exec /bin/false", inputs);
  const TemporaryFolder folder;
  const Options always = "seed format quiet write";
  const auto target = always + "kind domain answer-time stops env memory";
  const auto actions = target + "arms horizon numbers estimates";
  expect_judged(
      "replay",
      {{"a case", with("laplace", inputs), always + "parameter"},
       {"a bandit", exec, actions + "sandbox"},
       {"a shared library", with("--plugin /none.so", inputs), actions},
       {"a contextual bandit", with(exec, "--kind contextual"), actions + "dimension sandbox"},
       {"a bandit with numbers", with(exec, "--numbers 1"), actions + "round-outputs sandbox"},
       {"a mechanism", with(exec, "--kind mechanism"),
        target + "inputs outputs round-outputs sandbox"}},
      "exec plugin old new", {{"--write", {folder.file("report.json")}}});
}

TEST(OptionsOfFrontierAndBench, AllHaveAnEffect) {
  const TemporaryFolder folder;
  expect_judged(
      "frontier",
      {{"a search", {}, "seed budget epochs actions noise c2 checkpoint threads format write"}},
      Words(),
      {{"--checkpoint", {folder.file("kept")}}, {"--write", {folder.file("report.json")}}});
  expect_judged(
      "bench",
      {{"a group", "additive --epsilon 1",
        "parameter compose epsilon delta samples time seed confidence sizes timings threads "
        "shard shard-file format quiet write"}},
      Words(),
      {{"--parameter", "answers=2"},
       {"--compose", {"2"}},
       {"--samples", "20"},
       {"--write", {folder.file("report.csv")}}});
}

TEST(OptionsOfSampler, HaveAnEffectOrAreRefused) {
  const TemporaryFolder folder;
  const std::string numbers = folder.write("numbers.txt", "0.5\n");
  const Options always = "rounded-to see confidence samples format quiet write";
  const auto program = always + "time answer-time env memory sandbox";
  const Words laplace = "--distribution laplace:scale=1";
  expect_judged(
      "sampler",
      {{"a file", with({"--file", numbers}, laplace), always},
       {"a program", with({"--exec", "/bin/false"}, laplace), program},
       {"a program with a seed", with({"--exec", "/bin/false {seed}"}, laplace), program + "seed"}},
      "exec file", {{"--see", "tv=0.1"}, {"--write", {folder.file("report.csv")}}});
}

TEST(OptionsOfSuite, HaveAnEffectOrAreRefused) {
  const TemporaryFolder folder;
  const std::string entry =
      "schema = \"assay.suite/1\"\nseed = 7\n[[audit]]\nid = \"a\"\ncase = \"laplace\"\n"
      "tier = \"smoke\"\ntags = [\"t\"]\n";
  const std::string plain = folder.write("plain.toml", entry);
  const std::string base = folder.write(
      "base.toml", "schema = \"assay.suite-baseline/1\"\nsuite = \"plain.toml\"\nentries = []\n");
  const std::string suppressed = folder.write(
      "suppressed.toml", entry +
                             "[[suppress]]\nid = \"s\"\nscope = \"a\"\nstatus = \"violated\"\n"
                             "reason = \"r\"\nowner = \"o\"\nexpires = \"2027-01-01\"\n");
  const Options tolerances = "tolerance power-tolerance time-tolerance";
  const Options always =
      "tier entry tag keep-shares time seed history baseline revision report threads format "
      "fail-on-inconclusive quiet full write";
  const std::map<std::string, Words> values = {{"--report", {"text=" + folder.file("r.txt")}},
                                               {"--write", {folder.file("r.json")}}};
  expect_judged(
      "suite run",
      {{"a run", {plain}, always + "no-reuse today"},
       {"a run alone", {plain, "--history", "none"}, always + "as-run shard shard-file"},
       {"a comparison", {plain, "--baseline", base}, always + tolerances + "no-reuse today"},
       {"a suite that suppresses", {suppressed}, always + "no-reuse today"}},
      Words(), values);
  expect_judged("suite compare",
                {{"two baselines", {base, base}, tolerances + "format quiet write"}}, Words(),
                values);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".assay"));  // nothing ran
}

TEST(OptionsOfList, AnEmptyKindIsNotAllKinds) {
  expect_refused({"list", ""}, "KIND is given an empty value");
}

}  // namespace
}  // namespace assay
