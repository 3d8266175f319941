#include "assay/auditors/methods/black_box/run_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/auditors/methods/black_box/features.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/philox_words.hpp"

namespace assay {
namespace {

constexpr std::size_t kInstances = 8;
constexpr std::size_t kMessages = 2;              // an instance
constexpr std::int64_t kRuns = 16;                // a message, or fewer if outputs are long
constexpr int kEnoughLarger = 20;                 // regroupings, after which a p-value is settled
constexpr std::int64_t kBlock = 64, kBlocks = 8;  // runs on an input that check_steady reads
constexpr std::int64_t kRepeated = 128;           // runs that are repeated
constexpr double kSuspicious = 1e-4;              // a p-value after which runs are sampled again

// Scales columns to mean 0 and variance 1. Values that are not finite go to a far place of their own.
void standardise(std::vector<double>& rows, std::size_t columns) {
  const std::size_t rows_held = rows.size() / columns;
  const auto count = static_cast<double>(rows_held);
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0.0;
    double square = 0.0;
    for (std::size_t i = c; i < rows.size(); i += columns) {
      if (!std::isfinite(rows[i]))
        rows[i] = std::isnan(rows[i]) ? 0.0 : std::copysign(1e6, rows[i]);
      rows[i] = std::clamp(rows[i], -1e6, 1e6);
      mean += rows[i] / count;
    }
    for (std::size_t i = c; i < rows.size(); i += columns) {
      rows[i] -= mean;
      square += rows[i] * rows[i] / count;
    }
    const double scale = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    for (std::size_t i = c; i < rows.size(); i += columns) rows[i] *= scale;
  }
}

// Sum over groups and columns of (sum in the group)^2; group sizes are equal or nearly so.
double between_groups(const std::vector<double>& rows, std::size_t columns,
                      const std::vector<int>& groups, std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t r = 0; r < groups.size(); ++r) {
    double* sum = sums.data() + static_cast<std::size_t>(groups[r]) * columns;
    const double* row = rows.data() + r * columns;
    for (std::size_t c = 0; c < columns; ++c) sum[c] += row[c];
  }
  double total = 0.0;
  for (const double s : sums) total += s * s;
  return total;
}

// ReplayStream::uniform() from these random bits.
double uniform_of(std::uint64_t word) {
  return (static_cast<double>(word >> 12) + 0.5) * 0x1.0p-52;
}

template <class T>
void shuffle(std::span<T> items, ReplayStream& random) {
  std::array<std::uint64_t, 256> words;  // for random.uniform(), many at once
  for (std::size_t i = items.size(); i > 1;) {
    const auto some = std::span(words).first(std::min(words.size(), i - 1));
    fill_words(random, some);
    for (const std::uint64_t word : some) {
      const auto j = static_cast<std::size_t>(uniform_of(word) * static_cast<double>(i));
      std::swap(items[i - 1], items[std::min(j, i - 1)]);
      --i;
    }
  }
}

// The p-value of "`statistic()` of a regrouping is at least `seen`", from random regroupings.
template <class Statistic>
double p_value_of(double seen, int regroupings, const Statistic& statistic) {
  // A tie up to rounding counts as larger, because outputs that never vary prove nothing.
  const double least = seen - 1e-9 * std::abs(seen);
  int larger = 0;
  for (int i = 0; i < regroupings; ++i) {
    if (statistic() < least) continue;
    if (++larger == kEnoughLarger) return static_cast<double>(larger) / (1.0 + i);
  }
  return (1.0 + larger) / (1.0 + regroupings);
}

constexpr double kMostRegroupings = 1e5;
// The least level that regroupings alone can reach with some power.
constexpr double kLeastByRegrouping = 2.0 / kMostRegroupings;

int regroupings_for(double alpha) {
  return static_cast<int>(std::min(kMostRegroupings, 2.0 * std::ceil(1.0 / alpha)));
}

// Of two samples, by (1) of run_checks.hpp.
constexpr double kLeastByTwoSamples = kSuspicious * kLeastByRegrouping;

