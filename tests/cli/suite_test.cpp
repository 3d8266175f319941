// `assay suite` as a team's CI meets it: output, exit codes, reports, baselines, histories.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

constexpr const char* kSuiteHead = "schema = \"assay.suite/1\"\nname = \"team\"\nseed = 7\n";
constexpr const char* kHeld =
    "[[audit]]\nid = \"laplace\"\ncase = \"laplace\"\ntier = \"smoke\"\n"
    "[[account]]\nid = \"year\"\nwhat = \"gaussian\"\nsigma = 20\ncompose = 365\n"
    "below = \"eps=5,delta=1e-6\"\n";
constexpr const char* kViolated =
    "[[audit]]\nid = \"false\"\ncase = \"laplace\"\nclaim = \"eps=0.5\"\n";
constexpr const char* kGone = "[[audit]]\nid = \"gone\"\nexec = \"false\"\nclaim = \"eps=1\"\n";
constexpr const char* kWrong = "[[audit]]\nid = \"wrong\"\ncase = \"laplas\"\n";
constexpr const char* kWeak =
    "[[audit]]\nid = \"weak\"\ncase = \"gaussian\"\nmethod = \"events\"\nsamples = 2000\n"
    "claim = \"eps=1\"\nsee = 1.01\n";

class Suites : public ::testing::Test {
 protected:
  void write(const std::string& entries, const std::string& head = kSuiteHead) {
    folder_.write("assay.toml", head + entries);
  }
  // From another folder than the suite's.
  CommandResult suite(const std::string& what, const Words& more = {}) {
    return run_assay(with({"suite", what, folder_.file("assay.toml")}, more));
  }
  CommandResult run(const Words& more = {}) { return suite("run", with(more, "--history none")); }

  TemporaryFolder folder_;
};

TEST_F(Suites, ARunSaysWhatHeld) {
  write(kHeld);
  const auto result = run();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("Nothing fails. Of 2 entries 2 held.\n"));
  EXPECT_THAT(result.out, HasSubstr("\nlaplace  audit    held    Verified for every pair: "));
  EXPECT_THAT(result.out,
              HasSubstr("\nyear     account  held    eps at delta = 1e-06 is at most "));
  EXPECT_THAT(result.out, HasSubstr("without a history the confidence is that of this run alone"));
}

// Of several the first of 2, 4, 1, 3.
TEST_F(Suites, ExitCodesTellFailuresApart) {
  const auto status = [&](const std::string& entries, const Words& more = {}) {
    write(entries);
    return run(more).status;
  };
  const std::string held = kHeld;
  EXPECT_EQ(status(held), 0);
  EXPECT_EQ(status(held + kViolated), 1);
  EXPECT_EQ(status(held + kWeak), 3);
  EXPECT_EQ(status(held + kViolated + kWeak), 1);
  EXPECT_EQ(status(held + kViolated + kGone), 4);
  EXPECT_EQ(status(held + kViolated + kGone + kWrong), 2);
  const std::string warn = "severity = \"warn\"\n";
  EXPECT_EQ(status(held + kViolated + warn + kGone + warn), 0);
  EXPECT_EQ(status(held + kWrong + warn), 2);  // nobody knows what it would have been
  EXPECT_EQ(status("[[audit]]\nid = \"a\"\n"), 2);
  EXPECT_EQ(status(held + "[[audit]]\n"), 2);
  EXPECT_EQ(status(held, "--tag none"), 2);
  EXPECT_EQ(status(held, {"--report", "sarif=" + folder_.file("no/such/folder")}), 2);
  EXPECT_EQ(status(held, "--format github"), 2);
}

TEST_F(Suites, AnInconclusiveEntryFailsWhereThatIsAskedFor) {
  write("[[verify]]\nid = \"few\"\nclaims = [\"fliphat-regret\"]\neffort = 0.01\n",
        std::string(kSuiteHead) + "confidence = 0.999999999\n");
  const auto lenient = run();
  EXPECT_EQ(lenient.status, 0) << lenient.out;
  EXPECT_THAT(lenient.out, HasSubstr("1 inconclusive"));
  EXPECT_EQ(run("--fail-on-inconclusive").status, 3);
}

