#include "assay/mechanisms/accounting/account/matrix_step.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::size_t kMostMatrixBytes = std::size_t{256} << 20;
constexpr double kAsGood = 1e-8;  // relative, of the squared distance: no eps is known better

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

Result<SquaredDistance> squared_distance(const MatrixStep& step) {
  const Participation participation{step.steps, std::min(step.participations, step.steps),
                                    std::min(step.separation, step.steps), step.spacing};
  const auto refuse = [](const std::string& why, const char* field) {
    return fail(ErrorCode::kInvalidArgument, why, std::string("/") + field);
  };
  if (step.bands > 0 && step.factor != "square-root") {
    return refuse("bands is for the factor square-root", "bands");
  }
  if (step.coefficients.empty() == (step.factor == "toeplitz")) {
    return refuse("coefficients and the factor toeplitz need each other", "coefficients");
  }
  if (step.factor == "identity") return toeplitz_distance(std::vector<double>{1.0}, participation);
  if (step.factor == "toeplitz") return toeplitz_distance(step.coefficients, participation);
  if (step.factor == "tree") return tree_distance(participation);
  const auto size = static_cast<std::size_t>(step.steps);
  if (step.factor == "prefix-sum") {
    return toeplitz_distance(std::vector<double>(size, 1.0), participation);
  }
  if (step.factor == "square-root") {
    const std::int64_t bands = step.bands > 0 ? std::min(step.bands, step.steps) : step.steps;
    return toeplitz_distance(square_root_coefficients(bands), participation,
                             3.0 * static_cast<double>(bands) * kUnitRoundoff);
  }
  if (!step.factor.ends_with(".csv")) {
    return refuse(
        "factor must be identity, square-root, prefix-sum, tree, toeplitz or a file .csv, not '" +
            step.factor + "'",
        "factor");
  }
  const auto rows = ASSAY_TRY(read_matrix(step.factor));
  return matrix_distance(rows, participation);
}

Result<PrivacyLoss> gaussian_loss(double mu, double log_tail) {
  auto loss = ASSAY_TRY(loss_of::gaussian(1.0 / mu, log_tail));
  return detail::for_quotient(std::move(loss), detail::normal_reach(mu, log_tail));
}

}  // namespace

Result<std::vector<std::vector<double>>> read_matrix(const std::string& path) {
  const auto read = read_whole_file(path, kMostMatrixBytes);
  if (!read) return fail(read.error().code, path + " " + read.error().message, "/factor");
  const std::string& text = *read;
  std::vector<std::vector<double>> rows;
  std::int64_t line = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const auto words = trimmed(std::string_view(text).substr(from, end - from));
    from = end + 1;
    ++line;
    if (words.empty()) continue;
    auto& row = rows.emplace_back();
    for (std::size_t at = 0; at <= words.size();) {
      const std::size_t comma = std::min(words.find(',', at), words.size());
      const auto entry = parse_number(trimmed(words.substr(at, comma - at)));
      if (!entry) {
        return fail(ErrorCode::kParse,
                    path + ", line " + std::to_string(line) + ": entry " +
                        std::to_string(row.size() + 1) + " " + entry.error().message,
                    "/factor");
      }
      row.push_back(*entry);
      at = comma + 1;
    }
  }
  if (rows.empty()) {
    return fail(ErrorCode::kInvalidArgument, path + " has no row of a matrix", "/factor");
  }
  return rows;
}

bool operator==(const MatrixStep& a, const MatrixStep& b) {
  return a.sigma == b.sigma && a.sensitivity == b.sensitivity && a.group == b.group &&
         a.steps == b.steps && a.participations == b.participations &&
         a.separation == b.separation && a.spacing == b.spacing && a.bands == b.bands &&
         a.relation == b.relation && a.factor == b.factor && a.coefficients == b.coefficients;
}

Result<MatrixStep> make_matrix_step(MatrixStep step) {
  ASSAY_TRY(validate(step));
  step.squared = ASSAY_TRY(squared_distance(step));
  if (!(step.squared.low > 0.0)) {
    return fail(ErrorCode::kInvalidArgument, "factor must have a step that moves a row", "/factor");
  }
  const Enclosure mu = matrix_mu(step);
  if (!(mu.low >= 1e-6 && mu.high <= 100.0)) {
    ASSAY_TRY(detail::out_of_range("sigma",
                                   "1e-2 to 1e+06 times the distance that a record moves all rows",
                                   number_text(1.0 / mu.high) + " times"));
  }
  return step;
}

Enclosure matrix_mu(const MatrixStep& step) {
  const double times = step.relation == SampledRelation::kReplaceOne ? 2.0 : 1.0;
  return detail::moved(sqrt(step.squared) * times * step.sensitivity, step.group) / step.sigma;
}

bool is_exact(const MatrixStep& step) {
  return step.squared.high <= step.squared.low * (1.0 + kAsGood);
}

Result<StepLosses> matrix_losses(const MatrixStep& step, const LossAccuracy& accuracy) {
  const Enclosure mu = matrix_mu(step);
  auto upper = ASSAY_TRY(gaussian_loss(mu.high, accuracy.log_tail));
  auto lower = ASSAY_TRY(gaussian_loss(mu.low, accuracy.log_tail));
  StepLosses losses{both_orders(upper), both_orders(lower), {}, {}};
  if (!is_exact(step)) {
    losses.dominating_source = "absolute products of columns, over all patterns of participations";
    losses.attained_source = "one pattern of participations";
  }
  return losses;
}

}  // namespace assay