struct Sampled {
  std::size_t columns = 0;
  std::vector<double> rows;            // features, run by run; last whether it failed, if any did
  std::vector<std::uint64_t> digests;  // of each run
  std::vector<int> message;            // of each run; its process if messages have one run
  std::vector<int> place;              // of each run within its instance
  // The digests of the first message once more, in the last instance: with the same seeds; and with keys too, if it
  // takes them.
  std::vector<std::uint64_t> repeated, keyed;
};

void add_digests(const OutputBatch& batch, std::vector<std::uint64_t>& digests) {
  for (std::int64_t i = 0; i < batch.count; ++i) digests.push_back(digest_of(batch.play(i)));
}

// Runs of fresh instances. Noise that an instance draws once shows only if it differs between two of them, so there are
// many.
Result<Sampled> sample(Players& players, const InputTable& input, const OutputFeatures& features,
                       std::int64_t runs, const PlayStream& stream, const RunControl& control) {
  Sampled out;
  // The messages of an instance; after those of the last, the first once more, with the same seeds and with keys.
  const auto play = [&](Target& fresh, std::size_t instance) -> Result<std::vector<OutputBatch>> {
    std::vector<OutputBatch> batches(kMessages);
    for (std::size_t m = 0; m < kMessages; ++m) {
      const auto first = static_cast<std::int64_t>(instance * kMessages + m) * runs;
      batches[m] = ASSAY_TRY(fresh.play(input, play_seeds(stream, first, runs)));
    }
    if (instance + 1 < kInstances) return batches;
    const auto seeds = play_seeds(stream, 0, runs);
    batches.push_back(ASSAY_TRY(fresh.play(input, seeds)));
    if (fresh.takes_keys() != TakesKeys::kTaken) return batches;
    std::vector<RunKey> keys;
    for (std::int64_t i = 0; i < runs; ++i) keys.push_back(key_of(stream, i));
    batches.push_back(ASSAY_TRY(fresh.play_keyed(input, seeds, keys)));
    return batches;
  };
  const auto ran = players.run_fresh(kInstances, control, play);
  if (ran.error) return tl::make_unexpected(*ran.error);
  const auto& last = ran.values.back();
  add_digests(last[kMessages], out.repeated);
  if (last.size() > kMessages + 1) add_digests(last[kMessages + 1], out.keyed);
  std::vector<double> row(features.size());
  std::vector<double> failed;  // whether the run failed
  for (std::size_t instance = 0; instance < kInstances; ++instance) {
    for (std::size_t m = 0; m < kMessages; ++m) {
      const OutputBatch& batch = ran.values[instance][m];
      const std::size_t message = instance * kMessages + m;
      for (std::int64_t i = 0; i < runs; ++i) {
        std::fill(row.begin(), row.end(), 0.0);
        failed.push_back(is_failed(batch.play(i)) ? 1.0 : 0.0);
        if (failed.back() == 0.0) features.write(batch.play(i), row);
        out.rows.insert(out.rows.end(), row.begin(), row.end());
        out.message.push_back(static_cast<int>(runs > 1 ? message : instance));
        out.place.push_back(static_cast<int>(static_cast<std::int64_t>(m) * runs + i));
      }
      add_digests(batch, out.digests);
    }
  }
  out.columns = features.size();
  if (std::all_of(failed.begin(), failed.end(), [](double one) { return one == 0.0; })) {
    standardise(out.rows, out.columns);
    return out;
  }
  std::vector<double> rows;
  for (std::size_t r = 0; r < failed.size(); ++r) {
    const auto first = out.rows.begin() + static_cast<std::ptrdiff_t>(r * out.columns);
    rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(out.columns));
    rows.push_back(failed[r]);
  }
  out.rows = std::move(rows);
  ++out.columns;
  standardise(out.rows, out.columns);
  return out;
}

// Of "independent runs" and "fresh randomness".
std::array<double, 2> p_values_of(const Sampled& sampled, double alpha, std::uint64_t seed) {
  const int regroupings = regroupings_for(alpha);
  return {grouping_p_value(sampled.rows, sampled.columns, sampled.message, regroupings, seed + 1),
          grouping_p_value(sampled.rows, sampled.columns, sampled.place, regroupings, seed + 2)};
}

