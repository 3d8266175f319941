#include "assay/mechanisms/accounting/matrix_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::int64_t kMostMatrixSteps = 2000;
constexpr double kMostWork = 2e9;

using Steps = std::vector<std::int64_t>;  // of a pattern, increasing

Status check_participation(const Participation& p) {
  ASSAY_TRY(detail::check_count("steps", p.steps, 1'000'000));
  ASSAY_TRY(detail::check_count("participations", p.participations, p.steps));
  return detail::check_count("separation", p.separation, p.steps);
}

// How many participations fit.
std::int64_t most_of(const Participation& p) {
  return std::min(p.participations, (p.steps - 1) / p.separation + 1);
}

Steps equal_steps(const Participation& p, std::int64_t first) {
  Steps steps;
  for (std::int64_t i = first; i < p.steps && std::ssize(steps) < p.participations;
       i += p.separation) {
    steps.push_back(i);
  }
  return steps;
}

// The first steps of patterns of equal steps, without those that begin like a longer one and end early.
std::int64_t firsts_of(const Participation& p) {
  const std::int64_t with_all = p.steps - (most_of(p) - 1) * p.separation;
  return std::min(p.steps, std::max(p.separation, with_all));
}

// Bounds of a sum of positive terms, after so many roundings of each.
Enclosure rounded(double low, double high, double roundings, double error = 0.0) {
  const double relative = 2.0 * (roundings + 8.0) * kUnitRoundoff + error;
  return {std::max(0.0, low * (1.0 - relative)), high * (1.0 + relative)};
}

// ---- Toeplitz -----------------------------------------------------------------------------------

// (2).
Enclosure monotone_distance(std::span<const double> c, const Participation& p, double error) {
  const auto size = static_cast<std::size_t>(p.steps);
  const auto b = static_cast<std::size_t>(p.separation);
  const auto k = static_cast<std::size_t>(most_of(p));
  const auto at = [&](std::size_t s) { return s < c.size() ? c[s] : 0.0; };
  std::vector<double> row(size), off(size);  // of the sum of the columns, with its rounding error
  double low = 0.0, high = 0.0;
  for (std::size_t r = 0; r < size; ++r) {
    row[r] = at(r);
    if (r >= b) {
      const double sum = row[r - b] + row[r];
      const double gone = r / b >= k ? at(r - k * b) : 0.0;
      row[r] = sum - gone;
      off[r] = off[r - b] + 4.0 * kUnitRoundoff * (sum + gone);
    }
    const double least = std::max(0.0, row[r] - off[r]), most = row[r] + off[r];
    low += least * least;
    high += most * most;
  }
  return rounded(low, high, static_cast<double>(size) + 2.0 * static_cast<double>(size / b + 1),
                 2.1 * error);
}

// ---- a tree -------------------------------------------------------------------------------------

double tree_value(const Steps& steps, std::int64_t size) {
  double value = 0.0;
  for (std::int64_t width = 1; width <= size; width *= 2) {
    for (std::size_t i = 0; i < steps.size();) {
      const std::int64_t node = steps[i] / width;
      double count = 0.0;
      for (; i < steps.size() && steps[i] / width == node; ++i) count += 1.0;
      if ((node + 1) * width <= size) value += count * count;
    }
  }
  return value;
}

// (3), from above.
double tree_most(const Participation& p) {
  double value = 0.0;
  const std::int64_t k = most_of(p);
  for (std::int64_t width = 1; width <= p.steps; width *= 2) {
    const std::int64_t cap = std::min(k, (width - 1) / p.separation + 1);
    const std::int64_t full = std::min(p.steps / width, k / cap);
    const std::int64_t rest = full < p.steps / width ? k - full * cap : 0;
    const auto squared = [](std::int64_t n) {
      return static_cast<double>(n) * static_cast<double>(n);
    };
    value += static_cast<double>(full) * squared(cap) + squared(rest);
  }
  return value;
}

std::vector<std::vector<double>> tree_rows(std::int64_t size) {
  std::vector<std::vector<double>> rows;
  for (std::int64_t width = 1; width <= size; width *= 2) {
    for (std::int64_t from = 0; from + width <= size; from += width) {
      auto& row = rows.emplace_back(static_cast<std::size_t>(size));
      std::fill_n(row.begin() + from, width, 1.0);
    }
  }
  return rows;
}

// As many steps in each interval of this width as fit, from its beginning on.
Steps filled_intervals(const Participation& p, std::int64_t width) {
  Steps steps;
  for (std::int64_t from = 0; from < p.steps; from += width) {
    for (std::int64_t i = from; i < std::min(from + width, p.steps); i += p.separation) {
      if (std::ssize(steps) == p.participations) return steps;
      if (steps.empty() || i - steps.back() >= p.separation) steps.push_back(i);
    }
  }
  return steps;
}

// ---- any matrix ---------------------------------------------------------------------------------

