// A run of a suite: which entries, their shares of one alpha, their seeds; what each kind comes to.
#include "assay/auditors/suite/suite_run.hpp"

#include <atomic>

#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/suite/entry_content.hpp"
#include "assay/auditors/suite/entry_jobs.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

constexpr const char* kLaplaceEntry =
    "[[audit]]\nid = \"laplace\"\ncase = \"laplace\"\ntier = \"smoke\"\ntags = [\"noise\"]\n";
constexpr const char* kFalse =
    "[[audit]]\nid = \"false\"\ncase = \"laplace\"\nclaim = \"eps=0.5\"\nvalue = 3\n";
constexpr const char* kRunsEntry =
    "[[audit]]\nid = \"plays\"\ncase = \"gaussian\"\nmethod = \"events\"\nsamples = 2000\n"
    "claim = \"eps=1\"\n";

class SuiteRuns : public ::testing::Test {
 protected:
  SuiteFile suite(const std::string& text) {
    return read_suite(folder_.write("assay.toml", "schema = \"assay.suite/1\"\n" + text)).value();
  }
  SuiteReport run(const std::string& text, const SuiteRequest& request = {},
                  const SuiteHooks& hooks = {}) {
    return run_suite(suite(text), request, Session{}, hooks).value();
  }

  TemporaryFolder folder_;
};

TEST_F(SuiteRuns, EntriesAreSelectedByTierNameAndTag) {
  const auto all = suite(std::string(kLaplaceEntry) + kFalse + kRunsEntry);
  const auto selected = [&](const SuiteSelection& selection) {
    return select_entries(all, selection).value();
  };
  EXPECT_THAT(selected({}), ElementsAre(0, 1, 2));
  EXPECT_THAT(selected({Tier::kSmoke, {}, {}}), ElementsAre(0));
  EXPECT_THAT(selected({Tier::kFull, {"*l*s*"}, {}}), ElementsAre(1, 2));
  EXPECT_THAT(selected({Tier::kFull, {}, {"noise"}}), ElementsAre(0));
  EXPECT_THAT(
      select_entries(all, {Tier::kFull, {"laplas"}, {}}),
      IsRefused("no entry that is selected has the name 'laplas'; did you mean 'laplace'?"));
  EXPECT_THAT(select_entries(all, {Tier::kFull, {}, {"smoke"}}),
              IsRefused("no entry that is selected has the tag 'smoke'"));
  EXPECT_THAT(select_entries(all, {Tier::kSmoke, {"false"}, {}}).error().message,
              StartsWith("nothing is selected"));
}

// Whatever is selected, in proportion to the values; the job's own ledger spends no more.
TEST_F(SuiteRuns, OneAlphaIsSplit) {
  SuiteRequest request{.alpha = 0.001};
  const auto all = suite(std::string(kLaplaceEntry) + kFalse + kRunsEntry);
  const auto prepared = prepare_entries(all, request).value();
  EXPECT_DOUBLE_EQ(prepared[0].alpha, 0.0002);
  EXPECT_DOUBLE_EQ(prepared[1].alpha, 0.0006);
  double sum = 0.0;
  for (const auto& entry : prepared) sum += entry.alpha;
  EXPECT_LE(sum, 0.001 * (1.0 + 1e-15));
  const auto report = run_suite(all, request, Session{}).value();
  EXPECT_LE(report.entries[0].alpha, 0.0002);  // of its sampler's check: the rest is exact
  EXPECT_GT(report.entries[2].alpha, 0.0);
  EXPECT_LE(report.entries[2].alpha, 0.0002);
  request.selection.entries = {"false"};
  EXPECT_DOUBLE_EQ(prepare_entries(all, request).value()[0].alpha, 0.001);
  request.keeps_shares = true;  // so that each entry alone spends no more than in the suite
  EXPECT_DOUBLE_EQ(prepare_entries(all, request).value()[0].alpha, 0.0006);
  request.alpha = 1e-12;
  EXPECT_THAT(prepare_entries(all, request), IsRefused("below 1e-12"));
}

// 1 - alpha as a double, of a share that a confidence can say: never less than the share allows.
TEST(SuiteConfidence, LeavesAtMostTheShare) {
  for (double alpha = 0.4; alpha > 1e-12; alpha *= 0.37) {
    const double spent = alpha_of(confidence_of(alpha).value);
    EXPECT_LE(spent, alpha);
    EXPECT_GT(spent, 0.98 * alpha) << alpha;
  }
}

