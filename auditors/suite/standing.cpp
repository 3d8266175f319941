#include "assay/auditors/suite/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "assay/auditors/suite/suppressions.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

bool belongs(const RecordedViolation& one, const std::string& id, const EntryIdentity& identity,
             const StandingTerms& terms) {
  const bool same_target = one.identity.target == identity.target;
  if (one.result.id == id) return same_target || one.suite == terms.suite;
  return same_target && !contains(terms.ids, one.result.id);
}

bool covers(const SeenClear& seen, const RecordedViolation& one, const std::string& id) {
  const Clear& clear = seen.clear;
  return (clear.entry == one.result.id || clear.entry == id) && one.day <= clear.date &&
         one.number <= seen.last;
}

bool is_cleared(const RecordedViolation& one, const std::string& id, const StandingTerms& terms) {
  return std::any_of(terms.clears.begin(), terms.clears.end(),
                     [&](const SeenClear& clear) { return covers(clear, one, id); });
}

// Only two known digests can differ.
bool is_known_to_have_changed(const RecordedViolation& one, const EntryIdentity& identity) {
  return !one.identity.audited.empty() && !identity.audited.empty() &&
         one.identity.audited != identity.audited;
}

bool is_same_content(const RecordedViolation& one, const EntryIdentity& identity) {
  return !identity.audited.empty() && one.identity.audited == identity.audited;
}

// Whether the bound certified then exceeds today's claim; nothing if no figure is in both results.
std::optional<bool> exceeds(const RecordedViolation& one, const EntryResult& now) {
  std::optional<bool> exceeded;
  for (const auto& then : one.result.figures) {
    if (!then.allowed || !(then.lower >= *then.allowed)) continue;
    // Bets on the claim refute only the allowed value, and certify nothing beyond it.
    const bool refutes_its_end = then.lower == *then.allowed;
    for (const auto& figure : now.figures) {
      if (figure.name != then.name || !figure.allowed) continue;
      exceeded = exceeded.value_or(false) || then.lower > *figure.allowed ||
                 (refutes_its_end && then.lower == *figure.allowed);
    }
  }
  return exceeded;
}

// `is_its_own`: the violation is of this entry, not only of the same content. Before an entry ran, nobody knows what
// another claim allows.
bool stands(const RecordedViolation& one, const EntryResult& now, const EntryIdentity& identity,
            bool is_its_own) {
  if (is_known_to_have_changed(one, identity)) return false;
  if (one.identity.claim == identity.claim) return true;
  const bool has_run = !now.headline.empty() || !now.figures.empty();
  return has_run && exceeds(one, now).value_or(is_its_own);
}

std::string since(const RecordedViolation& one) {
  return fmt::format("violated since run {} ({})", one.run, plain_text(one.day));
}

std::string named(const Clear& clear) {
  return fmt::format("the clear of '{}' ({}: {})", plain_text(clear.entry), clear.date,
                     plain_text(clear.reason));
}

}  // namespace

Status check_clears(const std::vector<Clear>& clears, const std::string& today) {
  for (const auto& one : clears) {
    const auto fault = [&](const std::string& message) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("clear of '{}': {}", plain_text(one.entry), message), one.place.file,
                  static_cast<long>(one.place.line));
    };
    for (const auto& [name, value] : std::array<std::pair<std::string_view, std::string_view>, 2>{
             {{"entry", one.entry}, {"reason", one.reason}}}) {
      if (value.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return fault(std::string(name) + " must not be empty");
      }
    }
    if (!is_day(one.date)) {
      return fault(
          fmt::format("date must be a day such as \"2026-11-25\", not '{}'", plain_text(one.date)));
    }
    if (one.date > today) {
      return fault(fmt::format("date must not be in the future: {} is after today, {} (UTC)",
                               one.date, today));
    }
  }
  return {};
}