// The rank of the score (ties share theirs) and the event, for runs on one input.
std::vector<double> rank_and_event(const CertifiedRuns& runs, std::span<const std::int64_t> which) {
  std::vector<std::int64_t> ranks;
  for (const std::int64_t i : which) {
    ranks.push_back(score_rank(runs.scores[static_cast<std::size_t>(i)]));
  }
  std::vector<std::int64_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> rows;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto range = std::equal_range(sorted.begin(), sorted.end(), ranks[k]);
    rows.push_back(
        static_cast<double>((range.first - sorted.begin()) + (range.second - sorted.begin())));
    rows.push_back(runs.runs[static_cast<std::size_t>(which[k])].hit ? 1.0 : 0.0);
  }
  standardise(rows, 2);
  return rows;
}

// The runs on one input, in eight blocks spread over the audit.
std::vector<std::int64_t> blocks_of(const CertifiedRuns& runs, bool on_p) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    if (runs.runs[i].on_p == on_p) all.push_back(static_cast<std::int64_t>(i));
  }
  const auto count = static_cast<std::int64_t>(all.size());
  if (count <= kBlock * kBlocks) return all;
  std::vector<std::int64_t> some;
  for (std::int64_t s = 0; s < kBlocks; ++s) {
    const std::int64_t first = (count - kBlock) * s / (kBlocks - 1);
    some.insert(some.end(), all.begin() + first, all.begin() + first + kBlock);
  }
  return some;
}

// The largest excess over its mean of any length of blocks, or of the products of neighbours.
double unsteadiness(const std::vector<double>& rows, std::span<const int> order) {
  constexpr std::size_t kLengths[] = {4, 16, 64, 128, 256};
  const std::size_t count = order.size();
  double most = 0.0;
  for (const std::size_t length : kLengths) {
    const std::size_t blocks = count / length;
    if (blocks < 2) break;
    double total = 0.0;
    for (std::size_t b = 0; b < blocks; ++b) {
      double rank = 0.0, event = 0.0;
      for (std::size_t i = b * length; i < (b + 1) * length; ++i) {
        rank += rows[2 * static_cast<std::size_t>(order[i])];
        event += rows[2 * static_cast<std::size_t>(order[i]) + 1];
      }
      total += rank * rank + event * event;
    }
    const double sums = 2.0 * static_cast<double>(blocks);
    most = std::max(most, (total / static_cast<double>(length) - sums) / std::sqrt(2.0 * sums));
  }
  double echo = 0.0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto a = static_cast<std::size_t>(order[i]), b = static_cast<std::size_t>(order[i + 1]);
    echo += rows[2 * a] * rows[2 * b] + rows[2 * a + 1] * rows[2 * b + 1];
  }
  return std::max(most, std::abs(echo) / std::sqrt(2.0 * static_cast<double>(count) + 1.0));
}

CheckResult check_of(const char* name, double p, double alpha, const char* well, const char* ill) {
  return CheckResult::by_p_value(name, p > alpha ? well : ill, p, alpha);
}

}  // namespace

double grouping_p_value(const std::vector<double>& rows, std::size_t columns,
                        const std::vector<int>& groups, int regroupings, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end()) + 1);
  std::vector<double> sums(count * columns);
  const double seen = between_groups(rows, columns, groups, sums);
  ReplayStream random({seed, hash_purpose("regrouping"), 0, 0, Phase::kCheck});
  std::vector<int> shuffled = groups;
  return p_value_of(seen, regroupings, [&] {
    shuffle(std::span(shuffled), random);
    return between_groups(rows, columns, shuffled, sums);
  });
}

