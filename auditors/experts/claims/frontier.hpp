// Computes the frontier of Remark 4's conjecture (conjecture.hpp): for each noise and c2, the smallest c1 that
// a search over eps, r, means and numbers of actions does not refute, with its hardest instance.
//
// The search is cut into chunks, each with its own random streams. A frontier depends on the plan
// alone, never on threads or on the place of an interruption. Other code recomputes every reported
// instance in 50 digits (precise_distribution.hpp). That a search does not refute a c1 proves nothing: a row is
// a lower bound on c1 at its c2, and by (2) and (3) of docs/proofs/conjecture.md every finite c1 is refuted.
// Threads: chunks run on those of `control`. Cost: about 0.1 s for each chunk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "assay/auditors/claims/claim_finding.hpp"
#include "assay/auditors/experts/claims/conjecture.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::expert_checks {

struct FrontierPlan {
  std::uint64_t seed = 1;
  std::int64_t chunks = 8;    // for each noise and c2
  int most_epochs = 7;        // r; n = 2^(r-1)
  double most_actions = 1e6;  // in each group of others
  std::vector<LeaderNoise> noises{kLeaderNoises.begin(), kLeaderNoises.end()};
  std::vector<double> constants{4.0, 6.0, 8.0, 8.5, 9.0, 10.0, 12.0, 16.0, 32.0, 64.0};  // c2
  friend bool operator==(const FrontierPlan&, const FrontierPlan&) = default;
};

// Errors name the field and its range.
Status check_plan(const FrontierPlan& plan);

struct FrontierChunk {
  std::int64_t evaluations = 0;
  double log_c1 = 0.0;  // largest found
  Point point;          // its point; empty if no point was admissible
  friend bool operator==(const FrontierChunk&, const FrontierChunk&) = default;
  static auto byte_fields(auto& self) {
    return std::tie(self.evaluations, self.log_c1, self.point);
  }
};
using FrontierKey = std::pair<std::int64_t, std::int64_t>;  // row, chunk
using FrontierChunks = std::map<FrontierKey, FrontierChunk>;

struct FrontierRow {
  LeaderNoise noise = LeaderNoise::kGumbel;
  double c2 = 0.0;
  double log_c1 = 0.0;
  ConjectureInstance instance;
  double precise_log_c1 = 0.0;  // the same in 50 digits
};

struct Frontier {
  FrontierPlan plan;
  std::vector<FrontierRow> rows;
  std::int64_t evaluations = 0;
};

// Saves finished chunks in `path`, unless that is empty, and starts from them if the file exists.
// Errors: a plan out of range, a checkpoint that is damaged or of another run (left unchanged), an
// interrupted run, an instance with two computations that differ by more than 1e-9.
Result<Frontier> search_frontier(const FrontierPlan& plan, const std::string& checkpoint,
                                 const RunControl& control);

FindingTable frontier_table(const Frontier& frontier);

// ---- checkpoints --------------------------------------------------------------------------------

std::string frontier_checkpoint(const FrontierPlan& plan, const FrontierChunks& chunks);
Result<FrontierChunks> parse_frontier_checkpoint(std::string_view bytes, const FrontierPlan& plan,
                                                 const std::string& path);

}  // namespace assay::expert_checks