TEST_F(SuiteRuns, EveryKindComesToItsStatus) {
  const auto report =
      run(std::string(kLaplaceEntry) + kFalse +
          "[[verify]]\nid = \"claims\"\nclaims = [\"sst-sti\"]\n"
          "[[verify]]\nid = \"strict\"\nclaims = [\"duel-opening\"]\nstrict = true\n"
          "[[account]]\nid = \"within\"\nwhat = \"gaussian\"\nsigma = 2\n"
          "below = \"eps=3,delta=1e-6\"\n"
          "[[account]]\nid = \"above\"\nwhat = \"gaussian\"\nsigma = 2\n"
          "below = \"eps=1,delta=1e-6\"\n"
          "[[audit]]\nid = \"none\"\ncase = \"laplas\"\n"
          "[[audit]]\nid = \"domain\"\ncase = \"laplace\"\ndomain = \"0:1\"\n"
          "[[audit]]\nid = \"gone\"\nexec = \"false\"\nclaim = \"eps=1\"\n");
  std::vector<std::string> found;
  for (const auto& entry : report.entries) {
    found.push_back(entry.id + " " + std::string(detail::value_text(entry.status)));
  }
  EXPECT_THAT(found,
              ElementsAre("laplace held", "false violated", "claims held", "strict misconfigured",
                          "within held", "above violated", "none misconfigured",
                          "domain misconfigured", "gone could-not-run"));
  EXPECT_EQ(report.entries[1].claim, "eps=0.5");
  EXPECT_THAT(report.entries[1].headline, StartsWith("Violated: eps at delta = 0 is at least "));
  EXPECT_THAT(report.entries[1].reproduce, HasSubstr("--claim eps=0.5"));
  EXPECT_THAT(report.entries[6].error->message, HasSubstr("did you mean 'laplace'?"));
  EXPECT_EQ(report.entries[6].error->line, 29);
  EXPECT_THAT(report.entries[7].error->message, StartsWith("domain is for external targets"));
  EXPECT_EQ(report.entries[7].error->line, 35);
  EXPECT_EQ(report.entries[8].error->code, ErrorCode::kTarget);
}

TEST_F(SuiteRuns, TheSameSeedGivesTheSameResultsInAnySelection) {
  SuiteRequest request{.seed = 5};
  const std::string text = std::string(kLaplaceEntry) + kRunsEntry;
  const auto both = run(text, request);
  const auto again = run(text, request);
  EXPECT_EQ(both.entries[1].headline, again.entries[1].headline);
  EXPECT_EQ(both.entries[1].reproduce, again.entries[1].reproduce);
  request.selection.entries = {"plays"};
  request.alpha /= 2.0;  // so that its share is the same
  const auto alone = run(text, request);
  EXPECT_EQ(alone.entries[0].reproduce, both.entries[1].reproduce);
  request.seed = 6;
  EXPECT_NE(run(text, request).entries[0].reproduce, both.entries[1].reproduce);
}

TEST_F(SuiteRuns, AnAuditThatWouldHaveMissedTheAskedLeakIsWeak) {
  const auto report = run(std::string(kRunsEntry) + "see = 1.1\n");
  EXPECT_EQ(report.entries[0].status, EntryStatus::kWeak);
  EXPECT_EQ(report.entries[0].verdict, "Weak");
  EXPECT_THAT(report.entries[0].headline, HasSubstr("the audit should see 1.1"));
  EXPECT_EQ(run(std::string(kRunsEntry) + "see = 2\n").entries[0].status, EntryStatus::kHeld);
  // Its old name is still read.
  EXPECT_EQ(run(std::string(kRunsEntry) + "power = 2\n").entries[0].status, EntryStatus::kHeld);
}

TEST_F(SuiteRuns, AnInterruptLeavesTheRestInconclusive) {
  std::atomic<bool> cancel{false};
  Session session;
  session.control.cancel = &cancel;
  SuiteHooks hooks{.on_result = [&](const EntryResult&) { cancel = true; }};
  const auto report =
      run_suite(suite(std::string(kLaplaceEntry) + kFalse), {}, session, hooks).value();
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.entries[0].status, EntryStatus::kHeld);
  EXPECT_EQ(report.entries[1].status, EntryStatus::kInconclusive);
  EXPECT_EQ(report.entries[1].headline, "not run: interrupted");
}