Result<RunChecks> check_runs(Players& players, const InputTable& input, bool promises_seeds,
                             double alpha, std::uint64_t seed, const RunControl& control) {
  const OutputFeatures features(players.shape(), 0);
  const std::int64_t runs = std::min(kRuns, runs_a_message(players.shape()));
  const double level = std::max(0.5 * alpha, kLeastByTwoSamples);
  const PlayStream stream{seed, "independence", 0, Phase::kCheck};
  const auto sampled = ASSAY_TRY(sample(players, input, features, runs, stream, control));
  const std::int64_t runs_of_sample = static_cast<std::int64_t>(kInstances * kMessages + 1) * runs;
  RunChecks result;
  result.runs = runs_of_sample;
  auto p = p_values_of(sampled, level, seed);
  if (level < kLeastByRegrouping && std::min(p[0], p[1]) <= kSuspicious) {
    const PlayStream other{seed, "independence once more", 0, Phase::kCheck};
    const auto again = ASSAY_TRY(sample(players, input, features, runs, other, control));
    result.runs += runs_of_sample;
    const auto second = p_values_of(again, level / kSuspicious, seed + 2);
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] <= kSuspicious) p[i] = kSuspicious * second[i];  // (1)
    }
  }
  const auto add = [&](const char* name, const char* meaning, double p_value) {
    result.checks.push_back(CheckResult::by_p_value(name, meaning, p_value, level));
    result.independent = result.independent && result.checks.back().passed;
  };
  add("independent runs", "runs of one message or process are no more alike than others", p[0]);
  add("fresh randomness", "runs at the same place of different processes are no more alike", p[1]);
  result.output = sampled.digests.front();
  result.alike = std::all_of(sampled.digests.begin(), sampled.digests.end(),
                             [&](std::uint64_t digest) { return digest == result.output; });
  const auto first_message = std::span(sampled.digests).first(static_cast<std::size_t>(runs));
  result.seeded = std::ranges::equal(sampled.repeated, first_message);
  if (!sampled.keyed.empty()) {
    result.runs += runs;
    result.keys_matter = !std::ranges::equal(sampled.keyed, first_message);
  }
  if (promises_seeds || result.seeded) {
    result.checks.push_back(CheckResult::seen(
        "seeds",
        result.seeded ? "the same seeds gave the same outputs in another process"
                      : "it promises that its seeds decide the outputs, but the same seeds "
                        "gave other outputs in another process",
        result.seeded));
  }
  return result;
}

void SeedingEvidence::compare(double difference, double variance) {
  constexpr double kBeyondLuck = 3.0;  // standard errors
  disagree = without_key != with_key && std::abs(difference) > kBeyondLuck * std::sqrt(variance);
}

std::string SeedingEvidence::reason() const {
  if (disagree) {
    return fmt::format(
        "the two seedings disagree: the certified runs {} keys refute the claim, those {} do not ({}); "
        "a private target looks like this if two of its generators are one stream: see how it seeds "
        "them",
        without_key ? "without" : "with", without_key ? "with" : "without", counts);
  }
  const std::string missing = without_key ? "the runs with keys are"
                              : with_key  ? "the runs without keys are"
                                          : "the runs of each seeding are";
  return fmt::format(
      "all certified runs together refute the claim, but {} too few to do so by themselves ({}): "
      "more runs would decide",
      missing, counts);
}

std::optional<CheckResult> check_seedings(TakesKeys takes, const RunChecks& checked,
                                          const SeedingEvidence& evidence) {
  constexpr const char* kName = "two seedings";
  const auto not_checked = [&](const char* why) {
    return CheckResult::not_checked(
        kName,
        std::string(why) + ", so the audit assumes that no two of its generators are one stream");
  };
  if (takes == TakesKeys::kOwn) return std::nullopt;
  if (takes == TakesKeys::kUnsaid) return not_checked("the target does not take keys");
  if (takes == TakesKeys::kDeclined) {
    return not_checked("the target says that keys do not affect its randomness");
  }
  if (evidence.falls_short()) return CheckResult::seen(kName, evidence.reason(), false);
  if (!checked.seeded) {
    return not_checked("the same seeds gave other outputs, so the target draws from elsewhere");
  }
  if (!checked.keys_matter) {
    return not_checked(
        "runs with keys gave the outputs of those without, so the target draws from its seeds "
        "or not at all");
  }
  return CheckResult::seen(
      kName,
      evidence.by_all ? "the certified runs of each seeding refute the claim by themselves"
                      : "generators are seeded in two ways, and both show every certified level",
      true);
}

