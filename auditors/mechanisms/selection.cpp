#include "assay/auditors/mechanisms/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

std::vector<InputPair> one_against_all(std::int64_t answers, double move, double scale,
                                       double epsilon) {
  return some_against_all(answers, 1, move, scale, epsilon);
}

std::vector<InputPair> some_against_all(std::int64_t answers, std::int64_t up, double move,
                                        double scale, double epsilon) {
  // A distribution over n outputs costs n^2 or more.
  std::vector<double> gaps{0.0};
  if (answers <= 256) gaps = {0.0, 3.0, std::min(30.0 + 3.0 * epsilon, 600.0)};
  if (answers <= 32) gaps = {0.0, 1.0, 3.0, 8.0, -3.0, 30.0, std::min(30.0 + 3.0 * epsilon, 600.0)};
  std::vector<InputPair> pairs;
  for (const double gap : gaps) {
    std::vector<double> base_row;
    std::vector<double> neighbour_row;
    for (std::int64_t i = 0; i < answers; ++i) {
      // Whole multiples of the move keep the differences exact for moves of 1 and powers of 2.
      const double old = i < up ? -move * std::round(gap * scale / move) : 0.0;
      base_row.push_back(old);
      neighbour_row.push_back(i < up ? old + move : -move);
      if (std::fabs(neighbour_row.back() - old) > move) neighbour_row.back() = old;
    }
    if (base_row != neighbour_row)
      pairs.emplace_back(std::move(base_row), std::move(neighbour_row));
  }
  return pairs;
}

std::vector<InputPair> random_scores(std::int64_t answers, double move, double scale,
                                     ReplayStream& random) {
  constexpr int kPairs = 16;
  std::vector<InputPair> pairs;
  for (int i = 0; i < kPairs && answers <= 16; ++i) {
    auto pair = random_moves(answers, 4.0 * scale, move, random);
    if (pair.differing() > 0) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace assay::detail

namespace assay {
namespace {

constexpr auto kListed = static_cast<double>(detail::kMostListed);
constexpr std::int64_t kLargestSet = 16;  // its probability takes about 30 ms

// All sequences of `rounds` different indices below n.
std::vector<idealized::PeelingOutput> sequences(std::int64_t n, std::int64_t rounds) {
  std::vector<idealized::PeelingOutput> all{{}};
  for (std::int64_t r = 0; r < rounds; ++r) {
    std::vector<idealized::PeelingOutput> longer;
    for (const idealized::PeelingOutput& begun : all) {
      for (std::int64_t j = 0; j < n; ++j) {
        if (contains(begun.indices, j)) {
          continue;
        }
        longer.push_back(begun);
        longer.back().indices.push_back(j);
      }
    }
    all = std::move(longer);
  }
  return all;
}

double sequence_count(std::int64_t n, std::int64_t rounds) {
  double count = 1.0;
  for (std::int64_t r = 0; r < rounds; ++r) count *= static_cast<double>(n - r);
  return count;
}

}  // namespace

Status AuditTraits<TopK>::check_listed(const M& m, const InputPair&) {
  const auto& c = m.config();
  if (m.output_count() > kListed || (!c.ordered && c.count > kLargestSet)) {
    return fail(ErrorCode::kLimit,
                fmt::format("the exact method lists at most 4096 outputs, sets of at most {}: use "
                            "--method events, fewer answers or a smaller count",
                            kLargestSet),
                "/method");
  }
  const auto k = static_cast<double>(c.count);
  const double of_one = c.ordered ? k * static_cast<double>(c.answers) : 2.0 * k * std::exp2(k);
  return detail::check_distribution_work(m.output_count() * of_one);
}

Result<EnumeratedDistributions> AuditTraits<TopK>::distributions(const M& m,
                                                                 const InputPair& pair) {
  ASSAY_TRY(check_listed(m, pair));
  return detail::listed_distributions(m, pair, 1e-12, -10'000.0);
}

Result<ReleaseLoss> AuditTraits<TopK>::losses(const M& m, const InputPair& pair) {
  if (m.config().ordered || m.config().count <= kLargestSet) {
    return detail::loss_from_density(m, pair);
  }
  return fail(ErrorCode::kLimit,
              fmt::format("the likelihood method takes sets of at most {}: use --method events or "
                          "a smaller count",
                          kLargestSet),
              "/method");
}

std::vector<InputPair> AuditTraits<idealized::PeelingMechanism>::hard_pairs(const M& m) {
  const auto& c = m.config();
  auto pairs =
      detail::some_against_all(c.coordinates, c.rounds, c.sensitivity, m.scale(), c.epsilon);
  // The mechanism chooses by size, so all numbers are positive. They move by whole steps.
  for (InputPair& pair : pairs) {
    double least = 0.0;
    for (const double x : pair.base_row()) least = std::min(least, x);
    const double shift = c.sensitivity - least;
    const auto shifted = [&](std::span<const double> row) {
      std::vector<double> out;
      for (const double x : row) out.push_back(x + shift);
      return out;
    };
    pair = {shifted(pair.base_row()), shifted(pair.neighbour_row())};
  }
  std::erase_if(pairs, [&](const InputPair& pair) { return !check(m, pair); });
  if (pairs.empty()) {
    const std::vector<double> zeros(static_cast<std::size_t>(c.coordinates), 0.0);
    std::vector<double> one = zeros;
    one[0] = c.sensitivity;
    pairs.emplace_back(zeros, std::move(one));
  }
  return pairs;
}

Result<EnumeratedDistributions> AuditTraits<idealized::PeelingMechanism>::distributions(
    const M& m, const InputPair& pair) {
  const auto& c = m.config();
  if (c.values || sequence_count(c.coordinates, c.rounds) > kListed) {
    return fail(ErrorCode::kLimit,
                "the exact method lists at most 4096 sequences of indices, without values: use "
                "--method likelihood, or values=false and fewer rounds",
                "/method");
  }
  // Each round of each sequence takes the distribution of one noisy max, with hundreds of nodes.
  ASSAY_TRY(detail::check_distribution_work(400.0 * sequence_count(c.coordinates, c.rounds) *
                                            static_cast<double>(c.rounds * c.coordinates)));
  const auto inputs = ASSAY_TRY(detail::pair_inputs(m, pair));
  EnumeratedDistributions distributions{{}, {}, 1e-12 * static_cast<double>(c.rounds)};
  double deepest = 0.0;
  for (const idealized::PeelingOutput& output : sequences(c.coordinates, c.rounds)) {
    distributions.log_p.push_back(m.log_density(output, inputs.base_input.view()));
    distributions.log_q.push_back(m.log_density(output, inputs.neighbour_input.view()));
    deepest = std::max({deepest, -distributions.log_p.back(), -distributions.log_q.back()});
  }
  if (!(deepest <= 640.0)) {
    return fail(ErrorCode::kNumerical, "a sequence of log-probability below -640 is not certified",
                "/method");
  }
  distributions.relative_error += 4e-16 * deepest;
  return distributions;
}

std::vector<double> AuditTraits<idealized::PeelingMechanism>::numbers(
    const M&, const idealized::PeelingOutput& output) {
  std::vector<double> out;
  for (const std::int64_t index : output.indices) out.push_back(static_cast<double>(index));
  out.insert(out.end(), output.values.begin(), output.values.end());
  return out;
}

}  // namespace assay
