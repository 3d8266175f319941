#include "assay/auditors/registry/experiments.hpp"

#include <algorithm>

#include "assay/auditors/bandits/figures/thompson_sampling_figures.hpp"
#include "assay/auditors/best_arm/figures/best_arm_figures.hpp"
#include "assay/auditors/dueling/figures/dueling_figures.hpp"
#include "assay/auditors/experts/figures/experts_figures.hpp"
#include "assay/auditors/registry/internal/gathered.hpp"
#include "assay/auditors/sparse/figures/sparse_figures.hpp"
#include "assay/mechanisms/core/glob.hpp"

namespace assay {

const std::vector<Experiment>& experiments() {
  static const auto all =
      detail::gathered<Experiment>({thompson_sampling_figures, experts_figures, best_arm_figures,
                                    dueling_figures, sparse_figures});
  return all;
}

Result<const Experiment*> find_experiment(std::string_view id) {
  std::vector<std::string> known;
  for (const auto& candidate : experiments()) {
    known.push_back(candidate.describe().id);
    if (known.back() == id) return &candidate;
  }
  return fail(ErrorCode::kUnknownKey,
              "unknown experiment '" + std::string(id) + "'" + nearest_hint(id, known));
}

Result<std::vector<const Experiment*>> select_experiments(const std::vector<std::string>& words) {
  std::vector<const Experiment*> selected;
  const auto add = [&](const Experiment* one) {
    if (std::count(selected.begin(), selected.end(), one) == 0) selected.push_back(one);
  };
  for (const auto& word : words) {
    if (!is_glob(word)) {
      const auto found = ASSAY_TRY(find_experiment(word));
      add(found);
      continue;
    }
    bool any = false;
    for (const auto& candidate : experiments()) {
      if (!glob_match(word, candidate.describe().id)) continue;
      add(&candidate);
      any = true;
    }
    if (!any) {
      return fail(ErrorCode::kInvalidArgument,
                  "'" + word + "' selects no experiment; `assay list experiments` lists them");
    }
  }
  if (selected.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "no experiment is selected; `assay list experiments` lists them");
  }
  return selected;
}

}  // namespace assay
