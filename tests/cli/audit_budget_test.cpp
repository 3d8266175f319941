// Time budgets at every size, and interruptions at any moment: there is a report, and soon.
#include <chrono>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// Of a loaded machine; sanitizers are slow.
constexpr double kSlack = kSanitized ? 20.0 : 4.0;

struct Timed {
  CommandResult result;
  double seconds = 0.0;
};

Timed timed(const Words& words, int interrupt_after_ms = 0, int signal = SIGINT) {
  Words command{ASSAY_CLI, "audit", "--full"};
  command.insert(command.end(), words.begin(), words.end());
  const auto start = Clock::now();
  auto result = run_command(command, std::chrono::milliseconds(interrupt_after_ms), signal);
  return {std::move(result), std::chrono::duration<double>(Clock::now() - start).count()};
}

Words thompson(std::int64_t arms, std::int64_t horizon, const std::string& claim) {
  return {"thompson-sampling",
          "-p",
          "arms=" + std::to_string(arms),
          "-p",
          "horizon=" + std::to_string(horizon),
          "--claim",
          claim};
}

class TimeBudget : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(TimeBudget, IsKeptWithAReport) {
  const auto [arms, horizon] = GetParam();
  for (const char* claim : {"mu=1", "eps=0.01,delta=1e-9"}) {
    auto words = thompson(arms, horizon, claim);
    words.insert(words.end(), {"--time", "0.5"});
    const auto run = timed(words);
    EXPECT_TRUE(run.result.status == 0 || run.result.status == 1 || run.result.status == 3)
        << run.result.status << run.result.err;
    EXPECT_THAT(run.result.out, HasSubstr("Reproduce"));
    EXPECT_LE(run.seconds, 0.6 + 1.0 + kSlack) << arms << " arms, " << horizon << " rounds";
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TimeBudget,
                         ::testing::Values(std::pair(2, 1), std::pair(2, 20), std::pair(2, 1000),
                                           std::pair(2, 10000), std::pair(2, 1000000),
                                           std::pair(10, 100), std::pair(100, 100),
                                           std::pair(1024, 1), std::pair(1024, 3),
                                           std::pair(1024, 1000), std::pair(1024, 1000000)));

TEST(TimeBudgetOf, MechanismsIsKeptByEveryMethod) {
  const std::vector<Words> cases = {
      {"laplace", "--method", "events"},
      {"idealized-laplace", "--method", "likelihood"},
      {"idealized-peeling"},
      {"idealized-numerical-sparse-vector", "-p", "cutoff=1024"},
      {"permute-and-flip", "-p", "answers=131072"},
      {"laplace", "-p", "answers=131072"},
      {"above-threshold", "-p", "answers=1024"},
      {"resetting-above-threshold", "-p", "answers=1024"},
      {"top-k", "-p", "answers=21", "-p", "count=16", "-p", "ordered=false"},
      {"top-k", "-p", "answers=52428", "-p", "count=20", "-p", "ordered=false"},
      {"idealized-peeling", "-p", "coordinates=64", "-p", "values=false"},
      {"ftnl", "-p", "actions=100", "-p", "horizon=1000", "--claim", "eps=0.5,delta=1e-3"}};
  for (auto words : cases) {
    words.insert(words.end(), {"--time", "0.5"});
    const auto run = timed(words);
    EXPECT_TRUE(run.result.status == 0 || run.result.status == 1 || run.result.status == 3)
        << words[0] << run.result.err;
    EXPECT_THAT(run.result.out, HasSubstr("Reproduce"));
    EXPECT_LE(run.seconds, 0.6 + 1.0 + kSlack) << words[0];
  }
}

// 0.8 and 3.6 million numbers in an input: a run takes the program seconds.
TEST(TimeBudgetOf, ProgramsIsKeptWhereInputsAreLarge) {
  for (const char* horizon : {"40000", "180000"}) {
    const auto run =
        timed({"--exec", ASSAY_PYTHON " " ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py",
               "--arms", "20", "--horizon", horizon, "--claim", "eps=1", "--time", "2"});
    EXPECT_EQ(run.result.status, 3) << run.result.err;
    EXPECT_THAT(run.result.out, HasSubstr("Reproduce"));
    EXPECT_LE(run.seconds, 2.4 + 1.0 + kSlack) << horizon;
  }
}

TEST(TimeBudgetOf, SizesThatCannotBeHeldNameTheirLimit) {
  const auto held = timed(thompson(2, 2000000, "mu=1"));
  EXPECT_EQ(held.result.status, 2);
  EXPECT_THAT(held.result.err, HasSubstr("horizon must be at most 1048576"));
  const auto sampled = timed(thompson(1024, 1000000, "mu=1"));
  EXPECT_EQ(sampled.result.status, 2);
  EXPECT_THAT(sampled.result.err, HasSubstr("unless --time or --samples states how long"));
  const auto limit = [](const Words& words, const char* message) {
    const auto run = timed(words);
    EXPECT_EQ(run.result.status, 2) << words.back();
    EXPECT_THAT(run.result.err, HasSubstr(message));
  };
  limit("exponential -p answers=100000000", "answers must be at most 131072");
  limit("top-k -p answers=131072 -p count=1000", "count at most 8 here");
  limit("idealized-peeling -p coordinates=100000000 -p rounds=10000",
        "coordinates must be at most 131072");
  limit("idealized-peeling -p coordinates=131072 -p rounds=1000", "rounds at most 8 here");
  limit("resetting-above-threshold -p answers=1024 --method exact", "steps, but 1e+07 is the most");
  limit("top-k -p answers=19 -p count=16 -p ordered=false --method exact",
        "steps, but 1e+07 is the most");
  limit("idealized-square-root-counter -p horizon=33554432", "horizon must be at most 1048576");
}

// What the search came to is in the command that makes the report again.
TEST(TimeBudgetOf, ASearchIsReportedAndReproduced) {
  auto words = thompson(2, 3000, "mu=30");
  words.insert(words.end(), {"--time", "0.3"});
  const auto run = timed(words);
  EXPECT_THAT(run.result.out, ::testing::ContainsRegex("the[ \n]+budget[ \n]+ended[ \n]+it"));
  EXPECT_THAT(run.result.out, HasSubstr("--search"));
  auto again = thompson(2, 40, "mu=3");
  again.insert(again.end(), {"--samples", "256", "--search", "20", "--format", "json"});
  const auto first = timed(again);
  EXPECT_THAT(first.result.out, HasSubstr("a search of 20 of 600 pairs"));
  EXPECT_THAT(first.result.out, HasSubstr("--search 20"));
  auto threads = again;
  threads.insert(threads.end(), {"--threads", "3"});
  const auto before_meta = [](const std::string& text) {
    return text.substr(0, text.find("\"meta\""));
  };
  EXPECT_EQ(before_meta(first.result.out), before_meta(timed(threads).result.out));
  for (const char* other : {"laplace", "ftnl"}) {
    const auto refused = timed({other, "--search", "5"});
    EXPECT_EQ(refused.result.status, 2);
    EXPECT_THAT(refused.result.err, HasSubstr("--search"));
  }
}

struct Interruption {
  std::string name;
  Words words;
};

class Interrupted : public ::testing::TestWithParam<Interruption> {};

TEST_P(Interrupted, AtAnyMomentThereIsAPartialReportAtOnce) {
  unsigned state = 12345;
  for (int repetition = 0; repetition < 3; ++repetition) {
    state = state * 1664525u + 1013904223u;
    const int after = 400 + static_cast<int>(state >> 16) % 1200;
    const auto run = timed(GetParam().words, after, repetition == 1 ? SIGTERM : SIGINT);
    EXPECT_EQ(run.result.status, 3) << "after " << after << " ms: " << run.result.err;
    EXPECT_THAT(run.result.out, HasSubstr("Inconclusive"));
    EXPECT_THAT(run.result.out, HasSubstr("Reproduce"));
    EXPECT_LE(run.seconds, 1e-3 * after + 0.5 + kSlack) << "after " << after << " ms";
  }
}

// A program is searched before it is certified: what the search saw is in the report, in every format.
TEST(InterruptedSearch, OfAProgramLeavesItsReportInEveryFormat) {
  const TemporaryFolder folder;
  const std::string files[] = {folder.file("r.json"), folder.file("r.html"), folder.file("r.txt")};
  const auto run =
      timed({"--exec", python(ASSAY_SOURCE_DIR) + "/examples/targets/epsilon_greedy.py", "--arms",
             "5", "--horizon", "100", "--claim", "eps=1", "--method", "events", "--runs", "2000000",
             "-w", files[0], "-w", files[1], "-w", files[2]},
            1500);
  EXPECT_EQ(run.result.status, 3) << run.result.err;
  EXPECT_THAT(run.result.out, HasSubstr("Inconclusive"));
  EXPECT_THAT(run.result.out, HasSubstr("Reproduce"));
  for (const auto& file : files) {
    EXPECT_THAT(read_file(file), HasSubstr("before anything could be certified")) << file;
  }
}

// Before the search has seen anything there is a report as well, and it says so.
TEST(InterruptedSearch, OfAProgramThatHasHardlyBegunLeavesItsReportInEveryFormat) {
  const TemporaryFolder folder;
  const auto slow = python(folder.write(
      "slow.py",
      "import sys, time\nfrom assay_target import serve\ntime.sleep(float(sys.argv[1]))\n"
      "def play(rewards, shape, seed, rng):\n"
      "    time.sleep(0.05)\n"
      "    return [rng.randrange(2) for reward in rewards]\n"
      "serve(play, kind='bandit', name='slow', seeded=True)\n"));
  for (const auto& [start, method] :
       std::vector<std::pair<std::string, std::string>>{{"0", "--method events"},
                                                        {"0", "--method one-run"},
                                                        {"0", "--time 100"},
                                                        {"100", "--method events"},
                                                        {"100", "--method one-run"}}) {
    const std::string files[] = {folder.file("r.json"), folder.file("r.html"),
                                 folder.file("r.txt")};
    const auto run =
        timed(with({"--exec", slow + " " + start, "--arms", "2", "--horizon", "20", "--claim",
                    "eps=1", "-w", files[0], "-w", files[1], "-w", files[2]},
                   method),
              900);
    SCOPED_TRACE(start + " " + method);
    EXPECT_EQ(run.result.status, 3) << run.result.err;
    EXPECT_THAT(run.result.out,
                AllOf(StartsWith("Inconclusive: the run was interrupted before anything could be"),
                      HasSubstr("Reproduce")));
    EXPECT_LE(run.seconds, 0.9 + 0.5 + kSlack);
    for (const auto& file : files) {
      EXPECT_THAT(read_file(file), HasSubstr("nothing was estimated yet")) << file;
    }
  }
}

// It runs, learns to guess, runs and guesses: at each of these moments an interrupt is heard within half a second.
TEST(InterruptedOneRun, AtAnyMomentThereIsAReportAtOnce) {
  const TemporaryFolder folder;
  const auto cyclic =
      python(folder.write("cyclic.py",
                          "from assay_target import serve\n"
                          "def play(rewards, shape, seed, rng):\n"
                          "    first = rng.randrange(shape.arms)\n"
                          "    return [(first + t) % shape.arms for t in range(len(rewards))]\n"
                          "serve(play, kind='bandit', name='cyclic', seeded=True)\n"));
  for (const int after : {300, 700, 1200, 2000, 3500, 5000}) {
    const auto run = timed(with({"--exec", cyclic},
                                "--arms 5 --horizon 2000 --claim eps=5 --method one-run "
                                "--training 100 --samples 4000"),
                           after);
    EXPECT_EQ(run.result.status, 3) << "after " << after << " ms: " << run.result.err;
    EXPECT_THAT(run.result.out, AllOf(HasSubstr("Inconclusive"), HasSubstr("Reproduce"),
                                      HasSubstr("--method one-run")));
    EXPECT_LE(run.seconds, 1e-3 * after + 0.5 + kSlack) << "after " << after << " ms";
  }
}

Interruption of_thompson(const std::string& name, std::int64_t arms, std::int64_t horizon,
                         const std::string& claim, Words more = {}) {
  auto words = thompson(arms, horizon, claim);
  words.insert(words.end(), more.begin(), more.end());
  return {name, words};
}

// Each law of its leaders takes a good part of a second, and the search asks for hundreds.
TEST(InterruptedLaws, OfResampledLossesEndWithinTheirTime) {
  const TemporaryFolder folder;
  std::string losses;
  unsigned state = 1;
  for (int i = 0; i < 40 * 16384; ++i) {
    state = state * 1664525u + 1013904223u;
    losses += "0." + std::to_string(100 + (state >> 16) % 900) + (i % 40 == 39 ? "\n" : ",");
  }
  const Words words = {"ftnl",
                       "-p",
                       "actions=40",
                       "-p",
                       "horizon=16384",
                       "-p",
                       "resample=true",
                       "-p",
                       "noise=gumbel",
                       "--input",
                       folder.write("losses.csv", losses),
                       "--claim",
                       "eps=0.5,delta=0.5"};
  const auto interrupted = timed(words, 3000, SIGINT);
  EXPECT_THAT(interrupted.result.out, HasSubstr("Reproduce"));
  EXPECT_LE(interrupted.seconds, 3.0 + 0.5 + kSlack);
  auto budget = words;
  budget.insert(budget.end(), {"--time", "0.5"});
  const auto run = timed(budget);
  EXPECT_THAT(run.result.out, HasSubstr("Reproduce"));
  EXPECT_LE(run.seconds, 0.6 + 1.0 + kSlack);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Interrupted,
    ::testing::Values(of_thompson("SearchOfPaths", 2, 100000, "mu=200"),
                      of_thompson("SearchOfDivergence", 2, 100000, "eps=9,delta=0.5"),
                      of_thompson("ManyArms", 1024, 3, "eps=0.01,delta=1e-9", "--samples 10"),
                      of_thompson("Enumeration", 2, 24, "eps=3,delta=0.01", "--method exact"),
                      Interruption{"Releases",
                                   {"idealized-laplace", "--method", "likelihood", "--samples",
                                    "1000000000", "--claim", "eps=0.9,delta=0.0488"}},
                      Interruption{"Plays",
                                   {"laplace", "--method", "events", "--samples", "100000000",
                                    "--claim", "eps=0.99"}}),
    [](const auto& interruption) { return interruption.param.name; });

}  // namespace
}  // namespace assay