TEST_F(SuiteRuns, ATimeBudgetEndsIt) {
  SuiteRequest request{.seconds = 0.5};
  const auto report = run(
      "[[audit]]\nid = \"long\"\ncase = \"thompson-sampling\"\nparameters = {horizon = 100000}\n"
      "method = \"likelihood\"\n",
      request);
  EXPECT_NE(report.entries[0].status, EntryStatus::kMisconfigured);
  EXPECT_THAT(report.entries[0].reproduce, HasSubstr("--samples"));
}

// It is on record before anybody is told, and before the witness is looked for, which takes a while.
TEST_F(SuiteRuns, AViolationIsKeptBeforeItIsTold) {
  std::vector<std::string> events;
  SuiteHooks hooks;
  hooks.on_violation = [&](const PreparedEntry& entry) {
    events.push_back("kept " + entry.result.id +
                     (entry.result.witness ? ", with its witness" : ""));
  };
  hooks.on_result = [&](const EntryResult& result) { events.push_back("told " + result.id); };
  run(std::string(kLaplaceEntry) + kFalse, {}, hooks);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0], "told laplace");
  EXPECT_EQ(events[1], "kept false");
  EXPECT_EQ(events[3], "told false");
}

// Another run ends while this one goes on, and its violation is of an entry that held here.
TEST_F(SuiteRuns, WhatARunBesideItFoundStands) {
  EntryResult violated{.id = "laplace", .status = EntryStatus::kViolated};
  violated.headline = "violated since run 5";
  violated.reused_from = 5;
  int asked = 0;
  const auto stands_from = [&](int from) {
    SuiteHooks hooks;
    asked = 0;
    hooks.standing = [&, from](const PreparedEntry&) -> Result<std::optional<EntryResult>> {
      return ++asked >= from ? std::optional(violated) : std::nullopt;
    };
    return run(kLaplaceEntry, {}, hooks).entries.at(0);
  };
  for (const int from : {1, 2, 3}) {
    const auto entry = stands_from(from);
    EXPECT_EQ(entry.status, EntryStatus::kViolated) << from;
    EXPECT_EQ(entry.headline, "violated since run 5");
    EXPECT_EQ(entry.reused_from, 5);
    EXPECT_EQ(asked, from);
    EXPECT_NE(entry.content, "");
  }
  EXPECT_EQ(stands_from(4).status, EntryStatus::kHeld);
}

// Files are named from the suite's folder, and the run leaves it again.
TEST_F(SuiteRuns, FilesAreNamedFromTheSuitesFolder) {
  folder_.write("pair.csv", "0\n1\n");
  const auto before = std::filesystem::current_path();
  const auto report = run("[[audit]]\nid = \"a\"\ncase = \"laplace\"\ninput = \"pair.csv\"\n");
  EXPECT_EQ(report.entries[0].status, EntryStatus::kHeld) << report.entries[0].headline;
  EXPECT_EQ(std::filesystem::current_path(), before);
}

TEST_F(SuiteRuns, ContentIsAllThatDecidesTheResult) {
  folder_.write("pair.csv", "0\n1\n");
  folder_.write("policy.py", "print(1)\n");
  folder_.write("help.py", "print(2)\n");
  const auto content = [&](const std::string& text) {
    const auto all = suite(text);
    const auto inside = WorkingFolder::enter(folder_.path().string());
    return content_of(all.entries.at(0));
  };
  const std::string audit = "[[audit]]\nid = \"a\"\ncase = \"laplace\"\ninput = \"pair.csv\"\n";
  const auto first = content(audit).value();
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(content(audit + "severity = \"warn\"\n").value(), first);
  EXPECT_NE(content(audit + "claim = \"eps=2\"\n").value(), first);
  EXPECT_NE(content(audit + "see = 1.5\n").value(), first);
  folder_.write("pair.csv", "0\n2\n");
  EXPECT_NE(content(audit).value(), first);

  // A program may read anything: nobody knows unless it is said.
  const std::string exec = "[[audit]]\nid = \"a\"\nexec = \"python3 policy.py\"\n";
  EXPECT_EQ(content(exec).value(), "");
  const auto alone = content(exec + "depends = []\n").value();
  const auto helped = content(exec + "depends = [\"h*.py\"]\n").value();
  EXPECT_NE(alone, helped);
  folder_.write("help.py", "print(3)\n");
  EXPECT_NE(content(exec + "depends = [\"h*.py\"]\n").value(), helped);
  EXPECT_EQ(content(exec + "depends = []\n").value(), alone);
  folder_.write("policy.py", "print(4)\n");
  EXPECT_NE(content(exec + "depends = []\n").value(), alone);
  EXPECT_EQ(content(exec + "depends = [\"*.cpp\"]\n").error().message,
            "depends: no file matches '*.cpp'");
}