class Gram {
 public:
  Gram(const std::vector<std::vector<double>>& rows, std::size_t size)
      : size_(size), value_(size * size), absolute_(size * size) {
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < size; ++i) {
        if (row[i] == 0.0) continue;
        for (std::size_t j = 0; j <= i; ++j) {
          const double product = row[i] * row[j];
          value_[i * size + j] += product;
          absolute_[i * size + j] += std::fabs(product);
        }
      }
    }
    roundings_ = static_cast<double>(rows.size()) + 2.0;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        value_[j * size + i] = value_[i * size + j];
        absolute_[j * size + i] = absolute_[i * size + j];
      }
    }
  }

  double roundings() const { return roundings_; }
  double value(std::int64_t i, std::int64_t j) const { return value_[place(i, j)]; }
  double error(std::int64_t i, std::int64_t j) const {
    return 2.0 * roundings_ * kUnitRoundoff * absolute_[place(i, j)];
  }
  double most(std::int64_t i, std::int64_t j) const { return std::fabs(value(i, j)) + error(i, j); }

  double most_of(const Steps& steps) const {
    double sum = 0.0;
    for (const auto i : steps) {
      for (const auto j : steps) sum += most(i, j);
    }
    return sum;
  }

  // With signs that no single change improves.
  double attained(const Steps& steps) const {
    const std::size_t n = steps.size();
    std::vector<double> sign(n, 1.0), pull(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) pull[i] += value(steps[i], steps[j]);
    }
    for (std::size_t round = 0; round < 4 * n; ++round) {
      std::size_t worst = 0;
      double gain = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        const double own = value(steps[i], steps[i]);
        const double gained = -(sign[i] * pull[i] - own);
        if (gained > gain * (1.0 + 1e-12)) {
          gain = gained;
          worst = i;
        }
      }
      if (!(gain > 0.0)) break;
      sign[worst] = -sign[worst];
      for (std::size_t j = 0; j < n; ++j) {
        pull[j] += 2.0 * sign[worst] * value(steps[worst], steps[j]);
      }
    }
    double sum = 0.0, error_sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        sum += sign[i] * sign[j] * value(steps[i], steps[j]);
        error_sum += error(steps[i], steps[j]);
        error_sum +=
            2.0 * static_cast<double>(n * n) * kUnitRoundoff * std::fabs(value(steps[i], steps[j]));
      }
    }
    return sum - error_sum;
  }

 private:
  std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i) * size_ + static_cast<std::size_t>(j);
  }
  std::size_t size_;
  double roundings_;
  std::vector<double> value_;
  std::vector<double> absolute_;
};

// The largest sums of `worth`, which is not negative, over at most m = 0, 1, .. `most` of the steps from..to - 1, at least b
// apart. They are concave in m, as the largest weights of independent sets of intervals are: where one more adds
// nothing, no number of them does.
template <class Worth>
std::vector<double> largest_sums(std::int64_t from, std::int64_t to, std::int64_t b,
                                 std::int64_t most, const Worth& worth,
                                 std::vector<std::vector<double>>* all = nullptr) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(0, to - from));
  std::vector<double> sums{0.0};
  std::vector<double> last(size + 1), next(size + 1);  // over the first i steps
  if (all != nullptr) all->push_back(last);
  for (std::int64_t m = 1; m <= most && size > 0; ++m) {
    next[0] = 0.0;
    for (std::size_t i = 1; i <= size; ++i) {
      const std::size_t before =
          i >= static_cast<std::size_t>(b) ? i - static_cast<std::size_t>(b) : 0;
      next[i] =
          std::max(next[i - 1], worth(from + static_cast<std::int64_t>(i) - 1) + last[before]);
    }
    if (next[size] <= sums.back()) break;  // no more of them fit, or add anything
    sums.push_back(next[size]);
    if (all != nullptr) all->push_back(next);
    std::swap(last, next);
  }
  return sums;
}

double sum_at(const std::vector<double>& sums, std::int64_t m) {
  return sums[std::min(static_cast<std::size_t>(m), sums.size() - 1)];
}

// (4).
Enclosure any_distance(const Gram& gram, const Participation& p) {
  const std::int64_t size = p.steps, k = most_of(p), b = p.separation;
  std::vector<double> weight(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    const auto worth = [&](std::int64_t j) { return gram.most(i, j); };
    const auto before = largest_sums(0, i - b + 1, b, k - 1, worth);
    const auto after = largest_sums(i + b, size, b, k - 1, worth);
    double others = 0.0;
    for (std::int64_t m = 0; m < k; ++m) {
      others = std::max(others, sum_at(before, m) + sum_at(after, k - 1 - m));
    }
    weight[static_cast<std::size_t>(i)] = gram.most(i, i) + others;
  }
  std::vector<std::vector<double>> all;
  const auto sums = largest_sums(
      0, size, b, k, [&](std::int64_t i) { return weight[static_cast<std::size_t>(i)]; }, &all);
  Steps pattern;  // that attains it
  auto m = static_cast<std::int64_t>(sums.size()) - 1;
  for (std::int64_t i = size; m > 0 && i > 0;) {
    const auto& row = all[static_cast<std::size_t>(m)];
    if (row[static_cast<std::size_t>(i)] == row[static_cast<std::size_t>(i) - 1]) {
      --i;
      continue;
    }
    pattern.push_back(i - 1);
    i = std::max<std::int64_t>(0, i - b);
    --m;
  }
  std::reverse(pattern.begin(), pattern.end());
  double low = gram.attained(pattern);
  for (const std::int64_t first : {std::int64_t{0}, firsts_of(p) / 2, firsts_of(p) - 1}) {
    low = std::max(low, gram.attained(equal_steps(p, first)));
  }
  return rounded(low, sums.back(), 2.0 * static_cast<double>(k + size));
}

