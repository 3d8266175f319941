// The cost of one certified run: one message to a target and its answer, with everything that an audit does for it.
// The target hardly computes, so the time is Assay's own and that of the processes, which take turns.
//
//     build/release/benchmarks/certified_run_benchmark --benchmark_min_time=0.004 --benchmark_repetitions=40
//
// Each target is a bandit (an output of 20 actions) and a mechanism (an output of 4 numbers). `python` is a
// function behind assay_target, with keys in half of its runs, as by default. `pipes` writes and reads as many bytes
// between two processes and does nothing else. `a_run` is the time of a run. A run wakes two processes in turn, so the
// time depends on the kernel and the machine; compare ratios to `pipes`.
#include <benchmark/benchmark.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/policies/external/plugin_target.hpp"
#include "assay/policies/external/process_target.hpp"

namespace assay {
namespace {

constexpr std::int64_t kRuns = 1024;  // an iteration

// A bandit's action is a bit of the seed; a mechanism's number is its value plus a fraction from the seed.
const char* const kPlugin = R"(
#include <assay_target.h>
static void play(const assay_shape_v1* shape, const double* input, uint64_t seed, double* output) {
  int i;
  for (i = 0; i < shape->width; ++i)
    output[i] = shape->arms > 0 ? seed >> i & 1 : input[i] + (seed >> (40 + i) & 255) / 255.0;
}
ASSAY_TARGET("benchmark", KIND, 1, play)
)";

const char* const kProgram = R"(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  static char line[1 << 16];
  int i, bandit = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strstr(line, "\"hello\"") != NULL) {
      bandit = strstr(line, "\"bandit\"") != NULL;
      printf("{\"type\":\"ready\",\"name\":\"benchmark\",\"seeded\":true}\n");
    } else {
      const long long id = atoll(strstr(line, "\"id\":") + 5);
      const long long seed = atoll(strstr(line, "\"seeds\":[") + 9);
      const char* input = strchr(strstr(line, "\"input\":"), '[') + 1;
      printf("{\"type\":\"plays\",\"id\":%lld,\"outputs\":[[", id);
      for (i = 0; i < (bandit ? 20 : 4); ++i) {
        if (i > 0) putchar(',');
        if (bandit) putchar('0' + (int)(seed >> i & 1));
        else printf("%.17g", strtod(input, (char**)&input) + (seed >> (40 + i) & 255) / 255.0), ++input;
      }
      printf("]]}\n");
    }
    fflush(stdout);
  }
  return 0;
}
)";

const char* const kFunction = R"(
from assay_target import serve
def play(values, shape, seed):
    if shape.kind == "bandit":
        return [seed >> i & 1 for i in range(20)]
    return [value + (seed >> 40 + i & 255) / 255 for i, value in enumerate(values)]
serve(play, seeded=True)
)";