// What each job calls what is decided and what is not; the table of docs/decisions/suite.md.
TEST_F(SuiteRuns, WhatIsProvedIsDecidedAndWhatWasNotRefutedIsNot) {
  const auto report =
      run(std::string(kLaplaceEntry) + kRunsEntry + "see = 2\n" +
          "[[verify]]\nid = \"proved\"\nclaims = [\"sst-sti\"]\n"
          "[[verify]]\nid = \"searched\"\nclaims = [\"niht-error\"]\neffort = 0.05\n"
          "[[account]]\nid = \"account\"\nwhat = \"gaussian\"\nsigma = 2\n"
          "below = \"eps=3,delta=1e-6\"\n");
  std::vector<std::string> found;
  for (const auto& entry : report.entries) {
    ASSERT_EQ(entry.status, EntryStatus::kHeld) << entry.id << entry.headline;
    found.push_back(entry.id + ", " + entry.verdict + (is_decided(entry) ? ": decided" : ""));
  }
  EXPECT_THAT(found, ElementsAre("laplace, Verified: decided", "plays, NotRefuted",
                                 "proved, as registered, all decided: decided",
                                 "searched, as registered", "account, within its bound: decided"));
}

// A budget of this run says how far an audit came; another run may have more.
TEST_F(SuiteRuns, WhatABudgetLeftUnrefutedStandsForNoOtherRun) {
  const std::string text =
      "[[audit]]\nid = \"ts\"\ncase = \"thompson-sampling\"\nparameters = {horizon = 60}\n"
      "method = \"likelihood\"\nclaim = \"eps=30,delta=1e-3\"\n";
  SuiteRequest request{.seconds = 1.0};
  const auto report = run(text, request);
  ASSERT_EQ(report.entries[0].verdict, "NotRefuted");
  EXPECT_EQ(report.entries[0].content, "");
  EXPECT_NE(run(std::string(kRunsEntry), request).entries[0].content,
            "");  // its samples are its own
}

TEST_F(SuiteRuns, AFileThatChangesMeanwhileIsNobodysContent) {
  folder_.write("pair.csv", "0\n1\n");
  SuiteHooks hooks{.on_result = [&](const EntryResult&) { folder_.write("pair.csv", "0\n0.5\n"); }};
  const auto report =
      run("[[audit]]\nid = \"first\"\ncase = \"laplace\"\n"
          "[[audit]]\nid = \"a\"\ncase = \"laplace\"\ninput = \"pair.csv\"\n",
          {}, hooks);
  EXPECT_EQ(report.entries[1].status, EntryStatus::kCouldNotRun);
  EXPECT_EQ(report.entries[1].content, "");
  EXPECT_THAT(report.entries[1].headline, StartsWith("its files changed while it ran: "));
}

// A policy whose noise was taken away: the runs on one input are all alike.
constexpr const char* kStill = R"(import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": "still", "seeded": True}
    else:
        arm = 1 if sum(message["input"]) > 2 else 0
        answer = {"type": "plays", "id": message["id"], "outputs": [[arm] * 5 for _ in message["seeds"]]}
    print(json.dumps(answer), flush=True)
)";

