// The list of all experiments. `assay list`, `assay simulate` and tests use it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/figures/experiment.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// All experiments, in the order that `assay list experiments` prints.
const std::vector<Experiment>& experiments();

// Errors: an unknown id. The message names the nearest known one.
Result<const Experiment*> find_experiment(std::string_view id);

// The experiments of these ids and patterns (* and ?), in their order, each once. Errors: an unknown id, a
// pattern that selects nothing, no words.
Result<std::vector<const Experiment*>> select_experiments(const std::vector<std::string>& words);

}  // namespace assay