Result<double> spend_on_remark(AlphaLedger& ledger, std::string purpose, double fraction) {
  if (fraction * ledger.total() < kLeastByRegrouping) return kLeastByRegrouping;
  return ledger.spend(std::move(purpose), fraction);
}

CheckResult check_steady(const CertifiedRuns& runs, double alpha, std::uint64_t seed) {
  std::vector<double> rows[2];
  std::vector<int> order[2];
  double seen = 0.0;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto which = blocks_of(runs, side == 0);
    rows[side] = rank_and_event(runs, which);
    for (std::size_t i = 0; i < which.size(); ++i) order[side].push_back(static_cast<int>(i));
    seen = std::max(seen, unsteadiness(rows[side], order[side]));
  }
  ReplayStream random({seed, hash_purpose("steady plays"), 0, 0, Phase::kCheck});
  const double p = p_value_of(seen, regroupings_for(alpha), [&] {
    double most = 0.0;
    for (std::size_t side = 0; side < 2; ++side) {
      shuffle(std::span(order[side]), random);
      most = std::max(most, unsteadiness(rows[side], order[side]));
    }
    return most;
  });
  return check_of("stationary runs", p, alpha,
                  "certified runs on one input do not change with time and are not autocorrelated",
                  "certified runs on one input change with time or are autocorrelated; the bounds "
                  "hold all the same");
}

std::vector<std::int64_t> runs_to_repeat(std::int64_t count) {
  std::vector<std::int64_t> which;
  const std::int64_t wanted = std::min(count, kRepeated);
  for (std::int64_t k = 0; k < wanted; ++k) which.push_back(count * k / wanted);
  return which;
}

CheckResult check_again(const CertifiedRuns& runs, std::span<const std::int64_t> which,
                        const CertifiedRuns& again, bool promises_seeds, double alpha,
                        std::uint64_t seed) {
  constexpr const char* kName = "repeated runs";
  if (promises_seeds) {
    bool same = true;
    for (std::size_t k = 0; k < which.size(); ++k) {
      same = same && runs.digests[static_cast<std::size_t>(which[k])] == again.digests[k];
    }
    return CheckResult::seen(
        kName,
        same ? "a fresh process answered certified messages in the same way"
             : "a fresh process answered certified messages differently, although the "
               "target promises that seeds decide; the bounds hold all the same",
        same);
  }
  // Pooled by input: rank and event, and whether the run is from the fresh process.
  std::vector<double> rows[2];
  std::vector<double> fresh[2];
  for (std::size_t side = 0; side < 2; ++side) {
    CertifiedRuns pool;
    std::vector<std::int64_t> places;
    const auto add = [&](const CertifiedRuns& from, std::size_t i, bool is_fresh) {
      if (from.runs[i].on_p != (side == 0)) return;
      places.push_back(static_cast<std::int64_t>(places.size()));
      pool.runs.push_back(from.runs[i]);
      pool.scores.push_back(from.scores[i]);
      fresh[side].push_back(is_fresh ? 1.0 : 0.0);
    };
    for (std::size_t k = 0; k < which.size(); ++k) add(again, k, true);
    const std::size_t step = runs.runs.size() / (8 * kRepeated) + 1;
    for (std::size_t i = 0; i < runs.runs.size(); i += step) add(runs, i, false);
    rows[side] = rank_and_event(pool, places);
  }
  const auto difference = [&] {
    double total = 0.0;
    for (std::size_t side = 0; side < 2; ++side) {
      double rank = 0.0, event = 0.0;
      for (std::size_t i = 0; i < fresh[side].size(); ++i) {
        rank += fresh[side][i] * rows[side][2 * i];
        event += fresh[side][i] * rows[side][2 * i + 1];
      }
      total += rank * rank + event * event;
    }
    return total;
  };
  const double seen = difference();
  ReplayStream random({seed, hash_purpose("played again"), 0, 0, Phase::kCheck});
  const double p = p_value_of(seen, regroupings_for(alpha), [&] {
    for (auto& side : fresh) shuffle(std::span(side), random);
    return difference();
  });
  return check_of(kName, p, alpha, "in a fresh process certified messages gave the event as often",
                  "a fresh process answered certified messages differently; the bounds hold "
                  "all the same");
}

}  // namespace assay
