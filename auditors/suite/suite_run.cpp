#include "assay/auditors/suite/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Below this alpha the digits of reports no longer distinguish the confidence from 1.
constexpr double kLeastAlpha = 1e-12;

// The place of an error that names no file: the option of its job that it is about, or the entry. A path of the
// job is a JSON pointer to a field, or a file.
Error placed(Error error, const SuiteEntry& entry) {
  const bool is_pointer = !error.path.empty() && error.path.front() == '/' &&
                          !fs::exists(error.path) && error.code != ErrorCode::kIo;
  if (!error.path.empty() && !is_pointer) return error;
  error.path = entry.place.file;
  error.line = static_cast<long>(entry.place.line);
  for (const auto& [name, line] : entry.lines) {
    const bool is_named =
        error.message.rfind(name + " ", 0) == 0 || error.message.rfind(name + ": ", 0) == 0;
    if (is_named) error.line = static_cast<long>(line);
  }
  return error;
}

std::uint64_t seed_of(std::uint64_t seed, const std::string& id) {
  return hash_purpose(fmt::format("suite {} {}", seed, id)) >> 16;  // 48 bits: short to copy
}

Status check_known(const std::vector<std::string>& asked, const char* what,
                   const std::vector<std::string>& known) {
  for (const auto& pattern : asked) {
    const bool any = std::any_of(known.begin(), known.end(),
                                 [&](const std::string& one) { return glob_match(pattern, one); });
    if (!any) {
      return fail(ErrorCode::kUnknownKey, fmt::format("no entry that is selected has the {} '{}'{}",
                                                      what, pattern, nearest_hint(pattern, known)));
    }
  }
  return {};
}

bool matches(const std::vector<std::string>& patterns, const std::string& text) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return glob_match(pattern, text); });
}

// The result `found`, with the id, place and other terms that the entry has in the suite today.
EntryResult as_now(EntryResult found, const EntryResult& now) {
  found.id = now.id;
  found.severity = now.severity;
  found.tags = now.tags;
  found.place = now.place;
  found.subject = now.subject;
  found.content = now.content;
  found.suppressed_by.reset();
  return found;
}

void not_run(EntryResult& result, const std::string& why) {
  result.status = EntryStatus::kInconclusive;
  result.verdict = "not run";
  result.headline = "not run: " + why;
}

// The audited content is unknown.
void changed_meanwhile(EntryResult& result) {
  result.content.clear();
  result.status = EntryStatus::kCouldNotRun;
  result.verdict = "changed while it ran";
  result.headline = "its files changed while it ran: " + result.headline;
  result.error = Error{ErrorCode::kIo, "its files changed while it ran", {}, 0};
}

// An entry that was not examined must not look like one that held.
void out_of_time(EntryResult& result, const std::string& why) {
  result.status = EntryStatus::kCouldNotRun;
  result.verdict = "out of time";
  result.headline = why;
  result.error =
      Error{ErrorCode::kLimit,
            why + "; a larger --time or value, or fewer " +
                (result.kind == EntryKind::kRegret ? "runs" : "samples") + ", would let it finish",
            {},
            0};
}

}  // namespace

Result<std::vector<std::size_t>> select_entries(const SuiteFile& suite,
                                                const SuiteSelection& selection) {
  std::vector<std::string> ids, tags;
  for (const auto& entry : suite.entries) {
    ids.push_back(entry.id);
    tags.insert(tags.end(), entry.tags.begin(), entry.tags.end());
  }
  ASSAY_TRY(check_known(selection.entries, "name", ids));
  ASSAY_TRY(check_known(selection.tags, "tag", tags));
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < suite.entries.size(); ++i) {
    const auto& entry = suite.entries[i];
    if (selection.tier == Tier::kSmoke && entry.tier != Tier::kSmoke) continue;
    if (!matches(selection.entries, entry.id)) continue;
    const bool tagged = selection.tags.empty() || std::any_of(entry.tags.begin(), entry.tags.end(),
                                                              [&](const std::string& tag) {
                                                                return matches(selection.tags, tag);
                                                              });
    if (tagged) out.push_back(i);
  }
  // It is also a mistake if the other choices leave nothing of a name or tag.
  ids.clear();
  tags.clear();
  for (const std::size_t i : out) {
    ids.push_back(suite.entries[i].id);
    tags.insert(tags.end(), suite.entries[i].tags.begin(), suite.entries[i].tags.end());
  }
  if (!out.empty()) {
    ASSAY_TRY(check_known(selection.entries, "name", ids));
    ASSAY_TRY(check_known(selection.tags, "tag", tags));
  }
  if (out.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "nothing is selected: no entry has the requested tier, name and tag together",
                suite.path);
  }
  return out;
}

