#include "assay/policies/faulty/sequence_table.hpp"

#include <utility>

#include "assay/policies/faulty/epoch_switching.hpp"
#include "assay/policies/faulty/exploration_count.hpp"
#include "assay/policies/faulty/explored_response.hpp"
#include "assay/policies/faulty/flagged_experts.hpp"
#include "assay/policies/faulty/stopping_race.hpp"

namespace assay::faulty {
namespace {

template <class P>
SequencePolicy policy_of(const P& policy) {
  return {[policy](std::span<const double> input, ReplayStream& random, std::span<double> actions) {
            policy.play(input, random, actions);
          },
          [policy](std::span<const double> input) { return policy.distribution(input); }};
}

// Rewards 1, 0, 1, 0, ...
InputTable alternating(std::size_t rounds) {
  InputTable out{static_cast<std::int64_t>(rounds), 1, std::vector<double>(rounds)};
  for (std::size_t t = 0; t < rounds; t += 2) out.values[t] = 1.0;
  return out;
}

// Sets the pair: `input`, and the same input with 1 - r in place of every value r of one row.
template <class P>
SequenceRow row_of(std::string name, const P& faulty, const P& counterpart, InputTable input,
                   std::int64_t changed_row) {
  SequenceRow row;
  row.name = std::move(name);
  row.shape.kind = input.columns == 1 ? InputKind::kBandit : InputKind::kExperts;
  row.shape.arms = 2;
  row.shape.horizon = input.rows;
  row.base_input = input;
  for (std::int64_t c = 0; c < input.columns; ++c) {
    double& value = input.values[static_cast<std::size_t>(changed_row * input.columns + c)];
    value = 1.0 - value;
  }
  row.neighbour_input = std::move(input);
  row.changed_row = changed_row;
  row.faulty = policy_of(faulty);
  row.counterpart = policy_of(counterpart);
  row.cell = P::cell;
  return row;
}

SequenceRow epoch_row(std::string name, EpochFault fault, std::int64_t changed_row,
                      std::string what) {
  auto row = row_of(std::move(name), EpochSwitching(fault), EpochSwitching(EpochFault::kNone),
                    alternating(EpochSwitching::kHorizon), changed_row);
  row.fault = std::move(what);
  row.theorem = "McSherry (SIGMOD 2009), theorem 4: parallel composition over epochs";
  return row;
}

SequenceRow tie_row() {
  InputTable losses{static_cast<std::int64_t>(FlaggedExperts::kHorizon), 2, {}};
  for (std::int64_t t = 0; t < losses.rows; ++t) {
    // The sums of an epoch are (2, 2); in the first they are (2, 3) or (3, 2), by its last round.
    const double both = t % 4 == 0 || t % 4 == 2 ? 1.0 : 0.0;
    losses.values.insert(losses.values.end(), {both, t == 3 ? 1.0 : both});
  }
  auto row = row_of("raw-tie-breaking", FlaggedExperts(true), FlaggedExperts(false), losses, 3);
  row.fault = "ties of private flags are broken on raw losses";
  row.theorem = "basic composition of two flags, parallel over epochs (McSherry, SIGMOD 2009)";
  return row;
}

SequenceRow stopping_row() {
  InputTable rewards = alternating(StoppingRace::kHorizon);
  rewards.values[4] = 0.0;  // gaps 1, 2, 2, 3, ...; with the third reward 0 instead: 1, 1, 1, 2
  auto row = row_of("raw-early-stopping", StoppingRace(true), StoppingRace(false), rewards, 2);
  row.fault = "the stopping time reads raw rewards";
  row.theorem = "Lyu, Su, Li (PVLDB 2017), theorem 2, composed with one Laplace release";
  return row;
}

SequenceRow seed_row() {
  const ExploredResponseShape shape{2, 4, 6, 1.0};
  const ExploredResponse faulty(shape, ResponseFault::kSeedLeaked);
  auto row = row_of("seed-leaked", faulty, ExploredResponse(shape, ResponseFault::kNone),
                    alternating(faulty.horizon()), 0);
  row.fault = "exploration shows the random bits of the noise";
  row.theorem = "Warner (JASA 1965), parallel over blocks (McSherry, SIGMOD 2009)";
  return row;
}

SequenceRow hidden_row(std::string name, std::size_t explore, std::int64_t runs) {
  const ExploredResponseShape shape{1, explore, 20 - explore, 0.5};
  const ExploredResponse faulty(shape, ResponseFault::kHiddenBranch);
  auto row = row_of(std::move(name), faulty, ExploredResponse(shape, ResponseFault::kNone),
                    alternating(faulty.horizon()), 0);
  row.fault = "raw data after one rare sequence of random arms";
  row.theorem = "Warner (JASA 1965) at half the claim";
  row.runs = runs;
  return row;
}

class SequenceTarget final : public Target {
 public:
  SequenceTarget(const SequenceRow& row, bool counterpart)
      : shape_(row.shape),
        name_(row.name + (counterpart ? ", correct" : "")),
        play_(counterpart ? row.counterpart.play : row.faulty.play) {}
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return name_; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    const auto width = static_cast<std::size_t>(shape_.width());
    OutputBatch batch{static_cast<std::int64_t>(seeds.size()), shape_.width(), {}};
    batch.values.resize(seeds.size() * width);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      ReplayStream random({seeds[i], hash_purpose("sequence")});
      play_(input.values, random, std::span(batch.values).subspan(i * width, width));
    }
    return batch;
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<SequenceTarget>(*this));
  }

 private:
  InputShape shape_;
  std::string name_;
  decltype(SequencePolicy::play) play_;
};

}  // namespace

std::vector<SequenceRow> sequence_table() {
  std::vector<SequenceRow> rows;
  rows.push_back(epoch_row("noise-reused", EpochFault::kNoiseReused, 1,
                           "one draw of noise serves every epoch"));
  rows.push_back(epoch_row("counter-not-reset", EpochFault::kCounterNotReset, 1,
                           "the counter runs on from epoch to epoch"));
  auto budget = row_of("budget-split", ExplorationCount(true), ExplorationCount(false),
                       alternating(ExplorationCount::kHorizon), 1);
  budget.fault = "two releases spend the whole budget each";
  budget.theorem = "Dwork, McSherry, Nissim, Smith (TCC 2006): basic composition";
  rows.push_back(std::move(budget));
  rows.push_back(tie_row());
  rows.push_back(stopping_row());
  rows.push_back(seed_row());
  rows.push_back(epoch_row("off-by-one-epoch", EpochFault::kOffByOne, 3,
                           "windows of epochs overlap by one round"));
  rows.push_back(epoch_row("double-release", EpochFault::kDoubleRelease, 1,
                           "a noisy value is drawn afresh where it should be kept"));
  rows.push_back(hidden_row("hidden-1e-3", 10, 120'000));
  rows.push_back(hidden_row("hidden-2e-4", 12, 500'000));
  return rows;
}

std::unique_ptr<Target> sequence_target(const SequenceRow& row, bool counterpart) {
  return std::make_unique<SequenceTarget>(row, counterpart);
}

}  // namespace assay::faulty
