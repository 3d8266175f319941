#include "assay/mechanisms/accounting/account/distribution_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::size_t kMostTableBytes = std::size_t{128} << 20;
constexpr std::size_t kMostRows = 1'000'000;
constexpr double kSumTolerance = 1e-12;
constexpr double kLargestLoss = 700.0;

std::string_view without_spaces(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(without_spaces(line.substr(from, comma - from)));
    from = comma + 1;
  }
  return cells;
}

// Two columns of a file, for the parameter that names it.
class TableColumns {
 public:
  TableColumns(std::string path, std::string parameter, std::array<std::string, 2> names,
               std::array<Range, 2> ranges, bool first_may_be_infinite)
      : path_(std::move(path)),
        parameter_(std::move(parameter)),
        names_(std::move(names)),
        ranges_(ranges),
        may_be_infinite_(first_may_be_infinite) {}

  Status read() {
    const auto whole = read_whole_file(path_, kMostTableBytes);
    if (!whole) {
      return fail(whole.error().code, parameter_ + " " + path_ + ": " + whole.error().message,
                  "/" + parameter_);
    }
    const std::string& text = *whole;
    bool is_first = true;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      const auto line = without_spaces(std::string_view(text).substr(from, end - from));
      from = end + 1;
      ++line_;
      if (line.empty() || line.front() == '#') continue;
      const auto cells = cells_of(line);
      if (cells.size() != 2) {
        return error("must have two columns, " + names_[0] + " and " + names_[1] + ", not " +
                     std::to_string(cells.size()));
      }
      if (!(std::exchange(is_first, false) && is_header(cells))) ASSAY_TRY(read_row(cells));
      if (columns_[0].size() > kMostRows) return error("is beyond the limit of 1000000 rows");
    }
    if (columns_[0].empty()) {
      return fail(ErrorCode::kInvalidArgument, parameter_ + " " + path_ + " has no numbers",
                  "/" + parameter_);
    }
    return {};
  }

  std::vector<double>& first() { return columns_[0]; }
  std::vector<double>& second() { return columns_[1]; }

 private:
  tl::unexpected<Error> error(const std::string& what) const {
    return fail(ErrorCode::kParse,
                parameter_ + " " + path_ + ", line " + std::to_string(line_) + ": " + what,
                "/" + parameter_);
  }

  bool is_header(const std::vector<std::string_view>& cells) {
    if (cells[0] == names_[1] && cells[1] == names_[0]) is_swapped_ = true;
    return is_swapped_ || (cells[0] == names_[0] && cells[1] == names_[1]);
  }

  Status read_row(const std::vector<std::string_view>& cells) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string_view cell = cells[is_swapped_ ? 1 - i : i];
      if (i == 0 && may_be_infinite_ && (cell == "inf" || cell == "+inf")) {
        columns_[0].push_back(kInfinity);
        continue;
      }
      const auto number = parse_number(cell);
      if (!number) return error(names_[i] + " " + number.error().message);
      if (!(*number >= ranges_[i].low && *number <= ranges_[i].high)) {
        return error(names_[i] + " must be " + number_text(ranges_[i].low) + " to " +
                     number_text(ranges_[i].high) + ", not " + std::string(cell));
      }
      columns_[i].push_back(*number);
    }
    return {};
  }

  std::string path_;
  std::string parameter_;
  std::array<std::string, 2> names_;
  std::array<Range, 2> ranges_;
  bool may_be_infinite_;
  bool is_swapped_ = false;
  std::int64_t line_ = 0;
  std::array<std::vector<double>, 2> columns_;
};

// Neumaier's sum: a naive one of a million terms is off by more than the tolerance.
double compensated_sum(const std::vector<double>& terms) {
  double sum = 0.0, lost = 0.0;
  for (const double x : terms) {
    const double next = sum + x;
    lost += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  return sum + lost;
}

Status check_sum(const std::string& path, const char* parameter, const char* column, double sum) {
  if (std::fabs(sum - 1.0) <= kSumTolerance) return {};
  return fail(ErrorCode::kInvalidArgument,
              std::string(parameter) + " " + path + ": " + column +
                  " must sum to 1 within 1e-12, not " + number_text(sum),
              std::string("/") + parameter);
}

// What Q has outside the outputs of P; 0 within the tolerance.
double outside_of(const LossDistributionStep& step) {
  std::vector<double> masses;
  for (std::size_t i = 0; i < step.losses.size(); ++i) {
    if (std::isfinite(step.losses[i])) {
      masses.push_back(step.masses[i] * portable_exp(-step.losses[i]));
    }
  }
  const double outside = 1.0 - compensated_sum(masses);
  return std::fabs(outside) <= kSumTolerance ? 0.0 : outside;
}

}  // namespace

