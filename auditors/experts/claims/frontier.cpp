#include "assay/auditors/experts/claims/frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <sstream>

#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/experts/claims/precise_distribution.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/version.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/simulation/checkpoint.hpp"

namespace assay::expert_checks {
namespace {

constexpr std::string_view kMagic = "assay frontier checkpoint, format 1\n";
constexpr double kAgreement = 1e-9;  // between the two computations of a logarithm
constexpr std::int64_t kMostChunks = 1'000'000;
constexpr std::int64_t kMostEvaluations = 1'000'000;  // of a chunk; far more than its search needs

// Rows are numbered by noise, then by c2.
std::size_t rows_of(const FrontierPlan& plan) { return plan.noises.size() * plan.constants.size(); }
FrontierRow row_at(const FrontierPlan& plan, std::size_t index) {
  FrontierRow row;
  row.noise = plan.noises[index / plan.constants.size()];
  row.c2 = plan.constants[index % plan.constants.size()];
  return row;
}

// The claim that a row's chunks search. The first parameter is the noise.
std::vector<Parameter> row_space(const FrontierPlan& plan, const FrontierRow& row) {
  auto space = conjecture_space(plan.most_epochs, plan.most_actions);
  space[0].low = space[0].high = static_cast<double>(row.noise);
  return space;
}

// ---- one chunk ----------------------------------------------------------------------------------

FrontierChunk run_chunk(const FrontierPlan& plan, const FrontierKey& key,
                        const std::atomic<bool>* cancel) {
  const auto row = row_at(plan, static_cast<std::size_t>(key.first));
  const double c2 = row.c2;
  SearchedClaim claim;
  claim.space = row_space(plan, row);
  claim.margin = [c2](const Point& point) { return log_needed_constant(instance_of(point), c2); };
  claim.tolerance = HUGE_VAL;  // keeps the result without shrinking it
  const std::string purpose = fmt::format("frontier/{}/{}", key.first, key.second);
  SearchPlan search;
  search.points = 64;
  search.climbs = 1;
  search.seed = plan.seed;
  search.purpose = purpose;
  RunControl control;
  control.cancel = cancel;
  const auto outcome = search_violation(claim, search, control);
  return {outcome.evaluations, outcome.margin, outcome.best};
}

// Some of them if cancelled.
std::vector<FrontierKey> missing_keys(const FrontierPlan& plan, const FrontierChunks& done,
                                      const RunControl& control) {
  std::vector<FrontierKey> keys;
  for (std::int64_t chunk = 0; chunk < plan.chunks && !control.cancelled(); ++chunk) {
    for (std::size_t row = 0; row < rows_of(plan); ++row) {
      const FrontierKey key{static_cast<std::int64_t>(row), chunk};
      if (done.count(key) == 0) keys.push_back(key);
    }
  }
  return keys;
}

Error interrupted() {
  return {ErrorCode::kInterrupted, "the search of the frontier was interrupted", "", 0};
}

// Runs the missing chunks, a few at a time, and keeps the checkpoint up to date.
Status run_chunks(const FrontierPlan& plan, const std::string& checkpoint, FrontierChunks& chunks,
                  const RunControl& control) {
  const auto keys = missing_keys(plan, chunks, control);
  if (control.cancelled()) return tl::make_unexpected(interrupted());
  const auto batch = static_cast<std::size_t>(4 * control.workers());
  for (std::size_t first = 0; first < keys.size(); first += batch) {
    const std::size_t count = std::min(batch, keys.size() - first);
    auto found = map_chunks(control, count, [&](std::size_t i) {
      if (control.cancelled()) return FrontierChunk();
      return run_chunk(plan, keys[first + i], control.cancel);
    });
    if (control.cancelled()) return tl::make_unexpected(interrupted());
    for (std::size_t i = 0; i < count; ++i) chunks[keys[first + i]] = std::move(found[i]);
    if (!checkpoint.empty()) {
      const auto written = write_checkpoint(checkpoint, frontier_checkpoint(plan, chunks));
      if (!written) return written;
    }
    control.report("frontier",
                   static_cast<double>(first + count) / static_cast<double>(keys.size()));
  }
  return {};
}

// ---- rows ---------------------------------------------------------------------------------------

// The hardest instance found for each row; empty if there was none.
std::vector<Point> hardest_points(const FrontierPlan& plan, const FrontierChunks& chunks) {
  std::vector<const FrontierChunk*> best(rows_of(plan), nullptr);
  for (const auto& [key, chunk] : chunks) {
    const FrontierChunk*& at = best[static_cast<std::size_t>(key.first)];
    if (!chunk.point.empty() && (at == nullptr || chunk.log_c1 > at->log_c1)) at = &chunk;
  }
  std::vector<Point> points;
  for (const auto* chunk : best) points.push_back(chunk == nullptr ? Point{} : chunk->point);
  return points;
}

// An instance that is hard in one row may be hard in another, so each row takes the hardest
// instance of all, with its own noise.
Result<FrontierRow> finished(FrontierRow row, const std::vector<Point>& points) {
  row.log_c1 = -HUGE_VAL;
  for (const Point& point : points) {
    if (point.empty()) continue;
    auto instance = instance_of(point);
    instance.noise = row.noise;
    const double value = log_needed_constant(instance, row.c2);
    if (!(value > row.log_c1)) continue;
    row.log_c1 = value;
    row.instance = instance;
  }
  row.precise_log_c1 = row.log_c1;
  if (std::isinf(row.log_c1)) return row;  // no instance was admissible
  row.precise_log_c1 = precise_log_needed_constant(row.instance, row.c2);
  if (!(std::abs(row.precise_log_c1 - row.log_c1) <= kAgreement)) {
    return fail(
        ErrorCode::kInternal,
        fmt::format("c2 = {}: log c1 is {} in double precision and {} in 50 digits",
                    number_text(row.c2), number_text(row.log_c1), number_text(row.precise_log_c1)));
  }
  return row;
}

// A lower bound on c1; as a power of e if it exceeds the doubles.
std::string least_constant(double log_c1) {
  if (log_c1 < 700.0) return rounded_down(portable_exp(log_c1), 5);
  return "e^" + rounded_down(log_c1, 5);
}

std::string group_text(const GapGroup& group) {
  return group.times == 0.0 ? "none"
                            : fmt::format("{} of gap {}", grouped(std::llround(group.times)),
                                          rounded(group.gap, 4));
}

// ---- checkpoints --------------------------------------------------------------------------------

std::string identity(const FrontierPlan& plan) {
  std::string rows;
  for (const auto noise : plan.noises) rows += " " + detail::value_text(noise);
  rows += ", c2";
  for (const double c2 : plan.constants) rows += " " + number_text(c2);
  return fmt::format("program=assay {}, commit {}\nplan=seed {}, epochs {}, actions {},{}\n",
                     build_info().version, build_info().commit, plan.seed, plan.most_epochs,
                     number_text(plan.most_actions), rows);
}

std::string chunk_line(const FrontierKey& key, const FrontierChunk& chunk) {
  std::string line =
      fmt::format("{} {} {} {:a}", key.first, key.second, chunk.evaluations, chunk.log_c1);
  for (const double value : chunk.point) line += fmt::format(" {:a}", value);
  return line + "\n";
}

// For an error message.
std::string one_line(std::string_view identity_lines) {
  std::string text(identity_lines);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (std::size_t at; (at = text.find('\n')) != std::string::npos;) text.replace(at, 1, ", ");
  return plain_text(text);
}

// The fault of a chunk; empty if it could belong to this plan. Then every use of it is within
// bounds, no matter who wrote the file.
std::string misfit(const FrontierPlan& plan, const FrontierKey& key, const FrontierChunk& chunk) {
  const auto rows = static_cast<std::int64_t>(rows_of(plan));
  const auto whole = [](const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) return std::string();
    return fmt::format("its {} must be {} to {}, not {}", what, low, high, value);
  };
  if (auto why = whole("row", key.first, 0, rows - 1); !why.empty()) return why;
  if (auto why = whole("chunk", key.second, 0, kMostChunks - 1); !why.empty()) return why;
  if (auto why = whole("evaluations", chunk.evaluations, 1, kMostEvaluations); !why.empty()) {
    return why;
  }
  if (chunk.point.empty()) {
    return chunk.log_c1 == -HUGE_VAL ? "" : "it has a constant but no instance";
  }
  if (!std::isfinite(chunk.log_c1)) return "its log c1 must be finite if it has an instance";
  const auto space = row_space(plan, row_at(plan, static_cast<std::size_t>(key.first)));
  if (chunk.point.size() != space.size()) {
    return fmt::format("its instance must have {} numbers, not {}", space.size(),
                       chunk.point.size());
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    const double value = chunk.point[i];
    const Parameter& parameter = space[i];
    if (!(value >= parameter.low && value <= parameter.high)) {
      return fmt::format("its {} must be {} to {}, not {}", parameter.name,
                         number_text(parameter.low), number_text(parameter.high),
                         number_text(value));
    }
    if (parameter.whole && value != std::floor(value)) {
      return fmt::format("its {} must be whole, not {}", parameter.name, number_text(value));
    }
  }
  return admissible(instance_of(chunk.point)) ? "" : "the conjecture does not cover its instance";
}

// Enters the chunk of a line. Returns the fault of the line; empty if there is none.
std::string read_chunk_line(const std::string& line, const FrontierPlan& plan,
                            FrontierChunks& chunks) {
  std::istringstream words(line);
  FrontierKey key;
  FrontierChunk chunk;
  std::string word;
  if (!(words >> key.first >> key.second >> chunk.evaluations >> word)) return "it is not a chunk";
  chunk.log_c1 = std::strtod(word.c_str(), nullptr);
  while (words >> word) chunk.point.push_back(std::strtod(word.c_str(), nullptr));
  if (chunk_line(key, chunk) != line + "\n") return "it is not a chunk";
  if (auto why = misfit(plan, key, chunk); !why.empty()) return why;
  return chunks.emplace(key, chunk).second ? "" : "its chunk appears twice";
}

Result<FrontierChunks> read_chunks(const std::string& path, const FrontierPlan& plan) {
  if (path.empty()) return FrontierChunks{};
  const auto bytes = ASSAY_TRY(read_checkpoint_bytes(path));
  if (!bytes) return FrontierChunks{};
  return parse_frontier_checkpoint(*bytes, plan, path);
}

}  // namespace

