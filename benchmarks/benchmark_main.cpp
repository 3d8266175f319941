// The main of every benchmark. Debian's Google Benchmark was built without NDEBUG and so calls
// every run a debug build; the lines "assay_..." say what was measured.
#include <benchmark/benchmark.h>

#include <string>

#include "assay/mechanisms/core/version.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const auto info = assay::build_info();
  benchmark::AddCustomContext("assay_build_type", std::string(info.build_type));
  benchmark::AddCustomContext("assay_build", assay::to_string(info));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
