// libFuzzer's entry: `fuzz_readers --reader=NAME [CORPUS] [libFuzzer options]`; tools/fuzz runs them all.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "assay/tests/fuzz/readers.hpp"

namespace {
const assay::testing::FuzzedReader* fuzzed = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view kFlag = "--reader=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*words)[i];
    if (word.substr(0, kFlag.size()) != kFlag) continue;
    for (const auto& reader : assay::testing::fuzzed_readers()) {
      if (reader.name == word.substr(kFlag.size())) fuzzed = &reader;
    }
  }
  if (fuzzed != nullptr) return 0;
  std::fputs("fuzz_readers: give --reader= one of", stderr);
  for (const auto& reader : assay::testing::fuzzed_readers()) {
    std::fprintf(stderr, " %.*s", static_cast<int>(reader.name.size()), reader.name.data());
  }
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzed->read({reinterpret_cast<const char*>(data), size});
  return 0;
}
