#include "assay/auditors/sparse/claims/counterexamples.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

Status check_context(std::span<const double> context, std::size_t dimension, double x_max,
                     const std::string& path) {
  if (context.size() != dimension) {
    return out_of_range(path, fmt::format("must have {} entries, as many as the estimate, not {}",
                                          dimension, context.size()));
  }
  for (const double entry : context) {
    if (std::fabs(entry) > x_max) {
      return out_of_range(path, fmt::format("must lie within x_max = {}, not {}", x_max, entry));
    }
  }
  return {};
}

}  // namespace

Status GradientCounterexample::check() const {
  ASSAY_TRY(check_context(context, estimate.size(), x_max, "/counterexample/context"));
  return check_context(other_context, estimate.size(), x_max, "/counterexample/other_context");
}

Status ClippingCounterexample::check() const {
  if (std::has_single_bit(static_cast<std::uint64_t>(records))) return {};
  return out_of_range("/counterexample/records", "must be a power of 2, the length of an episode");
}

Status PeelingCounterexample::check() const {
  if (least <= entries) return {};
  return out_of_range("/counterexample/least",
                      fmt::format("must be at most {} entries, not {}", entries, least));
}

Status LowerCounterexample::check() const {
  if (10 * sparsity <= dimension) return {};
  return out_of_range(
      "/counterexample/sparsity",
      fmt::format("must be at most a tenth of the dimension {}, not {}", dimension, sparsity));
}

Status LeftOutCounterexample::check() const {
  if (sparsity <= support) {
    return out_of_range("/counterexample/sparsity",
                        fmt::format("must be above the support {}, not {}", support, sparsity));
  }
  if (kept < support) return {};
  return out_of_range("/counterexample/kept",
                      fmt::format("must be below the support {}, not {}", support, kept));
}

}  // namespace assay