Enclosure equal_distance(const Gram& gram, const Participation& p) {
  Enclosure largest = 0.0;
  for (std::int64_t first = 0; first < firsts_of(p); ++first) {
    const Steps steps = equal_steps(p, first);
    largest = {std::max(largest.low, gram.attained(steps)),
               std::max(largest.high, gram.most_of(steps))};
  }
  const auto k = static_cast<double>(most_of(p));
  return rounded(largest.low, largest.high, k * k);
}

}  // namespace

std::vector<double> square_root_coefficients(std::int64_t count) {
  std::vector<double> c(static_cast<std::size_t>(count), 1.0);
  for (std::size_t s = 1; s < c.size(); ++s) {
    c[s] = c[s - 1] * (1.0 - 0.5 / static_cast<double>(s));
  }
  return c;
}

Result<SquaredDistance> toeplitz_distance(std::span<const double> coefficients,
                                          const Participation& p, double error) {
  ASSAY_TRY(check_participation(p));
  if (coefficients.empty() || std::ssize(coefficients) > p.steps) {
    ASSAY_TRY(detail::out_of_range("coefficients", "1 to " + std::to_string(p.steps) + " numbers",
                                   std::to_string(coefficients.size())));
  }
  bool monotone = coefficients.back() >= 0.0;
  for (std::size_t s = 1; s < coefficients.size(); ++s) {
    monotone = monotone && coefficients[s] <= coefficients[s - 1];
  }
  if (monotone) return monotone_distance(coefficients, p, error);
  ASSAY_TRY(detail::check_count("steps", p.steps, kMostMatrixSteps));
  const auto size = static_cast<std::size_t>(p.steps);
  std::vector<std::vector<double>> rows(size, std::vector<double>(size));
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t s = 0; s < coefficients.size() && s <= r; ++s) {
      rows[r][r - s] = coefficients[s];
    }
  }
  return matrix_distance(rows, p);
}

Result<SquaredDistance> tree_distance(const Participation& p) {
  ASSAY_TRY(check_participation(p));
  double low = 0.0;
  for (std::int64_t width = 1; width <= p.steps; width *= 2) {
    if (p.spacing == Spacing::kExact) break;
    low = std::max(low, tree_value(filled_intervals(p, width), p.steps));
  }
  // Every pattern of equal steps, if they are not too many.
  const double each = 64.0 * static_cast<double>(most_of(p));
  const auto firsts = static_cast<double>(firsts_of(p));
  const auto stride = static_cast<std::int64_t>(std::ceil(each * firsts / kMostWork));
  for (std::int64_t first = 0; first < firsts_of(p); first += stride) {
    low = std::max(low, tree_value(equal_steps(p, first), p.steps));
  }
  const bool all_seen = p.spacing == Spacing::kExact && stride == 1;
  const double high = all_seen ? low : tree_most(p);
  if (low == high || p.spacing == Spacing::kExact || p.steps > kMostMatrixSteps) {
    return rounded(low, high, 0.0);
  }
  const auto any = any_distance(Gram(tree_rows(p.steps), static_cast<std::size_t>(p.steps)), p);
  return rounded(std::max(low, any.low), std::min(high, any.high), 0.0);
}

Result<SquaredDistance> matrix_distance(const std::vector<std::vector<double>>& rows,
                                        const Participation& p) {
  ASSAY_TRY(check_participation(p));
  ASSAY_TRY(detail::check_count("steps", p.steps, kMostMatrixSteps));
  const auto size = static_cast<std::size_t>(p.steps);
  for (const auto& row : rows) {
    if (row.size() != size) {
      ASSAY_TRY(detail::out_of_range("factor", "a matrix with as many columns as steps",
                                     std::to_string(row.size()) + " columns"));
    }
    for (const double entry : row) {
      ASSAY_TRY(detail::check_within("factor", entry, -1e100, 1e100));
    }
  }
  const auto k = static_cast<double>(most_of(p));
  const auto steps = static_cast<double>(p.steps);
  const double firsts = p.spacing == Spacing::kExact ? static_cast<double>(firsts_of(p)) : 1.0;
  const double work = steps * steps * static_cast<double>(rows.size()) +
                      (p.spacing == Spacing::kExact ? firsts * k * k : steps * steps * k);
  if (work > 8.0 * kMostWork) {
    return fail(ErrorCode::kLimit,
                "the matrix and the participations are too many: steps^2 times rows and "
                "participations must be at most 1.6e+10",
                "/participations");
  }
  const Gram gram(rows, size);
  return p.spacing == Spacing::kExact ? equal_distance(gram, p) : any_distance(gram, p);
}

}  // namespace assay