Status check_plan(const FrontierPlan& plan) {
  const auto whole = [](std::int64_t value, std::int64_t low, std::int64_t high,
                        const std::string& name) -> Status {
    if (value >= low && value <= high) return {};
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} must be a whole number {} to {}, not {}", name, low, high, value),
                "/" + name);
  };
  if (auto s = whole(plan.chunks, 1, kMostChunks, "budget"); !s) return s;
  if (auto s = whole(plan.most_epochs, 1, 8, "epochs"); !s) return s;
  if (!(plan.most_actions >= 1.0 && plan.most_actions <= 1e12)) {
    return fail(ErrorCode::kInvalidArgument,
                "actions must be 1 to 1e12, not " + number_text(plan.most_actions), "/actions");
  }
  if (plan.noises.empty() || plan.noises.size() > 3) {
    return fail(ErrorCode::kInvalidArgument, "noise must have 1 to 3 values", "/noise");
  }
  if (plan.constants.empty() || plan.constants.size() > 100) {
    return fail(ErrorCode::kInvalidArgument, "c2 must have 1 to 100 values", "/c2");
  }
  for (const double c2 : plan.constants) {
    if (!(c2 >= 0.1 && c2 <= 1e6)) {
      return fail(ErrorCode::kInvalidArgument, "c2 must be 0.1 to 1e6, not " + number_text(c2),
                  "/c2");
    }
  }
  return {};
}

