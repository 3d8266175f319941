// The fault zoo for sequences: small policies with one planted fault each, and next to each the same policy
// without the fault. They measure how well black-box audits find faults of policies.
//
// A row fixes the policy and its horizon, the claim (epsilon at delta = 0), a pair of neighbouring
// inputs, and the number of certified runs on each input. The faulty policy exceeds the claim on that
// pair, by its exact distribution. The correct counterpart satisfies it for all neighbours, by the
// theorem that `theorem` names; the policy's header has the proof.
//
//   name                what is wrong                                        exact eps
//   noise-reused        one draw of noise serves every epoch                 infinite
//   counter-not-reset   a counter runs on over the epochs                    4
//   budget-split        two releases spend the whole budget each             2
//   raw-tie-breaking    ties of private flags are broken on raw losses       1.722
//   raw-early-stopping  the stopping time reads raw rewards                  infinite
//   seed-leaked         exploration shows the random bits of the noise       infinite
//   off-by-one-epoch    windows of epochs overlap by a round                 2
//   double-release      a value is drawn afresh where it should be kept      2
//   hidden-1e-3         a leak in events of probability 2^-10                infinite
//   hidden-2e-4         the same, 2^-12                                      infinite
//
// A search among events of at least some fixed probability cannot find the last two: their best event of
// probability at least 0.01 shows a level below the claim.
//
// Threads: rows are immutable values. Cost: see the policies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/target.hpp"
#include "assay/policies/faulty/transcript_distribution.hpp"

namespace assay::faulty {

struct SequencePolicy {
  std::function<void(std::span<const double> input, ReplayStream& random,
                     std::span<double> actions)>
      play;
  std::function<TranscriptDistribution(std::span<const double> input)> distribution;
};

struct SequenceRow {
  std::string name;
  std::string fault;    // what is wrong
  std::string theorem;  // why the correct counterpart satisfies the claim
  InputShape shape;
  double claim = 1.0;
  InputTable base_input, neighbour_input;
  std::int64_t changed_row = 0;  // from 0
  std::int64_t runs = 10'000;    // certified runs on each input
  SequencePolicy faulty, counterpart;
  std::function<std::uint64_t(std::span<const double> actions)> cell;

  OutputCells cells(const SequencePolicy& policy) const {
    return cells_of(policy.distribution(base_input.values),
                    policy.distribution(neighbour_input.values));
  }
};

// The rows, in the order above.
std::vector<SequenceRow> sequence_table();

// The row's faulty policy or its correct counterpart, as a target that does not reveal its distribution.
std::unique_ptr<Target> sequence_target(const SequenceRow& row, bool counterpart);

}  // namespace assay::faulty