Standing standing_of(const EntryResult& now, const EntryIdentity& identity,
                     const std::vector<RecordedViolation>& recorded, const StandingTerms& terms) {
  Standing standing;
  for (const auto& one : recorded) {
    const bool is_its_own = belongs(one, now.id, identity, terms);
    if (one.run == terms.run || !(is_its_own || is_same_content(one, identity))) continue;
    if (is_cleared(one, now.id, terms)) {
      standing.cleared_until = std::max(standing.cleared_until, one.run);
      continue;
    }
    if (standing.violated || !stands(one, now, identity, is_its_own)) continue;
    EntryResult result = one.result;
    result.status = EntryStatus::kViolated;
    result.reused_from = one.run;
    std::string text = since(one);
    if (one.result.id != now.id) {
      text += fmt::format(", as the entry '{}'", plain_text(one.result.id));
    }
    result.headline += (result.headline.empty() ? "" : "; ") + text;
    result.details.insert(result.details.begin(), how_it_ends(now.id, identity));
    standing.violated = std::move(result);
  }
  return standing;
}

std::string how_it_ends(const std::string& id, const EntryIdentity& identity) {
  const std::string clear =
      fmt::format("a [[clear]] in the suite's file (entry = \"{}\", a reason, the date)", id);
  if (identity.audited.empty()) {
    return "next: correct the target and write " + clear +
           ": the entry does not declare its content (depends)";
  }
  std::string content = "its content is known to have changed";
  if (!identity.files.empty()) {
    constexpr std::size_t kMostFiles = 8;
    const std::size_t shown = std::min(identity.files.size(), kMostFiles);
    content = "a file changes that the entry depends on (" +
              joined(std::span(identity.files).first(shown),
                     [](const std::string& file) { return plain_text(file); });
    if (shown < identity.files.size()) {
      content += fmt::format(", and {} more", identity.files.size() - shown);
    }
    content += "; a change in any other file is not seen, so add it to depends)";
  }
  return "next: correct the target: the violation stands until " + content + ", or until " + clear +
         " ends it";
}

std::vector<std::string> standing_notes(const std::vector<RecordedViolation>& recorded,
                                        const StandingTerms& terms,
                                        const std::vector<IdentifiedEntry>& entries) {
  std::vector<std::string> notes;
  // The present id of the entry; empty if it is gone.
  const auto id_today = [&](const RecordedViolation& one) -> std::string {
    for (const auto& [id, identity] : entries) {
      if (belongs(one, id, identity, terms)) return id;
    }
    return contains(terms.ids, one.result.id) ? one.result.id : "";
  };
  for (const auto& seen : terms.clears) {
    const Clear& clear = seen.clear;
    std::vector<std::int64_t> ended;
    std::string why;
    for (const auto& one : recorded) {
      const std::string id = id_today(one);
      if (one.run == terms.run || (clear.entry != one.result.id && clear.entry != id)) continue;
      if (covers(seen, one, id)) {
        ended.push_back(one.run);
      } else {
        why = one.day > clear.date
                  ? fmt::format("that of run {} was found on {}, after its date", one.run, one.day)
                  : fmt::format("that of run {} was found after the clear", one.run);
      }
    }
    std::string text = named(clear);
    if (!ended.empty()) {
      text += fmt::format(" ended the violation{} of run {}", ended.size() == 1 ? "" : "s",
                          joined(ended, [](std::int64_t run) { return std::to_string(run); }));
    }
    if (!why.empty()) {
      text += (ended.empty() ? " covers nothing: " : ", and covers no other: ") + why;
    } else if (ended.empty()) {
      text += " has no effect: no violation of that entry is recorded";
      if (!contains(terms.ids, clear.entry)) {
        text += ", and the suite has no such entry" + nearest_hint(clear.entry, terms.ids);
      }
    }
    notes.push_back(text);
  }
  if (entries.size() != terms.ids.size()) return notes;  // another entry may have the same content
  for (const auto& one : recorded) {
    if (one.suite != terms.suite || one.run == terms.run || !id_today(one).empty()) continue;
    if (!one.identity.audited.empty() || is_cleared(one, "", terms)) continue;
    notes.push_back(fmt::format(
        "'{}', {}, is no longer an entry, and nothing shows that its target changed; a [[clear]] "
        "of it, with a reason and the date, ends this note",
        plain_text(one.result.id), since(one)));
  }
  return notes;
}

}  // namespace assay
