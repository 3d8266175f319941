// Time of one black-box audit of each policy of the fault zoo for sequences, plays and all, on one
// core, and what part of the exact eps it certifies.
//
//     build/release/benchmarks/sequences_benchmark
//
// "budget-split" is the policy of 20 rounds that leaks through a count: `of_exact` is to be 0.8 or more
// within a second.
#include <benchmark/benchmark.h>

#include <cmath>

#include "assay/auditors/detect/sequences.hpp"

namespace assay {
namespace {

void audit_row(benchmark::State& state, const faulty::SequenceRow& row, bool counterpart) {
  SequencePlan plan;
  double lower = 0.0;
  double exact = 0.0;
  double least = HUGE_VAL;
  for (auto _ : state) {
    const auto audit = audit_sequence(row, counterpart, plan, {});
    if (!audit) {
      state.SkipWithError(audit.error().message.c_str());
      break;
    }
    ++plan.seed;
    exact = audit->exact;
    lower += audit->lower;
    least = std::min(least, audit->lower);
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["bound"] = lower / runs;
  state.counters["of_exact"] = lower / runs / exact;
  state.counters["least_of_exact"] = least / exact;
}

const bool kRegisteredSequences = [] {
  for (const auto& row : faulty::sequence_table()) {
    for (const bool counterpart : {false, true}) {
      benchmark::RegisterBenchmark(
          ("sequences/" + row.name + (counterpart ? "/correct" : "/faulty")).c_str(),
          [row, counterpart](benchmark::State& state) { audit_row(state, row, counterpart); })
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace assay
