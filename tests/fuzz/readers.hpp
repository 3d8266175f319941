// Every reader of bytes that a stranger may have written, as a function of those bytes: what the fuzzer
// feeds (fuzz_main.cpp) and what replays its corpus as ordinary tests (robust/corpus_test.cpp). A reader
// answers with a value or an error; anything else (a crash, a sanitizer's complaint) is a finding.
#pragma once

#include <span>
#include <string_view>

namespace assay::testing {

struct FuzzedReader {
  std::string_view name;                 // of its folder in tests/fuzz/corpus too
  bool (*read)(std::string_view bytes);  // whether it was accepted
};

std::span<const FuzzedReader> fuzzed_readers();

}  // namespace assay::testing