TEST_F(Suites, AViolationSaysWhichByHowMuchAndHowToSeeItAgain) {
  write(std::string(kHeld) + kViolated);
  const auto result = run();
  EXPECT_THAT(result.out, StartsWith("Fails: 1 violated. Of 3 entries 2 held, 1 violated.\n"));
  EXPECT_THAT(result.out, HasSubstr("\nfalse: violated"));
  EXPECT_THAT(result.out, HasSubstr("\nFailing     false (violated)\n"));
  EXPECT_THAT(result.out, HasSubstr("assay.toml:14)\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("Exceeded")));
  EXPECT_THAT(run("--full").out, HasSubstr("Exceeded    eps at delta = 0 by at least 0.4999"));
  EXPECT_THAT(result.out, HasSubstr("Reproduce   assay audit laplace "));
}

TEST_F(Suites, ReportsOfEveryKindAtOnce) {
  write(std::string(kHeld) + kViolated);
  const auto result = run(with("--report github", every_report(folder_)));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("\n::error file="));
  EXPECT_THAT(read_file(folder_.file("text")), StartsWith("Fails: 1 violated"));
  const auto json = nlohmann::json::parse(read_file(folder_.file("json")));
  EXPECT_EQ(json.at("schema"), "assay.suite-report/2");
  const auto sarif = nlohmann::json::parse(read_file(folder_.file("sarif")));
  const auto& results = sarif.at("runs").at(0).at("results");
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].at("locations")[0].at("physicalLocation").at("region").at("startLine"), 14);
  EXPECT_THAT(read_file(folder_.file("junit")), HasSubstr("failures=\"1\""));
  const auto quality = nlohmann::json::parse(read_file(folder_.file("codequality")));
  ASSERT_EQ(quality.size(), 1U);
  EXPECT_EQ(quality[0].at("location").at("lines").at("begin"), 14);
  EXPECT_THAT(read_file(folder_.file("html")), HasSubstr("<svg"));
  EXPECT_THAT(read_file(folder_.file("markdown")), HasSubstr("violated"));
  EXPECT_THAT(read_file(folder_.file("github-summary")), HasSubstr("laplace"));
  const auto annotations = folder_.file("annotations");
  EXPECT_THAT(run({"--report", "github=" + annotations}).out, Not(HasSubstr("::error")));
  EXPECT_THAT(read_file(annotations), StartsWith("::error file="));
}

TEST_F(Suites, TheSameSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  write(std::string(kHeld) + kViolated + kWeak);
  const auto bytes = [&](const std::string& threads) {
    auto json = nlohmann::json::parse(run({"--format", "json", "--threads", threads}).out);
    json.erase("meta");
    for (auto& entry : json.at("entries")) entry.erase("meta");
    return json.dump();
  };
  EXPECT_EQ(bytes("1"), bytes("3"));
}

TEST_F(Suites, TheSmokeTierIsWhatAHookRuns) {
  write(std::string(kHeld) + kViolated);
  const auto result = run("--tier smoke");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("Of 1 entry 1 held."));
}

// A change that weakens a guarantee fails against the baseline although its own claim still holds.
TEST_F(Suites, AWeakerBoundFailsAgainstTheBaseline) {
  const std::string account =
      "baseline = \"base.toml\"\n[[account]]\nid = \"year\"\nwhat = \"gaussian\"\nsigma = ";
  const std::string rest = "\ncompose = 365\nbelow = \"eps=9,delta=1e-6\"\n";
  write(account + "20" + rest);
  EXPECT_EQ(suite("run", "--history none").status, 2);  // there is no such file yet
  const auto update = suite("update", "--history none");
  EXPECT_EQ(update.status, 0) << update.err;
  const std::string baseline = read_file(folder_.file("base.toml"));
  EXPECT_THAT(baseline, HasSubstr("{id = \"year\", kind = \"account\", status = \"held\""));
  EXPECT_EQ(run().status, 0);

  write(account + "15" + rest);
  const auto weaker = run({"--format", "json", "--report", "text=" + folder_.file("text")});
  EXPECT_EQ(weaker.status, 1);
  const auto change = nlohmann::json::parse(weaker.out).at("changes").at(0);
  EXPECT_EQ(change.at("change"), "weaker-bound");
  EXPECT_EQ(change.at("regresses"), true);
  EXPECT_THAT(read_file(folder_.file("text")), StartsWith("Fails: 1 weaker bound."));
  EXPECT_EQ(run("--tolerance 1").status, 0);
  folder_.write("now.json", weaker.out);
  const auto compared =
      run_expecting(1, {"suite", "compare", folder_.file("base.toml"), folder_.file("now.json")});
  EXPECT_THAT(compared.out, HasSubstr("1 of them for the worse"));
  run_expecting(0, {"suite", "compare", folder_.file("now.json"), folder_.file("now.json")});
}

