// Two streams of rewards that differ in one round, counted from 1.
#pragma once

#include "assay/policies/inputs/input_table.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

inline InputPair stream_pair(std::vector<double> rewards, std::int64_t position,
                             double neighbour_value) {
  return InputPair::of(InputTable::column(std::move(rewards)), {position - 1, {neighbour_value}});
}

}  // namespace assay
