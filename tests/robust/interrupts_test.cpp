// Every command hears the first interrupt: at random moments of its work it ends within half a second, of which a single
// step may make 1.5 s on a slow machine, with a report or a sentence that says what was interrupted.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// What a processor may still do once the signal came, in half of the cases and in all of them; the clock of a busy machine
// runs on for longer.
constexpr double kHeardWithin = kSanitized ? 10.0 : 0.5;
constexpr double kAtMost = 3.0 * kHeardWithin;
constexpr double kEndsWithin = kSanitized ? 60.0 : 10.0;
constexpr double kLatest = 0.8;  // the latest moment, in seconds from the start of the work

const std::string kProgram =
    ASSAY_PYTHON " " ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py";

struct Work {
  const char* name;
  Words words;  // of the command, which would take many seconds; "@/" is the folder of the test

  friend void PrintTo(const Work& work, std::ostream* out) { *out << work.name; }
};

const std::vector<Work> kWorks{
    {"audit_exact", {"audit", "idealized-square-root-counter", "-p", "horizon=20000"}},
    {"audit_likelihood",
     {"audit", "thompson-sampling", "--method", "likelihood", "--samples", "100000000"}},
    {"audit_losses", {"audit", "gaussian", "--method", "likelihood", "--samples", "100000000"}},
    {"audit_release", {"audit", "dp-ebs", "--method", "release", "--samples", "100000000"}},
    {"audit_events", {"audit", "rappor", "--method", "events", "--samples", "100000000"}},
    {"audit_program",
     {"audit", "--exec", kProgram, "--arms", "2", "--horizon", "20", "--samples", "10000000",
      "--claim", "eps=1"}},
    {"audit_program_one_run",
     {"audit", "--exec", kProgram, "--arms", "2", "--horizon", "200", "--samples", "100000",
      "--claim", "eps=1", "--method", "one-run"}},
    {"audit_program_of_many_numbers",
     {"audit", "--exec", kProgram, "--arms", "20", "--horizon", "40000", "--claim", "eps=1"}},
    {"try", {"try", "--exec", kProgram, "--arms", "20", "--horizon", "40000"}},
    {"suite_init",
     {"suite", "init", "--exec", kProgram, "--horizon", "2000", "-w", "@/started.toml"}},
    {"suite_run", {"suite", "run", "@/suite.toml"}},
    {"verify_searches", {"verify", "hardness", "ftnl-regret", "ts-gdp-loose", "--effort", "300"}},
    {"verify_trials", {"verify", "bai-error", "--effort", "300"}},
    {"verify_rare_errors", {"verify", "dp-od-ratio", "--effort", "300"}},
    {"verify_everything", {"verify", "--effort", "30"}},
    {"simulate", {"simulate", "fliphat-fig1", "--repetitions", "10000"}},
    {"frontier", {"frontier", "--budget", "1000000"}},
    {"detect", {"detect"}},
    {"detect_sequences", {"detect", "--sequences"}},
    {"bench", {"bench", "counters", "--epsilon", "1", "--delta", "1e-6", "--samples", "1000000"}},
    {"bench_bandits", {"bench", "bandits", "--epsilon", "1", "--samples", "1000000"}},
    {"sampler",
     {"sampler", "--exec", ASSAY_PYTHON " " ASSAY_SOURCE_DIR "/examples/samplers/laplace.py {seed}",
      "--distribution", "laplace:scale=1", "--samples", "20000000"}},
    {"account",
     {"account", "subsampled-gaussian", "--sigma", "0.8", "--sampling", "0.01", "--compose",
      "1000000"}},
    {"account_chain", {"account", "@/chain.toml"}},
    {"calibrate",
     {"account", "calibrate", "laplace", "--epsilon", "1", "--delta", "1e-6", "--compose",
      "1000000"}}};

void write_files(const TemporaryFolder& folder) {
  std::ofstream(folder.file("suite.toml"))
      << "schema = \"assay.suite/1\"\n[[audit]]\nid = \"a\"\ncase = \"thompson-sampling\"\n"
         "method = \"likelihood\"\nsamples = 100000000\nclaim = \"mu=9\"\n";
  std::ofstream chain(folder.file("chain.toml"));
  for (int i = 0; i < 1000; ++i) {
    chain << "[[step]]\nmechanism = \"subsampled-gaussian\"\nsampling = 0.01\nsigma = "
          << 1.0 + i * 0.001 << "\n";
  }
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Interrupts : public ::testing::TestWithParam<Work> {};

TEST_P(Interrupts, AreHeardAtOnceAtAnyMoment) {
  ReplayStream random({.seed = 1, .purpose = hash_purpose(GetParam().name)});
  const int moments = std::max(1, dear_repetitions(40));
  std::vector<double> waited, worked;
  for (int i = 0; i < moments; ++i) {
    const TemporaryFolder folder;
    write_files(folder);
    Words words{ASSAY_CLI};
    for (const auto& word : GetParam().words) {
      words.push_back(word.substr(0, 2) == "@/" ? folder.file(word.substr(2)) : word);
    }
    const std::string out = folder.file("out"), err = folder.file("err");
    const double moment = kLatest * std::pow(1e-3, random.uniform());  // as many early as late
    Child child(words, out, err);
    while (child.running() && !child.catches(SIGINT)) usleep(200);
    const auto began = Clock::now();
    while (child.running() && seconds_since(began) < moment) usleep(200);
    const bool is_met = child.running();
    const double before = child.processor_seconds();
    const auto signalled = Clock::now();
    child.signal(SIGINT);
    while (child.running() && seconds_since(signalled) < kEndsWithin) usleep(500);
    EXPECT_FALSE(child.running()) << "after " << kEndsWithin << " s, interrupted at " << moment;
    if (is_met) {
      waited.push_back(seconds_since(signalled));
      worked.push_back(child.processor_seconds() - before);
      EXPECT_LE(worked.back(), kAtMost) << "interrupted at " << moment;
    }
    if (child.running()) child.signal(SIGKILL);
    const int status = child.wait();
    const std::string printed = read_file(out), said = read_file(err);
    // What is proved of the audited case needs no run, so that an interrupted audit may say it.
    EXPECT_TRUE(status == 3 || (status == 0 && !printed.empty())) << status << "\n" << said;
    EXPECT_FALSE(printed.empty() && said.empty()) << "interrupted at " << moment;
  }
  ASSERT_FALSE(waited.empty()) << "it ended before the earliest moment";
  const auto middle = [](std::vector<double>& seconds) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  };
  EXPECT_LE(middle(worked), kHeardWithin) << "half of the interrupts took longer";
  // Also those that only wait, on a machine that others use.
  EXPECT_LE(middle(waited), 2.0 * kHeardWithin) << "half of the interrupts took longer";
}

INSTANTIATE_TEST_SUITE_P(Commands, Interrupts, ::testing::ValuesIn(kWorks),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace assay
