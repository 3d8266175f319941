#include "assay/mechanisms/core/configuration.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "assay/mechanisms/core/messages.hpp"

namespace assay {

std::string number_text(double value) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc{} ? std::string(buffer, end) : "?";
}

Result<double> parse_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return fail(ErrorCode::kParse, "must be a number, not '" + std::string(text) + "'");
  }
  if (!std::isfinite(value)) {
    return fail(ErrorCode::kParse, "must be a finite number, not '" + std::string(text) + "'");
  }
  return value;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || *value != std::floor(*value) || std::fabs(*value) > 9.0e15) {
    return fail(ErrorCode::kParse, "must be a whole number, not '" + std::string(text) + "'");
  }
  return static_cast<std::int64_t>(*value);
}

namespace {

// Characters to insert, delete, replace or swap with the next one: what fingers do (Damerau, 1964).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);  // of a without its last 2, 1 and 0
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  if (best != nullptr) return "; did you mean '" + *best + "'?";
  return known.empty() ? "" : "; known: " + joined(known);
}

}  // namespace assay