Result<FinitePairStep> with_file(FinitePairStep step) {
  if (step.file.empty()) return step;
  if (!step.p.empty() || !step.q.empty()) {
    return fail(ErrorCode::kInvalidArgument, "pair takes the place of p and q: give one of them",
                "/pair");
  }
  TableColumns columns(step.file, "pair", {"p", "q"}, {Range{0.0, 1.0}, Range{0.0, 1.0}}, false);
  ASSAY_TRY(columns.read());
  step.p = std::move(columns.first());
  step.q = std::move(columns.second());
  ASSAY_TRY(check_sum(step.file, "pair", "p", compensated_sum(step.p)));
  ASSAY_TRY(check_sum(step.file, "pair", "q", compensated_sum(step.q)));
  return step;
}

Result<LossDistributionStep> with_file(LossDistributionStep step) {
  TableColumns columns(step.file, "losses", {"loss", "mass"},
                       {Range{-kLargestLoss, kLargestLoss}, Range{0.0, 1.0}}, true);
  ASSAY_TRY(columns.read());
  step.losses = std::move(columns.first());
  step.masses = std::move(columns.second());
  ASSAY_TRY(check_sum(step.file, "losses", "mass", compensated_sum(step.masses)));
  if (const double outside = outside_of(step); outside < 0.0) {
    return fail(ErrorCode::kInvalidArgument,
                "losses " + step.file + ": mass e^-loss must sum to at most 1 within 1e-12, not " +
                    number_text(1.0 - outside) + "; it is the distribution without the record",
                "/losses");
  }
  return step;
}

StepLosses distribution_losses(const LossDistributionStep& step) {
  DirectedLosses both;
  both.symmetric = false;
  double largest = 0.0;
  for (std::size_t i = 0; i < step.losses.size(); ++i) {
    const double loss = step.losses[i], mass = step.masses[i];
    if (mass == 0.0) continue;
    if (std::isinf(loss)) {
      both.remove.mass_at_infinity += mass;
      continue;
    }
    const double log_mass = portable_log(mass);
    both.remove.atoms.push_back({loss, log_mass});
    both.add.atoms.push_back({-loss, log_mass - loss});  // (1)
    largest = std::max({largest, std::fabs(loss), -log_mass});
  }
  both.add.mass_at_infinity = outside_of(step);
  for (PrivacyLoss* order : {&both.remove, &both.add}) {
    std::sort(order->atoms.begin(), order->atoms.end(),
              [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
    order->weight_error = 8.0 * kUnitRoundoff * (1.0 + 2.0 * largest);
    // The sums have at most so many roundings; what lies between goes to mass_above.
    const double slack = 4.0 * kUnitRoundoff * static_cast<double>(step.losses.size() + 8);
    if (order->mass_at_infinity == 0.0) continue;
    order->mass_at_infinity = std::clamp(order->mass_at_infinity - slack, 0.0, 1.0);
    order->mass_above = 2.0 * slack;
  }
  return {both, std::nullopt, {}, {}};
}

Enclosure distribution_largest_loss(const LossDistributionStep& step, SamplingDirection order) {
  const bool remove = order == SamplingDirection::kRemove;
  double largest = 0.0;
  for (std::size_t i = 0; i < step.losses.size(); ++i) {
    if (step.masses[i] == 0.0) continue;
    if (std::isinf(step.losses[i])) {
      if (remove) return kInfinity;
    } else {
      largest = std::max(largest, remove ? step.losses[i] : -step.losses[i]);
    }
  }
  return !remove && outside_of(step) > 0.0 ? Enclosure(kInfinity) : Enclosure(largest);
}

double distribution_divergence(const LossDistributionStep& step, double order) {
  double most = 0.0;
  for (const auto neighbours : {SamplingDirection::kRemove, SamplingDirection::kAdd}) {
    if (std::isinf(distribution_largest_loss(step, neighbours).high)) return kInfinity;
    const Enclosure tilt =
        neighbours == SamplingDirection::kRemove ? Enclosure(order) - 1.0 : -Enclosure(order);
    std::vector<Enclosure> terms;
    double top = -kInfinity;
    for (std::size_t i = 0; i < step.losses.size(); ++i) {
      if (step.masses[i] == 0.0) continue;
      terms.push_back(log(Enclosure(step.masses[i])) + tilt * step.losses[i]);
      top = std::max(top, terms.back().high);
    }
    Enclosure sum = 0.0;
    for (const Enclosure& term : terms) sum = sum + exp(term - top);
    most = std::max(most, ((log(sum) + top) / (Enclosure(order) - 1.0)).high);
  }
  return most;
}

}  // namespace assay
