#include "assay/mechanisms/accounting/pld/internal/product_tree.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "assay/mechanisms/accounting/pld/internal/grid_choice.hpp"

namespace assay::detail {
namespace {

constexpr int kJoined = 8;  // parts in one join

}  // namespace

Status ProductTree::add(TwoScales pld, double releases) {
  std::size_t level = 0;
  for (double m = kJoined; m <= releases; m *= kJoined) ++level;
  if (levels_.size() <= level) levels_.resize(level + 1);
  levels_[level].push_back({std::move(pld), releases});
  if (levels_[level].size() < static_cast<std::size_t>(kJoined)) return {};
  const std::vector<Part> full = std::exchange(levels_[level], {});
  auto joined = ASSAY_TRY(join(full));
  return add(std::move(joined.pld), joined.releases);
}

Result<TwoScales> ProductTree::product() {
  std::vector<Part> left;
  for (auto& level : levels_) {
    for (Part& part : level) left.push_back(std::move(part));
  }
  const auto fewer = [](const Part& a, const Part& b) { return a.releases < b.releases; };
  while (left.size() > 1) {
    std::stable_sort(left.begin(), left.end(), fewer);
    const auto end = left.begin() + std::min<std::ptrdiff_t>(std::ssize(left), kJoined);
    const std::vector<Part> first(std::make_move_iterator(left.begin()),
                                  std::make_move_iterator(end));
    left.erase(left.begin(), end);
    auto joined = ASSAY_TRY(join(first));
    left.push_back(std::move(joined));
  }
  levels_.clear();
  return std::move(left.front().pld);
}

double ProductTree::step_of(double releases) const {
  return std::ldexp(unit_, std::ilogb(releases) / 2);
}

double ProductTree::depth(std::size_t terms) {
  double levels = 0.0;
  for (double held = 1.0; held < static_cast<double>(terms); held *= kJoined) ++levels;
  return levels;
}

Result<ProductTree::Part> ProductTree::join(const std::vector<Part>& parts) {
  if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) {
    return fail(ErrorCode::kInterrupted, "interrupted while composing");
  }
  double releases = 0.0;
  for (const Part& part : parts) releases += part.releases;
  const double each = std::max(1.0, releases / static_cast<double>(parts.size()));
  std::vector<TwoScales> factors;
  for (const Part& part : parts) factors.push_back(part.pld);
  auto joined = ASSAY_TRY(compose(factors, std::min(step_of(each), kLargestStep),
                                  releases_ / releases, ffts_, max_points_));
  return Part{std::move(joined), releases};
}

}  // namespace assay::detail