// The entry of the benchmark has the older name of `candidates`.
TEST_F(SuiteRuns, WhatDidNothingIsNotHeld) {
  folder_.write("still.py", kStill);
  const auto report =
      run("[[bench]]\nid = \"none\"\ncontenders = [\"gaussian\"]\nepsilon = 1\n"
          "[[account]]\nid = \"zcdp\"\nwhat = \"zcdp\"\nrho = 1000\n"
          "below = \"eps=3,delta=1e-6\"\n"
          "[[detect]]\nid = \"missed\"\nmechanisms = [\"sparse-vector-3\"]\n"
          "sample-share = 0.001\n"
          "[[audit]]\nid = \"still\"\nexec = \"" ASSAY_PYTHON
          " still.py\"\nhorizon = 5\nsamples = 200\n"
          "claim = \"eps=1\"\nsee = 2\n");
  EXPECT_EQ(report.entries[0].status, EntryStatus::kCouldNotRun);
  EXPECT_EQ(report.entries[1].status, EntryStatus::kInconclusive);
  EXPECT_EQ(report.entries[2].status, EntryStatus::kViolated);
  EXPECT_EQ(report.entries[2].verdict, "missed");
  EXPECT_EQ(report.entries[3].status, EntryStatus::kViolated) << report.entries[3].headline;
  EXPECT_EQ(report.entries[3].verdict, "no randomness");
  EXPECT_THAT(report.entries[3].headline,
              StartsWith("no randomness at all: the target adds no noise"));
}

// A regret of uniform choice in one round: (0 + 0.4)/2 = 0.2.
TEST_F(SuiteRuns, ARegretHoldsIsViolatedOrFailsUndecided) {
  const std::string of =
      "policy = \"thompson-sampling\"\nenvironment = \"bernoulli-arms\"\nmeans = [0.7, 0.3]\n"
      "horizon = 1\nruns = 1000\n";
  const auto entry = [&](const std::string& id, const std::string& rest) {
    return "[[regret]]\nid = \"" + id + "\"\n" + of + rest;
  };
  const auto report =
      run(entry("within", "at-most = 0.3\n") + entry("above", "at-most = 0.1\n") +
          entry("between", "at-most = 0.201\n") +
          entry("twice", "baseline = \"ucb1\"\nat-most-times = 2\n") +
          entry("wrong", "at-most = 0.3\nparameters = {arms = 3}\n") + entry("none", ""));
  const EntryResult& within = report.entries[0];
  EXPECT_EQ(within.status, EntryStatus::kHeld) << within.headline;
  EXPECT_EQ(within.verdict, "within its bound");
  EXPECT_EQ(within.claim, "regret <= 0.3");
  EXPECT_EQ(within.subject, "thompson-sampling");
  EXPECT_THAT(within.headline, StartsWith("The regret in 1 round is at most 0.2"));
  ASSERT_EQ(within.figures.size(), 1U);
  EXPECT_EQ(within.figures[0].name, "regret at T = 1");
  EXPECT_EQ(within.figures[0].kind, FigureKind::kError);
  EXPECT_EQ(within.figures[0].allowed, 0.3);
  EXPECT_DOUBLE_EQ(within.alpha, 0.001 / 6);
  EXPECT_DOUBLE_EQ(within.figures[0].alpha, 0.001 / 6);
  EXPECT_TRUE(is_decided(within));
  EXPECT_FALSE(within.content.empty());
  EXPECT_EQ(report.entries[1].status, EntryStatus::kViolated) << report.entries[1].headline;
  EXPECT_THAT(report.entries[1].headline, HasSubstr("; 0.1 is allowed"));
  EXPECT_THAT(report.entries[1].details,
              Contains("next: correct the policy, or allow more with at-most"));
  const EntryResult& between = report.entries[2];
  EXPECT_EQ(between.status, EntryStatus::kInconclusive) << between.headline;
  EXPECT_THAT(between.headline, HasSubstr("whether it is within 0.201 is undecided"));
  EXPECT_THAT(between.details, Contains(StartsWith("next: ")));
  EXPECT_TRUE(fails_run(between, report));
  const EntryResult& twice = report.entries[3];
  EXPECT_EQ(twice.claim, "regret <= 2 times that of the baseline ucb1");
  EXPECT_EQ(twice.figures.at(0).name, "regret at T = 1, multiple of the baseline");
  EXPECT_EQ(twice.figures.at(0).allowed, 2.0);
  EXPECT_EQ(report.entries[4].status, EntryStatus::kMisconfigured);
  EXPECT_EQ(report.entries[4].error->line, 43);
  EXPECT_EQ(report.entries[5].status, EntryStatus::kMisconfigured);
  EXPECT_EQ(report.entries[5].error->line, 44);
}

