// A target: a policy or mechanism that lives outside, played in batches without being read.
//
// The private input is a table, one row a round; what comes back is what an adversary sees, as
// numbers. The kind fixes both shapes (K actions, T rounds):
//
//   kind         input row (T of them)                        output of one play
//   bandit       the reward r_t in [0, 1]                     T actions
//   best-arm     the rewards of all K arms                    T actions, then the recommendation
//   dueling      K x K outcomes in {0, 1}: i beats j (1)      T pairs of actions
//   experts      the losses in [0, 1] of all K experts        T actions
//   contextual   K rewards, then K x d context entries        T actions
//   mechanism    one row of `inputs` values                   `outputs` numbers, any doubles
//
// Actions count from 0. (1): a tournament, o_ij + o_ji = 1 for i != j and o_ii = 0; one user's answer to
// "i or j?" is one bit, whichever way it is asked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class TargetKind { kBandit, kBestArm, kDueling, kExperts, kContextual, kMechanism };
constexpr std::array<std::pair<TargetKind, std::string_view>, 6> enum_names(TargetKind) {
  return {{{TargetKind::kBandit, "bandit"},
           {TargetKind::kBestArm, "best-arm"},
           {TargetKind::kDueling, "dueling"},
           {TargetKind::kExperts, "experts"},
           {TargetKind::kContextual, "contextual"},
           {TargetKind::kMechanism, "mechanism"}}};
}

// Numbers of one input table: an audit holds dozens of tables.
inline constexpr std::int64_t kMostInputNumbers = 4'000'000;

struct TargetShape {
  TargetKind kind = TargetKind::kBandit;
  std::int64_t arms = 2;       // K; unused by a mechanism
  std::int64_t horizon = 100;  // T; unused by a mechanism
  std::int64_t dimension = 1;  // d, contextual only
  std::int64_t inputs = 1;     // mechanism only
  std::int64_t outputs = 1;    // mechanism only

  static void fields(auto&& visit) {
    using C = TargetShape;
    visit(field("kind", &C::kind, Range{}, "", "what the target does"));
    visit(field("arms", &C::arms, Range{2, 1024}, "K", "number of actions"));
    visit(field("horizon", &C::horizon, Range{1, 1e6}, "T", "rounds of a play"));
    visit(field("dimension", &C::dimension, Range{1, 4096}, "d", "entries of a context"));
    visit(field("inputs", &C::inputs, Range{1, 1e6}, "", "values of a mechanism's input"));
    visit(field("outputs", &C::outputs, Range{1, 1e6}, "", "numbers of a mechanism's output"));
  }

  Status check() const;  // an input of at most kMostInputNumbers; the error names the sizes

  std::int64_t rows() const;     // of the input
  std::int64_t columns() const;  // of the input
  std::int64_t width() const;    // numbers of an output
  friend bool operator==(const TargetShape&, const TargetShape&) = default;
};

// Row by row: values[row * columns + column].
struct InputTable {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::vector<double> values;
  friend bool operator==(const InputTable&, const InputTable&) = default;
};

// The shape, and every value inside its range: rewards and losses in [0, 1], outcomes 0 or 1,
// contexts and a mechanism's values finite; the outcomes of a row a tournament. The error names row
// and column, counted from 1, or row and pair (i, j) of actions.
Status check_input(const TargetShape& shape, const InputTable& input);

// `count` outputs of `width` numbers each, play by play.
struct OutputBatch {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::vector<double> values;

  std::span<const double> play(std::int64_t i) const {
    return std::span(values).subspan(static_cast<std::size_t>(i * width),
                                     static_cast<std::size_t>(width));
  }
  friend bool operator==(const OutputBatch&, const OutputBatch&) = default;
};

// One output against the shape: its width, actions among the arms. The error names the entry,
// counted from 1.
Status check_output(const TargetShape& shape, std::span<const double> output);

// One instance serves one thread; `clone` gives another thread its own.
class Target {
 public:
  virtual ~Target() = default;
  virtual const TargetShape& shape() const = 0;
  virtual std::string name() const = 0;  // one line, as the target calls itself

  // One play per seed, in order. Errors: kTarget with what the target did, in words.
  virtual Result<OutputBatch> play(const InputTable& input,
                                   std::span<const std::uint64_t> seeds) = 0;
  virtual Result<std::unique_ptr<Target>> clone() const = 0;
};

}  // namespace assay
