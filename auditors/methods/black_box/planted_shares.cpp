#include "assay/auditors/methods/black_box/planted_shares.hpp"

#include <fmt/format.h>

namespace assay {

const std::array<PlantedShare, enum_names(InputKind{}).size()> kPlantedShares = {{
    {InputKind::kBandit, "bandits", 1, 2, 2},
    {InputKind::kBestArm, "best-arm policies", 1, 2, 2},
    {InputKind::kDueling, "dueling policies", 1, 2, 2},
    {InputKind::kExperts, "experts policies", 1, 2, 2},
    {InputKind::kContextual, "contextual policies", 1, 2, 2},
    {InputKind::kMechanism, "mechanisms", 1, 2, 2},
}};

std::string planted_share_text(InputKind kind) {
  const PlantedShare& share = kPlantedShares[static_cast<std::size_t>(kind)];
  const std::int64_t percent = 100 * share.found / share.audits;  // rounded down
  return fmt::format(
      "Of {} planted leaks of at least twice the claim in {}, audits with the default number of runs "
      "find {}% (docs/benchmarks.md). A leak of another kind may be harder to find.",
      share.leaks, share.inputs, percent);
}

}  // namespace assay
