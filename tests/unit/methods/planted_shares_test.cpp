// The shares of planted leaks that reports state are those of docs/benchmarks.md.
#include "assay/auditors/methods/black_box/planted_shares.hpp"

#include <fmt/format.h>

#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(PlantedShares, HaveARowForEachKindOfInput) {
  std::size_t i = 0;
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    const PlantedShare& share = kPlantedShares[i++];
    SCOPED_TRACE(name);
    EXPECT_EQ(share.kind, kind);
    EXPECT_GE(share.leaks, 30);
    EXPECT_LE(share.found, share.audits);
    EXPECT_GT(share.audits, 0);
    EXPECT_EQ(share.audits % share.leaks, 0);  // each with the same seeds
  }
}

TEST(PlantedShares, AreThoseOfTheTableInTheDocs) {
  const std::string page = read_file(ASSAY_SOURCE_DIR "/docs/benchmarks.md");
  for (const PlantedShare& share : kPlantedShares) {
    EXPECT_THAT(page, HasSubstr(fmt::format("| {} | {} | {} of {} |", share.inputs, share.leaks,
                                            share.found, share.audits)));
  }
}

TEST(PlantedShares, ASentenceNamesTheNumberTheKindAndAPercentageThatIsRoundedDown) {
  for (const PlantedShare& share : kPlantedShares) {
    const std::string text = planted_share_text(share.kind);
    EXPECT_THAT(text,
                StartsWith(fmt::format("Of {} planted leaks of at least twice the claim in {}, ",
                                       share.leaks, share.inputs)));
    const auto percent = 100 * share.found / share.audits;
    EXPECT_THAT(text, HasSubstr(fmt::format(" find {}% ", percent)));
    EXPECT_LE(percent * share.audits, 100 * share.found);
  }
}

}  // namespace
}  // namespace assay
