// A Python child behind the process protocol: transcripts a second at T = 100, and what of the time is
// the protocol's own. The silent twin reads the same requests and answers with as many actions that it
// did not compute, so its time is the protocol's: encoding, pipes, and JSON on both sides.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/policies/external/process_target.hpp"

namespace assay {
namespace {

constexpr std::int64_t kHorizon = 100;
constexpr std::int64_t kTargetArms = 5;

const char* const kSilent = R"(
import json, sys
sys.stdin.readline()
print(json.dumps({"type": "ready", "name": "silent", "seeded": True}), flush=True)
play = [0, 1, 2, 3, 4] * 20
for line in sys.stdin:
    message = json.loads(line)
    outputs = [play for _ in message["seeds"]]
    print(json.dumps({"type": "plays", "id": message["id"], "outputs": outputs},
                     separators=(",", ":")), flush=True)
)";

void run(benchmark::State& state, const std::vector<std::string>& command) {
  InputShape shape;
  shape.arms = kTargetArms;
  shape.horizon = kHorizon;
  auto target = ProcessTarget::start({command, shape, {}});
  if (!target) {
    state.SkipWithError(target.error().message.c_str());
    return;
  }
  InputTable input{kHorizon, 1, std::vector<double>(kHorizon, 0.0)};
  for (std::size_t t = 0; t < kHorizon; t += 2) input.values[t] = 1.0;
  std::int64_t runs = 0;
  for (auto _ : state) {
    const auto seeds = play_seeds({1, "benchmark"}, runs, kPlayChunk);
    const auto batch = (*target)->play(input, seeds);
    if (!batch) {
      state.SkipWithError(batch.error().message.c_str());
      return;
    }
    runs += kPlayChunk;
  }
  state.counters["transcripts_per_minute"] =
      benchmark::Counter(60.0 * static_cast<double>(runs), benchmark::Counter::kIsRate);
}

void BM_PythonEpsilonGreedy(benchmark::State& state) {
  run(state, {"/usr/bin/python3", ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py"});
}
BENCHMARK(BM_PythonEpsilonGreedy)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_ProtocolAlone(benchmark::State& state) { run(state, {"/usr/bin/python3", "-c", kSilent}); }
BENCHMARK(BM_ProtocolAlone)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace assay
