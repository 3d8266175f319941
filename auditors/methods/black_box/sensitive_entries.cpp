#include "assay/auditors/methods/black_box/sensitive_entries.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/internal/pair_list.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFewestEntrySeeds = 2,
                       kMostEntrySeeds = 64;  // under which every change is tried
constexpr std::size_t kEntryBases = 3;
constexpr std::int64_t kAtOnce = 64;       // entries that are changed one by one at once
constexpr std::int64_t kFirstBlocks = 16;  // of more of them
constexpr std::size_t kDivided = 4;        // of the blocks, each into as many parts
constexpr std::size_t kOfABase = 2;        // pairs
constexpr double kDistinct = 1.05;         // over the median of all changes

// Entries first..last - 1, and by how much the output moves if all of them change.
struct Block {
  std::int64_t first = 0, last = 1;
  double moved = 0.0;
};

class EntrySearch {
 public:
  EntrySearch(Players& players, std::uint64_t seed, const RunControl& control)
      : players_(players),
        shape_(players.shape()),
        layout_(shape_),
        control_(control),
        seed_(seed) {}

  Result<BoundaryPairs> run(std::size_t most, std::int64_t runs) {
    struct Found {
      InputPair pair;
      double moved;
    };
    std::vector<Found> all;
    const std::int64_t affordable =
        runs / (static_cast<std::int64_t>(kEntryBases) * inputs_of_base());
    const std::int64_t most_seeds = std::min(kMostEntrySeeds, runs_a_message(shape_));
    const std::int64_t count =
        std::clamp(affordable, kFewestEntrySeeds, std::max(kFewestEntrySeeds, most_seeds));
    seeds_ = play_seeds({seed_, "sensitive entries", 0, Phase::kSearch}, 0, count);
    for (const InputTable& base : bases()) {
      if (found_.runs + count * inputs_of_base() > runs) break;
      auto ranked = rank(base);
      if (!ranked) {
        if (ranked.error().code == ErrorCode::kRefusedInput) continue;
        return tl::make_unexpected(ranked.error());
      }
      for (std::size_t i = 0; i < std::min(ranked->size(), kOfABase); ++i) {
        const Block& entry = (*ranked)[i];
        InputTable other = changed(base, entry.first, entry.first + 1);
        const std::int64_t row = has_rounds() ? entry.first : 0;
        InputPair pair = InputPair::of(base, detail::row_of(other, row));
        if (check_neighbours(shape_, pair)) all.push_back({std::move(pair), entry.moved});
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Found& a, const Found& b) { return a.moved > b.moved; });
    for (auto& one : all) {
      if (found_.pairs.size() < most) found_.pairs.push_back(std::move(one.pair));
    }
    return std::move(found_);
  }

 private:
  bool has_rounds() const { return shape_.traits().has_rounds(); }
  std::int64_t seeds() const { return static_cast<std::int64_t>(seeds_.size()); }
  std::int64_t entries() const { return has_rounds() ? shape_.rows() : shape_.columns(); }

  std::vector<InputTable> bases() const {
    std::vector<InputTable> bases;
    if (has_rounds()) {
      for (const InputPair& pair : structural_pairs(shape_, 6)) {
        if (!contains(bases, pair.base_input())) bases.push_back(pair.base_input());
      }
      if (bases.size() > kEntryBases) bases.resize(kEntryBases);
      return bases;
    }
    if (shape_.neighbours.value_or(Neighbours{}).kind != NeighbourKind::kOne) return {};
    const auto [low, high] = detail::ends_of(shape_);
    const auto count = static_cast<std::size_t>(shape_.columns());
    for (auto& row :
         {detail::Row(count, low), detail::Row(count, high), detail::spread_row(shape_)}) {
      bases.push_back(InputTable::one_row(row));
    }
    return bases;
  }

  InputTable changed(InputTable table, std::int64_t first, std::int64_t last) const {
    for (std::int64_t e = first; e < last; ++e) {
      if (has_rounds()) {
        const auto turned = opposite_row(shape_, table.row(e));
        std::copy(turned.begin(), turned.end(), table.row(e).begin());
      } else {
        double& value = table.values[static_cast<std::size_t>(e)];
        value = detail::far_from(shape_, value);
      }
    }
    return table;
  }