// A violation is written into a baseline as what it is, and fails all the same.
TEST_F(Suites, AViolationIsNeverBaselinedAway) {
  write(kViolated, std::string(kSuiteHead) + "baseline = \"base.toml\"\n");
  EXPECT_EQ(suite("update", "--history none").status, 1);
  const auto again = run("--format json");
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(nlohmann::json::parse(again.out).at("changes").at(0).at("change"), "still-violated");
}

TEST_F(Suites, NoBaselineIsMadeOfWhatDidNotRun) {
  write(std::string(kHeld) + kGone);
  const auto update = suite("update", "--history none");
  EXPECT_EQ(update.status, 4);
  EXPECT_THAT(update.err, HasSubstr("no baseline is written: entry 'gone'"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("assay.baseline.toml")));
}

TEST_F(Suites, SuppressionsHaveAnOwnerAndADay) {
  const std::string suppressed = std::string(kViolated) +
                                 "[[suppress]]\nid = \"known\"\nscope = \"f*\"\n"
                                 "status = \"violated\"\nreason = \"next release\"\n"
                                 "owner = \"ann\"\nexpires = \"2027-01-31\"\n";
  write(suppressed);
  const auto covered = run("--today 2027-01-31");
  EXPECT_EQ(covered.status, 0) << covered.out;
  EXPECT_THAT(covered.out, HasSubstr("suppressed"));
  const auto expired = run("--today 2027-02-01");
  EXPECT_EQ(expired.status, 1);
  EXPECT_THAT(expired.out, HasSubstr("known"));
  EXPECT_EQ(run("--today tomorrow").status, 2);
}

std::string regret_entry(const std::string& id, const std::string& limit) {
  return "[[regret]]\nid = \"" + id +
         "\"\npolicy = \"thompson-sampling\"\nenvironment = \"bernoulli-arms\"\n"
         "means = [0.7, 0.3]\nhorizon = 50\nruns = 500\n" +
         limit + "\n";
}

TEST_F(Suites, ARegretHasTheExitCodesAndReportsOfOtherEntries) {
  write(regret_entry("low", "at-most = 8"));
  EXPECT_EQ(run().status, 0);
  write(regret_entry("middle", "baseline = \"thompson-sampling\"\nat-most-times = 1"));
  const auto undecided = run();
  EXPECT_EQ(undecided.status, 3);
  EXPECT_THAT(undecided.out, HasSubstr("middle: inconclusive"));
  EXPECT_THAT(undecided.out, HasSubstr("would probably"));
  std::string longer = regret_entry("long", "baseline = \"thompson-sampling\"\nat-most-times = 1");
  longer.replace(longer.find("runs = 500"), 10, "runs = 10000000");
  write(longer);
  const auto cut = run("--time 1");
  EXPECT_EQ(cut.status, 4) << cut.out;
  EXPECT_THAT(cut.out, AllOf(HasSubstr("or fewer runs, would let it finish"),
                             HasSubstr("The time ended after"), HasSubstr("set fewer")));
  write(regret_entry("high", "at-most = 1"));
  const auto violated = run(with("--report github", every_report(folder_)));
  EXPECT_EQ(violated.status, 1);
  EXPECT_THAT(violated.out, HasSubstr("thompson-sampling violates its claim regret <= 1"));
  EXPECT_THAT(violated.out, HasSubstr("Correct the policy, or allow more with at-most."));
  for (const auto& kind : kReportKinds) {
    EXPECT_THAT(read_file(folder_.file(kind)), HasSubstr("is at least")) << kind;
  }
  const auto json = nlohmann::json::parse(read_file(folder_.file("json")));
  EXPECT_EQ(json.at("entries").at(0).at("kind"), "regret");
  write(regret_entry("wrong", "at-most = 99"));
  const auto wrong = suite("list");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("assay.toml:11"), HasSubstr("at-most must be")));
}