std::string frontier_checkpoint(const FrontierPlan& plan, const FrontierChunks& chunks) {
  std::string bytes = std::string(kMagic) + identity(plan);
  for (const auto& [key, chunk] : chunks) bytes += chunk_line(key, chunk);
  return with_checksum(std::move(bytes));
}

Result<FrontierChunks> parse_frontier_checkpoint(std::string_view bytes, const FrontierPlan& plan,
                                                 const std::string& path) {
  const auto refuse = [&path](const std::string& why, long line = 0) {
    return refused_checkpoint(why, path, line);
  };
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return refuse("is not a checkpoint of assay frontier");
  }
  const auto body = ASSAY_TRY(checked_body(bytes, kMagic.size(), path));
  const std::string ours = identity(plan);
  const auto theirs = body.substr(kMagic.size(), ours.size());
  if (theirs != ours) {
    return refuse("is the checkpoint of another run or program: it says '" + one_line(theirs) +
                  "', this run is '" + one_line(ours) + "'");
  }
  FrontierChunks chunks;
  std::istringstream lines{std::string(body.substr(kMagic.size() + ours.size()))};
  auto number = std::count(ours.begin(), ours.end(), '\n') + 2;  // the line of the first chunk
  for (std::string line; std::getline(lines, line); ++number) {
    if (const auto why = read_chunk_line(line, plan, chunks); !why.empty()) {
      return refuse("is damaged: " + why, number);
    }
  }
  return chunks;
}