  std::int64_t inputs_of_base() const {
    if (entries() <= kAtOnce) return 1 + entries();
    std::int64_t inputs = 1 + kFirstBlocks;
    for (std::int64_t each = entries() / kFirstBlocks + 1; each > 1;
         each = (each + static_cast<std::int64_t>(kDivided) - 1) /
                static_cast<std::int64_t>(kDivided)) {
      inputs += kFirstBlocks;
    }
    return inputs;
  }

  static void divide(const Block& block, std::int64_t parts, std::vector<Block>& out) {
    const std::int64_t size = block.last - block.first;
    for (std::int64_t i = 0; i < std::min(parts, size); ++i) {
      const std::int64_t of = std::min(parts, size);
      out.push_back({block.first + i * size / of, block.first + (i + 1) * size / of});
    }
  }

  // Single entries that move the output more than most changes do, the one that moves it most first.
  Result<std::vector<Block>> rank(const InputTable& base) {
    const OutputBatch unchanged = ASSAY_TRY(outputs_of({base})).front();
    std::vector<Block> blocks;
    divide({0, entries()}, entries() <= kAtOnce ? entries() : kFirstBlocks, blocks);
    double usual = -1.0;
    for (;;) {
      std::vector<InputTable> inputs;
      for (const Block& block : blocks) inputs.push_back(changed(base, block.first, block.last));
      const auto outputs = ASSAY_TRY(outputs_of(inputs));
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i].moved = 0.0;
        for (std::int64_t s = 0; s < seeds(); ++s) {
          blocks[i].moved += output_distance(layout_, unchanged.play(s), outputs[i].play(s));
        }
      }
      std::stable_sort(blocks.begin(), blocks.end(),
                       [](const Block& a, const Block& b) { return a.moved > b.moved; });
      const bool single = std::all_of(blocks.begin(), blocks.end(), [](const Block& block) {
        return block.last - block.first == 1;
      });
      if (usual < 0.0) usual = kDistinct * blocks[blocks.size() / 2].moved;
      if (single) break;
      std::vector<Block> parts;
      for (std::size_t i = 0; i < std::min(blocks.size(), kDivided); ++i) {
        divide(blocks[i], static_cast<std::int64_t>(kDivided), parts);
      }
      blocks = std::move(parts);
    }
    std::erase_if(blocks, [&](const Block& block) { return !(block.moved > 0.0); });
    if (blocks.empty() || (entries() <= kAtOnce && blocks.front().moved <= usual)) blocks.clear();
    return blocks;
  }

  // The outputs of each input under the seeds.
  Result<std::vector<OutputBatch>> outputs_of(const std::vector<InputTable>& inputs) {
    RunControl quiet = control_;
    quiet.progress = nullptr;
    auto ran =
        players_.run(inputs.size(), "searching entries", quiet,
                     [&](Target& target, std::size_t i) { return target.play(inputs[i], seeds_); });
    if (ran.error) return tl::make_unexpected(*ran.error);
    found_.runs += seeds() * static_cast<std::int64_t>(inputs.size());
    return std::move(ran.values);
  }

  Players& players_;
  const InputShape& shape_;
  OutputLayout layout_;
  const RunControl& control_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> seeds_;
  BoundaryPairs found_;
};

}  // namespace

double output_distance(const OutputLayout& layout, std::span<const double> a,
                       std::span<const double> b) {
  constexpr double kFar = 1e9;
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double by = std::abs(a[i] - b[i]);
    const bool counts = layout.is_action(static_cast<std::int64_t>(i));
    sum += counts ? 1.0 : by < kFar ? by : kFar;
  }
  return sum;
}

Result<BoundaryPairs> pairs_at_sensitive_entries(Players& players, std::uint64_t seed,
                                                 std::size_t most, std::int64_t runs,
                                                 const RunControl& control) {
  return EntrySearch(players, seed, control).run(most, runs);
}

}  // namespace assay