// A folder for what is compiled, which lasts as long as this program.
class Workshop {
 public:
  Workshop() {
    static_cast<void>(!mkdtemp(folder_.data()));
    // For sources that include "assay/...".
    std::filesystem::create_directory_symlink(ASSAY_SOURCE_DIR, folder_ + "/assay");
  }
  ~Workshop() { std::filesystem::remove_all(folder_); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // Returns the path of what the C compiler made, now or before.
  std::string compile(const std::string& name, const std::string& text,
                      const std::string& options) {
    const std::string path = folder_ + "/" + name;
    if (std::filesystem::exists(path)) return path;
    std::ofstream(path + ".c") << text;
    const std::string command = "cc -O2 -o " + path + " " + path + ".c -I" + folder_ + " -I" +
                                ASSAY_SOURCE_DIR "/policies/external " + options;
    return std::system(command.c_str()) == 0 ? path : "";
  }

 private:
  std::string folder_ =
      (std::filesystem::temp_directory_path() / "assay-benchmark-XXXXXX").string();
};

Workshop& workshop() {
  static Workshop made;
  return made;
}

InputShape shape_of(InputKind kind) {
  InputShape shape{.kind = kind};
  if (kind == InputKind::kBandit) {
    shape.arms = 2;
    shape.horizon = 20;
  } else {
    shape.inputs = shape.outputs = 4;
  }
  return shape;
}

Result<std::unique_ptr<Target>> plugin(InputKind kind) {
  const std::string name = kind == InputKind::kBandit ? "bandit" : "mechanism";
  const std::string path =
      workshop().compile(name + ".so", kPlugin, "-shared -fPIC '-DKIND=\"" + name + "\"'");
  return ASSAY_TRY(PluginTarget::load(path, shape_of(kind), {}));
}

Result<std::unique_ptr<Target>> program(InputKind kind) {
  return ASSAY_TRY(
      ProcessTarget::start({{workshop().compile("program", kProgram, "")}, shape_of(kind), {}}));
}

Result<std::unique_ptr<Target>> python(InputKind kind) {
  return ASSAY_TRY(
      ProcessTarget::start({{"/usr/bin/python3", "-c", kFunction}, shape_of(kind), {}}));
}

class FirstNumber final : public OutputScore {
 public:
  std::string name() const override { return "first number"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(std::span<const double> output) const override { return output[0]; }
};

void count_runs(benchmark::State& state) {
  state.counters["a_run"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kRuns),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void certify(benchmark::State& state, Result<std::unique_ptr<Target>> (*make)(InputKind),
             InputKind kind) {
  auto target = make(kind);
  if (!target) {
    state.SkipWithError(target.error().message.c_str());
    return;
  }
  const InputShape shape = shape_of(kind);
  InputTable base{shape.rows(), shape.columns(),
                  std::vector<double>(static_cast<std::size_t>(shape.rows() * shape.columns()))};
  std::vector<double> changed(base.row(0).begin(), base.row(0).end());
  changed[0] = 1.0;
  BlackBoxPlan plan;
  plan.seed = 1;
  plan.samples = kRuns / 2;
  plan.pairs = {InputPair::of(std::move(base), {0, std::move(changed)})};
  auto players = Players::create(std::move(*target), 1).value();
  const FirstNumber score;
  SelectedEvent event;
  event.event = {score_rank(0.5), score_rank(1.0), true};
  for (auto _ : state) {
    const auto runs =
        play_certified({&players, true, PureDp{Epsilon{1.0}}}, plan, {}, {&score, event}, {}, {});
    if (runs.error) {
      state.SkipWithError(runs.error->message.c_str());
      return;
    }
    ++plan.seed;
  }
  count_runs(state);
}

BENCHMARK_CAPTURE(certify, plugin / bandit, plugin, InputKind::kBandit)->UseRealTime();
BENCHMARK_CAPTURE(certify, plugin / mechanism, plugin, InputKind::kMechanism)->UseRealTime();
BENCHMARK_CAPTURE(certify, program / bandit, program, InputKind::kBandit)->UseRealTime();
BENCHMARK_CAPTURE(certify, program / mechanism, program, InputKind::kMechanism)->UseRealTime();
BENCHMARK_CAPTURE(certify, python / bandit, python, InputKind::kBandit)->UseRealTime();
BENCHMARK_CAPTURE(certify, python / mechanism, python, InputKind::kMechanism)->UseRealTime();

// 169 bytes there and 177 back, as of a plug-in's run of 20 actions. The waiting process asks for its answer by
// poll(), without which it could not end a run that takes too long.
void pipes(benchmark::State& state) {
  std::array<int, 2> there{}, back{};
  static_cast<void>(!pipe(there.data()));
  static_cast<void>(!pipe(back.data()));
  std::array<char, 256> bytes{};
  const pid_t child = fork();
  if (child == 0) {
    close(there[1]);
    while (read(there[0], bytes.data(), bytes.size()) > 0) {
      static_cast<void>(!write(back[1], bytes.data(), 177));
    }
    _exit(0);
  }
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kRuns; ++i) {
      static_cast<void>(!write(there[1], bytes.data(), 169));
      pollfd answer{back[0], POLLIN, 0};
      poll(&answer, 1, 1000);
      static_cast<void>(!read(back[0], bytes.data(), bytes.size()));
    }
  }
  count_runs(state);
  for (const int end : {there[0], there[1], back[0], back[1]}) close(end);
  waitpid(child, nullptr, 0);
}
BENCHMARK(pipes)->UseRealTime();

}  // namespace
}  // namespace assay