// A larger regret fails against the baseline, within its own limit; an unchanged one is not simulated again.
TEST_F(Suites, ARegretIsFollowedFromRunToRun) {
  const std::string baseline = "baseline = \"base.toml\"\n";
  write(baseline + regret_entry("regret", "at-most = 15"));
  EXPECT_EQ(suite("update").status, 0);
  const auto again = nlohmann::json::parse(suite("run", "--format json").out);
  EXPECT_EQ(again.at("entries").at(0).at("reused_from"), 1);
  write(baseline + regret_entry("regret", "at-most = 15\nparameters = {variance = 20}"));
  const auto worse = suite("run", "--format json");
  EXPECT_EQ(worse.status, 1);
  EXPECT_EQ(nlohmann::json::parse(worse.out).at("changes").at(0).at("change"), "weaker-bound");
}

// A program that alternates between two arms: its regret is 50 x 0.4 / 2 = 10.
class ProgramRegrets : public Suites {
 protected:
  void write_program(const std::string& choice) {
    folder_.write("policy.py",
                  "from assay_target import serve\n"
                  "def play(rewards, shape, seed, rng):\n"
                  "    return [" +
                      choice +
                      " for t in range(shape.horizon)]\n"
                      "serve(play, kind='bandit')\n");
  }
  static std::string entry(const std::string& rest) {
    return "[[regret]]\nid = \"regret\"\nexec = \"" ASSAY_PYTHON
           " policy.py\"\nenvironment = \"bernoulli-arms\"\nmeans = [0.7, 0.3]\nhorizon = 50\n"
           "runs = 200\n" +
           rest + "\n";
  }
};

TEST_F(ProgramRegrets, HaveTheExitCodesOfOtherEntries) {
  write_program("t % 2");
  write(entry("at-most = 12"));
  const auto held = run("--full");
  EXPECT_EQ(held.status, 0) << held.out;
  EXPECT_THAT(held.out, HasSubstr("The regret in 50 rounds is at most 1"));
  write(entry("at-most = 8"));
  const auto violated = run("--full");
  EXPECT_EQ(violated.status, 1);
  EXPECT_THAT(violated.out, AllOf(HasSubstr("policy.py"), HasSubstr("; 8 is allowed"),
                                  HasSubstr("executions of the program")));
  write(entry("at-most = 10.01"));
  EXPECT_EQ(run().status, 3);
  write(entry("baseline = \"ucb1\"\nat-most-times = 100"));
  EXPECT_EQ(run().status, 0);
  write(entry("baseline-exec = \"" ASSAY_PYTHON " policy.py\"\nat-most-times = 2"));
  EXPECT_EQ(run().status, 0);
  write(entry("at-most = 12\nkind = \"contextual\""));
  const auto contextual = run();
  EXPECT_EQ(contextual.status, 2);
  EXPECT_THAT(contextual.out, HasSubstr("kind must be bandit, best-arm,"));
  write(entry("at-most = 12\nenv = [\"all\"]"));
  EXPECT_THAT(run().err, HasSubstr("env names variables one by one"));
  write_program("2");
  write(entry("at-most = 12"));
  const auto wrong = run();
  EXPECT_EQ(wrong.status, 4);
  EXPECT_THAT(wrong.out, HasSubstr("exec: "));
}

// Only with `depends` is the content known, and then a change of the program ends its violation.
TEST_F(ProgramRegrets, AreReusedWhileTheirFilesStayAsTheyAre) {
  const auto reused = [&] {
    const auto again = nlohmann::json::parse(suite("run", "--format json").out);
    return !again.at("entries").at(0).at("reused_from").is_null();
  };
  write_program("t % 2");
  write(entry("at-most = 12"));
  EXPECT_FALSE(reused());
  EXPECT_FALSE(reused());
  write(entry("at-most = 12\ndepends = [\"policy.py\"]"));
  EXPECT_FALSE(reused());
  EXPECT_TRUE(reused());
  write_program("1");
  EXPECT_FALSE(reused());
  EXPECT_EQ(suite("run").status, 1);
  write_program("0");
  EXPECT_EQ(suite("run").status, 0);
}

