// What fuzzing found worth keeping, and what it started from, read again as ordinary tests; each file
// also cut short and with single bytes changed.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/fuzz/readers.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::testing {
namespace {

constexpr std::size_t kLongest = 4096;  // of what is damaged
constexpr int kDamages = 200;           // of each kind, a file

class Corpus : public ::testing::TestWithParam<FuzzedReader> {
 protected:
  static std::vector<std::string> files() {
    std::vector<std::string> texts;
    const std::filesystem::path folder = ASSAY_SOURCE_DIR "/tests/fuzz/corpus";
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder / GetParam().name)) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::ifstream in(path, std::ios::binary);
      texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return texts;
  }
};

TEST_P(Corpus, IsReadOrRefused) {
  const auto texts = files();
  ASSERT_FALSE(texts.empty()) << "no corpus of " << GetParam().name;
  // What is refused at once leads a fuzzer nowhere.
  int accepted = 0;
  for (const auto& text : texts) accepted += GetParam().read(text) ? 1 : 0;
  EXPECT_GT(accepted, 0);
}

TEST_P(Corpus, DamagedIsReadOrRefused) {
  ReplayStream random({1, hash_purpose(GetParam().name), 0, 0, Phase::kSearch});
  for (const auto& text : files()) {
    if (text.empty() || text.size() > kLongest) continue;
    for (int i = 0; i < kDamages; ++i) {
      GetParam().read(std::string_view(text).substr(0, random.next() % text.size()));
      std::string damaged = text;
      damaged[random.next() % text.size()] = static_cast<char>(random.next());
      GetParam().read(damaged);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryReader, Corpus, ::testing::ValuesIn(fuzzed_readers()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace assay::testing
