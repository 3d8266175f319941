#include "assay/auditors/methods/black_box/planted_shares.hpp"

#include <fmt/format.h>

namespace assay {

const std::array<PlantedShare, enum_names(InputKind{}).size()> kPlantedShares = {{
    {InputKind::kBandit, "bandits", 138, 154, 77},
    {InputKind::kBestArm, "best-arm policies", 143, 154, 77},
    {InputKind::kDueling, "dueling policies", 103, 112, 56},
    {InputKind::kExperts, "experts policies", 143, 154, 77},
    {InputKind::kContextual, "contextual policies", 146, 154, 77},
    {InputKind::kMechanism, "mechanisms", 327, 354, 177},
}};

std::string planted_share_text(InputKind kind) {
  const PlantedShare& share = kPlantedShares[static_cast<std::size_t>(kind)];
  const std::int64_t percent = 100 * share.found / share.audits;  // rounded down
  return fmt::format(
      "Of {} planted leaks of at least twice the claim in {}, audits with 40,000 runs find {}% "
      "(docs/benchmarks.md).",
      share.leaks, share.inputs, percent);
}

}  // namespace assay