// How far it came is not a result of the content.
TEST_F(ProgramRegrets, AreNotReusedIfTheTimeEndedThem) {
  write_program("__import__('time').sleep(0.005) or 0");
  write(entry("at-most = 12\ndepends = [\"policy.py\"]"));
  const auto first = suite("run", "--time 2 --threads 2 --format json");
  const auto entry_of = [](const CommandResult& result) {
    return nlohmann::json::parse(result.out).at("entries").at(0);
  };
  EXPECT_THAT(entry_of(first).dump(), HasSubstr("the time ended before 200 runs"));
  EXPECT_TRUE(
      entry_of(suite("run", "--time 2 --threads 2 --format json")).at("reused_from").is_null());
}

// The alpha of a run follows from its number; an unchanged result is not found again.
TEST_F(Suites, RunsOfAHistoryShareOneAlpha) {
  write(std::string(kHeld) + kViolated);
  const auto first = nlohmann::json::parse(suite("run", "--format json").out);
  const auto second = nlohmann::json::parse(suite("run", "--format json").out);
  EXPECT_TRUE(std::filesystem::exists(folder_.file(".assay/history.sqlite")));
  EXPECT_EQ(first.at("run"), 1);
  EXPECT_EQ(second.at("run"), 2);
  EXPECT_GT(first.at("alpha").get<double>(), second.at("alpha").get<double>());
  for (const auto& entry : second.at("entries")) EXPECT_EQ(entry.at("reused_from"), 1);
  EXPECT_EQ(suite("run").status, 1);  // never a retry into green
  const auto listed = suite("list");
  EXPECT_THAT(listed.out, HasSubstr("reused"));
  const auto anew = nlohmann::json::parse(suite("run", "--format json --no-reuse").out);
  EXPECT_TRUE(anew.at("entries")[0].at("reused_from").is_null());

  folder_.write(".assay/history.sqlite", "no database");
  EXPECT_EQ(suite("run").status, 2);
  EXPECT_EQ(read_file(folder_.file(".assay/history.sqlite")), "no database");
}

TEST_F(Suites, AListSaysWhatWouldRunAndWhatDoesNotFit) {
  write(std::string(kHeld) + kWrong);
  const auto listed = suite("list");
  EXPECT_EQ(listed.status, 2);
  EXPECT_THAT(listed.out, StartsWith("team: 3 of 3 entries, tier full; "));
  EXPECT_THAT(listed.out, HasSubstr("Does not fit\n  wrong: "));
  EXPECT_FALSE(std::filesystem::exists(folder_.file(".assay")));
}

// As a script runs each entry alone: together they spend no more than one run of all.
TEST_F(Suites, EntriesRunAloneWithTheirShareOfTheSuite) {
  write(std::string(kHeld) + kViolated + kWrong);
  const auto listed = suite("list", "--names");
  EXPECT_EQ(listed.out, "laplace\nyear\nfalse\nwrong\n");
  EXPECT_EQ(listed.status, 0);
  write(std::string(kHeld) + kViolated);
  const auto reproduce_of_last = [&](const Words& more) {
    const auto report = nlohmann::json::parse(run(with("--format json", more)).out);
    return report.at("entries").back().at("reproduce").get<std::string>();
  };
  const std::string of_all = reproduce_of_last({});
  EXPECT_EQ(reproduce_of_last("--entry false --keep-shares"), of_all);
  EXPECT_NE(reproduce_of_last("--entry false"), of_all);
}

// A run of a history has its own seed and error probability; the command in its report repeats both without the history.
TEST_F(Suites, TheCommandOfALaterRunRepeatsIt) {
  write(
      "[[audit]]\nid = \"sampled\"\ncase = \"laplace\"\nmethod = \"events\"\n"
      "samples = 2000\nclaim = \"eps=1\"\nsee = 1.01\n");
  const auto entries_of = [](const CommandResult& run) {
    return nlohmann::json::parse(run.out).at("entries");
  };
  const Words json = "--format json --seed 7 --no-reuse";
  const auto first = suite("run", json);
  const auto second = suite("run", json);
  EXPECT_EQ(second.status, 3) << second.err;
  const auto report = nlohmann::json::parse(second.out);
  EXPECT_THAT(report.at("notes").dump(), HasSubstr("its tests are stricter"));
  EXPECT_THAT(nlohmann::json::parse(first.out).at("notes").dump(),
              Not(HasSubstr("its tests are stricter")));
  const std::string command = report.at("reproduce");
  EXPECT_THAT(command, HasSubstr("--history none --as-run 2"));
  const auto again =
      run_assay(with(Words(command.substr(std::string("assay ").size())), Words("--format json")));
  ASSERT_EQ(again.status, 3) << again.err;
  for (const char* key : {"reproduce", "alpha", "headline"}) {
    EXPECT_EQ(entries_of(again).at(0).at(key), report.at("entries").at(0).at(key)) << key;
  }
  EXPECT_NE(entries_of(first).at(0).at("alpha"), report.at("entries").at(0).at("alpha"));
}

