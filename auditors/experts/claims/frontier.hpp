// The frontier of Remark 4's conjecture (conjecture.hpp): for each noise and c2 the smallest c1
// that survives a search over eps, r, means and numbers of actions, with its hardest instance.
//
// The search is cut into chunks, each a search of its own streams; a frontier depends on the plan
// alone, never on threads or on where a run was interrupted. Every instance that is reported is
// computed again in 50 digits by other code (precise_law.hpp). What survives a search is not
// proved: a row is a lower bound on c1 at its c2, and by (2) and (3) of conjecture.hpp no finite c1
// survives all searches.
// Threads: chunks run on those of `control`. Cost: about 0.1 s a chunk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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
  double most_actions = 1e6;  // in either group of others
  std::vector<LeaderNoise> noises{kLeaderNoises.begin(), kLeaderNoises.end()};
  std::vector<double> constants{4.0, 6.0, 8.0, 8.5, 9.0, 10.0, 12.0, 16.0, 32.0, 64.0};  // c2
  friend bool operator==(const FrontierPlan&, const FrontierPlan&) = default;
};

// Errors name the field and its range.
Status check_plan(const FrontierPlan& plan);

struct FrontierChunk {
  std::int64_t evaluations = 0;
  double log_c1 = 0.0;  // largest found
  Point point;          // where; empty if nothing was admissible
  friend bool operator==(const FrontierChunk&, const FrontierChunk&) = default;
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

// Keeps finished chunks in `path` and starts from them if it is there; empty for none. Errors: a
// plan out of range, a checkpoint that is damaged or of another run (left alone), an interrupted
// run, an instance whose two computations differ by more than 1e-9.
Result<Frontier> search_frontier(const FrontierPlan& plan, const std::string& checkpoint,
                                 const RunControl& control);

FindingTable frontier_table(const Frontier& frontier);

// ---- checkpoints --------------------------------------------------------------------------------

std::string frontier_checkpoint(const FrontierPlan& plan, const FrontierChunks& chunks);
Result<FrontierChunks> parse_frontier_checkpoint(std::string_view bytes, const FrontierPlan& plan,
                                                 const std::string& path);

}  // namespace assay::expert_checks