Result<Frontier> search_frontier(const FrontierPlan& plan, const std::string& checkpoint,
                                 const RunControl& control) {
  ASSAY_TRY(check_plan(plan));
  auto chunks = ASSAY_TRY(read_chunks(checkpoint, plan));
  ASSAY_TRY(run_chunks(plan, checkpoint, chunks, control));
  // A checkpoint of a larger budget holds more chunks than this plan needs.
  std::erase_if(chunks, [&](const auto& entry) { return entry.first.second >= plan.chunks; });
  Frontier frontier;
  frontier.plan = plan;
  for (const auto& [key, chunk] : chunks) frontier.evaluations += chunk.evaluations;
  const auto points = hardest_points(plan, chunks);
  std::vector<Result<FrontierRow>> rows(rows_of(plan), FrontierRow{});
  parallel_for(control.threads, rows.size(),
               [&](std::size_t i) { rows[i] = finished(row_at(plan, i), points); });
  for (auto& row : rows) {
    if (!row) return tl::make_unexpected(row.error());
    frontier.rows.push_back(*row);
  }
  return frontier;
}

FindingTable frontier_table(const Frontier& frontier) {
  FindingTable table;
  table.columns = {"noise", "c2", "c1 at least", "eps", "r", "mu_1", "Delta_j", "others", "and"};
  for (const auto& row : frontier.rows) {
    const auto& at = row.instance;
    std::string epsilon = rounded(at.epsilon, 4);
    std::string gap = rounded(at.gap, 4);
    // Delta_j is above eps, often only just, so it must be above eps in four digits as well.
    if (epsilon == gap) epsilon = rounded_down(at.epsilon, 4);
    if (epsilon == gap) gap = rounded_up(at.gap, 4);
    table.rows.push_back({detail::value_text(row.noise), number_text(row.c2),
                          least_constant(row.precise_log_c1), epsilon, std::to_string(at.epoch),
                          rounded(at.best_mean, 4), gap, group_text(at.first),
                          group_text(at.second)});
  }
  return table;
}

}  // namespace assay::expert_checks