TEST_F(Suites, AViolationOfAProgramComesWithTheSmallestWitness) {
  const std::string policy = python(ASSAY_SOURCE_DIR) + "/examples/targets/epsilon_greedy.py";
  write("[[audit]]\nid = \"leak\"\nexec = \"" + policy +
        " --leak\"\narms = 3\nhorizon = 30\nsamples = 1000\nclaim = \"eps=1\"\n");
  const auto result = run("--format json");
  EXPECT_EQ(result.status, 1) << result.err;
  const auto entry = nlohmann::json::parse(result.out).at("entries").at(0);
  ASSERT_EQ(entry.count("witness"), 1U) << entry.dump(1);
  EXPECT_GE(entry.at("witness").at("round").get<int>(), 1);
  const auto command = entry.at("witness").at("command").get<std::string>();
  EXPECT_THAT(command, StartsWith("assay replay "));
  // Its horizon is not that of the audit, which the report says.
  EXPECT_THAT(command, Not(HasSubstr("--horizon 30")));
  EXPECT_THAT(entry.at("details").dump(),
              HasSubstr("\"witness: the replay is cut from 30 rounds to "));
  EXPECT_THAT(run({}).out, HasSubstr("the replay is cut from 30"));
}

class SuiteStarts : public InAFolder {};

TEST_F(SuiteStarts, MeasureTheTargetAndWriteABudget) {
  const std::string program = example("epsilon_greedy.py");
  run_expecting(
      0, {"suite", "init", "--exec", program, "--claim", "eps=1", "-w", folder.file("assay.toml")});
  const std::string text = read_file(folder.file("assay.toml"));
  EXPECT_THAT(text, HasSubstr("\nclaim = \"eps=1\"\n"));
  EXPECT_THAT(text, HasSubstr("\nsee = 1.5 "));
  EXPECT_THAT(text, HasSubstr("\nstop-when-decided = true "));
  EXPECT_THAT(text, HasSubstr("   # at most about "));
  EXPECT_THAT(text, Not(HasSubstr("samples = ")));
  run_expecting(0, {"suite", "list", folder.file("assay.toml"), "--history", "none"});
}