// The number of runs is the effort, and a limit is what is claimed of one target.
TEST_F(SuiteRuns, ARegretIsIdentifiedByItsPolicyAndEnvironment) {
  const auto identity = [&](const std::string& rest) {
    const std::string entry = "[[regret]]\nid = \"a\"\npolicy = \"ucb1\"\n";
    return identity_of(suite(entry + rest).entries[0]).value();
  };
  const auto one = identity("runs = 10\nat-most = 3\n");
  const auto more = identity("runs = 20\nat-most = 3\n");
  const auto lower = identity("runs = 10\nat-most = 2\n");
  EXPECT_EQ(one.target, more.target);
  EXPECT_EQ(one.audited, more.audited);
  EXPECT_EQ(one.claim, more.claim);
  EXPECT_EQ(one.target, lower.target);
  EXPECT_NE(one.claim, lower.claim);
  EXPECT_NE(one.target, identity("horizon = 7\nruns = 10\nat-most = 3\n").target);
}

// The truth, 4.8639185, lies between the bounds, as does what is allowed; of a level of zCDP nothing is known from
// below. Neither is refuted, and neither passes.
TEST_F(SuiteRuns, AnUndecidedAccountIsInconclusiveAndFails) {
  const auto report =
      run("[[account]]\nid = \"between\"\nwhat = \"laplace\"\nscale = 50\ncompose = 2500\n"
          "below = \"eps=4.86392,delta=1e-6\"\n"
          "[[account]]\nid = \"no-lower\"\nwhat = \"zcdp\"\nrho = 0.1\nbelow = \"eps=2\"\n"
          "[[account]]\nid = \"above\"\nwhat = \"laplace\"\nscale = 50\ncompose = 2500\n"
          "below = \"eps=4.86,delta=1e-6\"\n"
          "[[account]]\nid = \"within\"\nwhat = \"laplace\"\nscale = 50\ncompose = 2500\n"
          "below = \"eps=4.87,delta=1e-6\"\n");
  for (const std::size_t undecided : {0, 1}) {
    const EntryResult& entry = report.entries[undecided];
    EXPECT_EQ(entry.status, EntryStatus::kInconclusive) << entry.headline;
    EXPECT_EQ(entry.verdict, "undecided");
    EXPECT_TRUE(fails_run(entry, report));
  }
  EXPECT_THAT(report.entries[0].headline,
              HasSubstr("whether it is within 4.86392 is undecided, the gap is "));
  EXPECT_THAT(report.entries[1].headline, HasSubstr("no lower bound, no upper bound: whether"));
  EXPECT_EQ(report.entries[2].status, EntryStatus::kViolated) << report.entries[2].headline;
  EXPECT_EQ(report.entries[3].status, EntryStatus::kHeld) << report.entries[3].headline;
}

// Names, what links lead to, and what --vary writes into a command.
TEST_F(SuiteRuns, ContentSeesNamesAndBehindLinks) {
  std::filesystem::create_directory(folder_.path() / "conf");
  std::filesystem::create_directory(folder_.path() / "other");
  folder_.write("policy.py", "print(1)\n");
  folder_.write("conf/a", "x\n");
  folder_.write("other/b", "y\n");
  std::filesystem::create_directory_symlink("../other", folder_.path() / "conf/link");
  const std::string exec =
      "[[audit]]\nid = \"a\"\nexec = \"python3 policy.py\"\ndepends = [\"conf/*\"]\n";
  const auto content = [&](const std::string& text) {
    const auto all = suite(text);
    const auto inside = WorkingFolder::enter(folder_.path().string());
    return content_of(all.entries.at(0)).value();
  };
  const auto first = content(exec);
  folder_.write("other/b", "z\n");
  const auto behind = content(exec);
  EXPECT_NE(behind, first);
  std::filesystem::rename(folder_.path() / "conf/a", folder_.path() / "conf/c");
  EXPECT_NE(content(exec), behind);
  EXPECT_EQ(content(exec + "vary = [\"v=1,2\"]\n"), "");
}

}  // namespace
}  // namespace assay