Result<std::vector<PreparedEntry>> prepare_entries(const SuiteFile& suite,
                                                   const SuiteRequest& request) {
  const auto selected = ASSAY_TRY(select_entries(suite, request.selection));
  const auto inside = ASSAY_TRY(WorkingFolder::enter(suite.folder));
  const double values =
      std::accumulate(selected.begin(), selected.end(), 0.0,
                      [&](double sum, std::size_t i) { return sum + suite.entries[i].value; });
  const double all_values =
      std::accumulate(suite.entries.begin(), suite.entries.end(), 0.0,
                      [](double sum, const SuiteEntry& entry) { return sum + entry.value; });
  std::vector<PreparedEntry> out;
  for (const std::size_t index : selected) {
    const SuiteEntry& entry = suite.entries[index];
    const double share = entry.value / values;
    PreparedEntry prepared;
    prepared.index = index;
    prepared.alpha = request.alpha * (request.keeps_shares ? entry.value / all_values : share);
    if (!(prepared.alpha >= kLeastAlpha)) {
      return fail(ErrorCode::kLimit,
                  fmt::format("entry '{}' has a share of the error probability of {}, below {}: "
                              "use fewer entries, or values that differ less",
                              entry.id, number_text(prepared.alpha), number_text(kLeastAlpha)),
                  entry.place.file, static_cast<long>(entry.place.line));
    }
    EntryResult& result = prepared.result;
    result.id = entry.id;
    result.kind = entry.kind;
    result.severity = entry.severity;
    result.tags = entry.tags;
    result.place = entry.place;
    result.subject = subject_of(entry);
    // Computed before the job reads anything, so that a change in between is seen after the run.
    const auto content = content_of(entry);
    if (content) result.content = *content;
    prepared.adds_up = request.adds_up && !result.content.empty() && adds_up(entry);
    const double own = prepared.alpha * (prepared.adds_up ? 1.0 - kShareOfEvidence : 1.0);
    EntryTerms terms = {own, seed_of(request.seed, entry.id), {}};
    if (request.seconds) terms.seconds = std::max(0.1, *request.seconds * share);
    auto identity = identity_of(entry);
    if (identity) prepared.identity = std::move(*identity);
    auto run = prepare_entry(entry, terms);
    if (!content) run = tl::make_unexpected(content.error());
    if (!identity && run) run = tl::make_unexpected(identity.error());
    if (run) {
      prepared.run = std::move(*run);
    } else {
      result.error = placed(run.error(), entry);
      result.status = EntryStatus::kMisconfigured;
      result.verdict = "misconfigured";
      result.headline = run.error().message;
    }
    out.push_back(std::move(prepared));
  }
  return out;
}

