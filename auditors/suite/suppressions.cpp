#include "assay/auditors/suite/suppressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string_view>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::array kSuppressible = {EntryStatus::kViolated, EntryStatus::kWeak,
                                      EntryStatus::kInconclusive, EntryStatus::kCouldNotRun};

bool can_be_suppressed(const Suppression& one) {
  return std::any_of(kSuppressible.begin(), kSuppressible.end(),
                     [&](EntryStatus status) { return one.status == detail::value_text(status); });
}

bool covers(const Suppression& one, const EntryResult& entry) {
  return can_be_suppressed(one) && one.status == detail::value_text(entry.status) &&
         glob_match(one.scope, entry.id);
}

std::string named(const Suppression& one) {
  return fmt::format("suppression '{}' of {}", plain_text(one.id), plain_text(one.owner));
}

}  // namespace

bool is_day(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text.size() != kShape.size()) return false;
  std::array<unsigned, 3> parts{};
  std::size_t part = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == '-') {
      if (text[i] != '-') return false;
      ++part;
    } else if (text[i] < '0' || text[i] > '9') {
      return false;
    } else {
      parts[part] = 10 * parts[part] + static_cast<unsigned>(text[i] - '0');
    }
  }
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(parts[0])),
                                     std::chrono::month(parts[1]), std::chrono::day(parts[2]))
      .ok();
}

Status check_suppressions(const std::vector<Suppression>& suppressions) {
  std::set<std::string_view> ids;
  for (const auto& one : suppressions) {
    const auto fault = [&](const std::string& message) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("suppression '{}': {}", plain_text(one.id), message), one.place.file,
                  static_cast<long>(one.place.line));
    };
    const std::array<std::pair<std::string_view, std::string_view>, 4> required = {
        {{"id", one.id}, {"scope", one.scope}, {"reason", one.reason}, {"owner", one.owner}}};
    for (const auto& [name, value] : required) {
      if (value.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return fault(std::string(name) + " must not be empty");
      }
    }
    if (!ids.insert(one.id).second) return fault("appears twice");
    if (!can_be_suppressed(one)) {
      return fault(
          fmt::format("status must be {}, not '{}'",
                      joined(kSuppressible, [](EntryStatus s) { return detail::value_text(s); }),
                      plain_text(one.status)));
    }
    if (!is_day(one.expires)) {
      return fault(fmt::format("expires must be a day such as \"2027-01-31\", not '{}'",
                               plain_text(one.expires)));
    }
  }
  return {};
}

Status apply_suppressions(SuiteReport& report, const std::vector<Suppression>& suppressions,
                          const std::string& today) {
  ASSAY_TRY(check_suppressions(suppressions));
  if (!is_day(today)) {
    return fail(ErrorCode::kInvalidArgument,
                "today must be a day such as \"2027-01-31\", not '" + plain_text(today) + "'");
  }
  for (auto& entry : report.entries) entry.suppressed_by.reset();
  for (const auto& one : suppressions) {
    const bool expired = one.expires < today;
    std::int64_t used = 0;
    for (auto& entry : report.entries) {
      if (!covers(one, entry)) continue;
      ++used;
      if (!expired && !entry.suppressed_by) entry.suppressed_by = one.id;
    }
    if (expired) {
      report.notes.push_back(
          fmt::format("{} expired on {} and covers nothing: {}", named(one), one.expires,
                      used > 0 ? "its failure is still there" : "it can be removed"));
    } else if (used == 0) {
      report.notes.push_back(
          fmt::format("{} has no effect in this run: no entry that matches '{}' is {}", named(one),
                      plain_text(one.scope), one.status));
    }
  }
  return {};
}

}  // namespace assay