TEST_F(SuiteStarts, TakeTheShapeAndNameTheFileOfTheProgram) {
  const std::string file = folder.file("assay.toml");
  const std::string script = std::string(ASSAY_SOURCE_DIR) + "/examples/targets/epsilon_greedy.py";
  const auto start = [&](const Words& more) {
    std::filesystem::remove(file);
    return run_assay(
        with(with({"suite", "init", "--exec", std::string(ASSAY_PYTHON) + " " + script, "-w", file},
                  "--claim eps=1"),
             more));
  };
  const auto written = start("--arms 3 --horizon 20 --domain 0:2");
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(written.out,
              AllOf(HasSubstr("\nnext: assay suite run " + file), HasSubstr(".gitignore")));
  EXPECT_THAT(read_file(file), AllOf(HasSubstr("\ndepends = [\"" + script + "\", \""),
                                     HasSubstr("\narms = 3\nhorizon = 20\ndomain = \"0:2\"\n")));
  run_expecting(0, {"suite", "list", file, "--history", "none"});
  const std::pair<Words, std::string> wrong[] = {
      {"--arms 1", "--arms must be 2 to 1024, not 1"},
      {"--kind bandit --inputs 3", "--inputs has no effect on kind bandit"},
      {"--kind dueling", "is of --kind bandit, not dueling"},
      {"--domain 2:1", "--domain must be"},
      {"--kind dueling --domain 0:1", "--domain has no effect on kind dueling"}};
  for (const auto& [more, message] : wrong) {
    const auto refused = start(more);
    EXPECT_NE(refused.status, 0) << message;
    EXPECT_THAT(refused.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_THAT(run_assay({"suite", "init", "laplace", "--arms", "3", "-w", file}).err,
              HasSubstr("--arms is for programs and shared libraries, not for a case"));
  EXPECT_THAT(
      run_assay({"suite", "init", "--exec", std::string(ASSAY_PYTHON) + " " + script, "-w", file})
          .out,
      HasSubstr("next: state the claim in "));
}

TEST_F(SuiteStarts, SayWhatTenMinutesSeeOfASmallClaim) {
  const std::string program = example("naive_gaussian.py");
  run_expecting(0, {"suite", "init", "--exec", program, "--claim", "eps=0.001", "-w",
                    folder.file("assay.toml")});
  const std::string text = read_file(folder.file("assay.toml"));
  EXPECT_THAT(text,
              HasSubstr("# To see a leak of 0.0015, as it should for the claim eps=0.001, takes "));
  EXPECT_THAT(text, HasSubstr("# A plug-in in C or a program that makes its runs faster"));
  EXPECT_THAT(text, HasSubstr("tier = \"full\""));
  const std::size_t at = text.find("\nsee = ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_GT(std::stod(text.substr(at + 7)), 0.0015);
  run_expecting(0, {"suite", "list", folder.file("assay.toml"), "--history", "none"});
}

TEST_F(SuiteStarts, FallBackWhereTheClaimOrTheTargetIsUnknown) {
  const std::string program = example("naive_gaussian.py");
  const std::string file = folder.file("assay.toml");
  run_expecting(0, {"suite", "init", "--exec", program, "-w", file});
  EXPECT_THAT(read_file(file),
              AllOf(HasSubstr("where the claim is eps=1"),
                    HasSubstr("STATE what the policy guarantees"), HasSubstr("\n# see = 1.5 ")));
  std::filesystem::remove(file);
  const auto wrong =
      run_expecting(2, {"suite", "init", "--exec", program, "--claim", "eps", "-w", file});
  EXPECT_THAT(wrong.err, HasSubstr("claim"));
  EXPECT_FALSE(std::filesystem::exists(file));
  run_expecting(0, {"suite", "init", "laplace", "--claim", "eps=2", "-w", file});
  EXPECT_THAT(read_file(file), HasSubstr("\nclaim = \"eps=2\"\n"));
}

TEST_F(SuiteStarts, PrintWhatADryRunCallsAMistake) {
  const std::string file = folder.file("assay.toml");
  const std::string program = python(folder.write(
      "fixed.py",
      "from assay_target import serve\nimport random\nrng = random.Random(7)\n"
      "serve(lambda rewards, shape, seed: [rng.randrange(2) for r in rewards], 'bandit')\n"));
  const auto start =
      run_expecting(3, {"suite", "init", "--exec", program, "--claim", "eps=1", "-w", file});
  EXPECT_THAT(start.out, AllOf(HasSubstr("\nmistake: a fresh process gave the same outputs"),
                               HasSubstr("\nnext: correct the target (`assay try` ")));
  EXPECT_THAT(read_file(file), HasSubstr("# MISTAKE, to correct before this entry means anything"));
  EXPECT_THAT(run_assay({"suite", "init", "--help"}).out,
              HasSubstr("3  the suite is written, but a dry run found a mistake"));
}

TEST_F(SuiteStarts, ListTheModulesThatAProgramImports) {
  const std::string file = folder.file("assay.toml");
  folder.write("noise.py", "def draw(rng): return rng.randrange(2)\n");
  const std::string script = folder.write(
      "policy.py",
      "from assay_target import serve\nimport noise, random\n"
      "def play(rewards, shape, seed):\n    rng = random.Random(seed)\n"
      "    return [noise.draw(rng) for r in rewards]\nserve(play, 'bandit', seeded=True)\n");
  run_expecting(0, {"suite", "init", "--exec", python(script), "--claim", "eps=1", "-w", file});
  EXPECT_THAT(read_file(file),
              HasSubstr("\ndepends = [\"" + script + "\", \"" + folder.file("noise.py") + "\"]\n"));
}

TEST(SuiteWithoutAFile, SaysHowToBegin) {
  const TemporaryFolder folder;
  const auto none = run_expecting(2, {"suite", "run", folder.file("assay.toml")});
  EXPECT_THAT(none.err, AllOf(HasSubstr("assay.toml"), HasSubstr("`assay suite init` writes one")));
  EXPECT_EQ(none.out, "");
}

}  // namespace
}  // namespace assay