Result<SuiteReport> run_suite(const SuiteFile& suite, const SuiteRequest& request,
                              const Session& session, const SuiteHooks& hooks) {
  auto entries = ASSAY_TRY(prepare_entries(suite, request));
  const auto inside = ASSAY_TRY(WorkingFolder::enter(suite.folder));
  SuiteReport report;
  report.name = suite.name;
  report.file = suite.path;
  report.tier = detail::value_text(request.selection.tier);
  report.confidence = suite.confidence;
  report.alpha = request.alpha;
  report.seed = request.seed;
  double values = 0.0;
  for (const auto& entry : entries) values += suite.entries[entry.index].value;
  // A run that saw less does not end a violation that stands.
  const auto stand_by = [&](PreparedEntry& entry) -> Result<bool> {
    if (!hooks.standing || !entry.run) return false;
    const auto standing = ASSAY_TRY(hooks.standing(entry));
    if (standing) {
      const auto now = std::exchange(entry.result, {});
      const bool has_run = !now.headline.empty();
      entry.result = as_now(has_run ? merge_evidence(*standing, now) : *standing, now);
    }
    return standing.has_value();
  };
  Session whole = session;
  if (request.seconds) whole.control.give_seconds(*request.seconds);
  const auto run_entry = [&](std::size_t i, const std::optional<EntryResult>& known,
                             const RunControl& control) -> Status {
    auto& [index, alpha, adds_up, identity, result, run] = entries[i];
    Session own = session;
    own.clock = RunClock();
    own.control = control.within(std::min(1.0, suite.entries[index].value / values));
    own.control.note = nullptr;
    own.control.progress = [&, id = result.id,
                            before = static_cast<double>(i)](const Progress& made) {
      whole.control.report(fmt::format("{} {}", id, made.stage),
                           (before + made.fraction) / static_cast<double>(entries.size()),
                           made.found);
    };
    std::optional<ContentEvidence> evidence;
    if (adds_up && hooks.take) evidence = ASSAY_TRY(hooks.take(entries[i]));
    const bool begins = evidence && evidence->runs == 0;
    const auto illustrate = run(own, result);
    if (begins) result.alpha += evidence->alpha;
    const bool is_cut = own.control.out_of_time() && !own.control.interrupted();
    if (is_cut && result.status == EntryStatus::kInconclusive) {
      out_of_time(result, "the time budget ended this entry: " + result.headline);
    }
    result.seconds = own.clock.meta(own.control.threads).seconds;
    const auto after = content_of(suite.entries[index]);
    if (!after || (!result.content.empty() && *after != result.content)) {
      changed_meanwhile(result);
    } else {
      const bool gives_back = evidence && add_up(*evidence, result);
      const bool is_violated = result.status == EntryStatus::kViolated;
      if (is_violated && hooks.on_violation) hooks.on_violation(entries[i]);
      if (gives_back) hooks.give_back(entries[i], *evidence);
      if (illustrate) illustrate(result);
      if (is_violated && hooks.on_violation) hooks.on_violation(entries[i]);  // with its witness
      result.seconds = own.clock.meta(own.control.threads).seconds;
      if (known) result = as_now(merge_evidence(*known, result), result);
    }
    return stand_by(entries[i]).map([](bool) {});
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto& [index, alpha, adds_up, identity, result, run] = entries[i];
    const double value = suite.entries[index].value;
    std::optional<EntryResult> known;
    if (hooks.known && run) known = ASSAY_TRY(hooks.known(entries[i]));
    if (hooks.reuses && ASSAY_TRY(stand_by(entries[i]))) {
      // The violation decides.
    } else if (known && hooks.reuses && is_decided(*known)) {
      result = as_now(*known, result);
    } else if (run && whole.control.interrupted()) {
      not_run(result, "interrupted");
    } else if (run && whole.control.out_of_time()) {
      out_of_time(result, "the time budget was spent before this entry");
    } else if (run && whole.control.items == nullptr) {
      ASSAY_TRY(run_entry(i, known, whole.control));
    } else if (run) {
      const auto kept = ASSAY_TRY(shared_item<std::string>(
          whole.control, "entries", index, [&](const RunControl& control) -> Result<std::string> {
            ASSAY_TRY(run_entry(i, known, control));
            return json_text(entry_json(entries[i].result));
          }));
      if (kept) result = ASSAY_TRY(read_entry(*kept));
    }
    values -= value;
    const bool is_shard = whole.control.items != nullptr && whole.control.items->shard();
    if (hooks.on_result && !is_shard) hooks.on_result(result);
  }
  ASSAY_TRY(end_of_shared_loop(whole.control));
  // Another run may have found a violation in the meantime.
  for (auto& entry : entries) {
    if (entry.result.status != EntryStatus::kViolated) ASSAY_TRY(stand_by(entry));
    report.entries.push_back(std::move(entry.result));
  }
  report.interrupted = whole.control.interrupted();
  report.meta = session.meta();
  return report;
}

Result<WorkingFolder> WorkingFolder::enter(const std::string& folder) {
  std::error_code gone, why;
  const auto back = fs::current_path(gone);  // empty if that folder was deleted
  if (!folder.empty()) fs::current_path(folder, why);
  if (why) return fail(ErrorCode::kIo, "cannot be entered: " + why.message(), folder);
  return WorkingFolder(back.string());
}

WorkingFolder::~WorkingFolder() {
  std::error_code ignored;
  if (!back_.empty()) fs::current_path(back_, ignored);
}

}  // namespace assay
