// A fixed sequence of losses as an environment: each round has the same losses in every play.
#pragma once

#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {

struct RecordedLosses {
  InputTable losses;

  std::span<const double> feedback(std::int64_t round, int, ReplayStream&) const {
    return losses.row(round);
  }
};

// The actions of one play on all rounds.
template <Policy P>
Transcript play_recorded(const P& policy, const InputTable& losses, const ReplayStream& random) {
  return play(policy, RecordedLosses{losses}, losses.rows, random, ReplayStream({}));
}

}  // namespace assay
