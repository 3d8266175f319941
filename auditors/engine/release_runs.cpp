// Gathers evidence of actions by the losses of the release: for the given pair, or for the pair with
// the largest loss in a few runs.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "assay/auditors/engine/audit.hpp"
#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/methods/release.hpp"

namespace assay {
namespace {

constexpr std::size_t kPairsReleased = 24;         // of those that the subject lists
constexpr std::int64_t kSearchReleases = 2048;     // of each pair and input, fewer if they are long
constexpr double kDefaultRounds = 5e7;             // of all runs on one input
constexpr std::int64_t kMostDefaultRuns = 40'000;  // on each input, to certify with
constexpr std::int64_t kFewestReleases = 64;

std::int64_t training_of(std::int64_t samples) { return std::max(samples / 4, kFewestReleases); }

std::int64_t default_releases(const AuditedSubject& subject, std::int64_t most) {
  const std::int64_t rounds = std::max({subject.shape.rows(), subject.rounds, std::int64_t{1}});
  const double runs = kDefaultRounds / static_cast<double>(rounds);
  return std::clamp(static_cast<std::int64_t>(runs), kFewestReleases, most);
}

// Uses half of the remaining time, at the speed of a few runs; the bounds take the rest.
std::int64_t releases_for_time(const PairRelease& release, std::uint64_t seed, bool tilted,
                               const RunControl& control) {
  const double seconds = detail::seconds_of_call(control, [&](std::int64_t i) {
    const Side side = i % 2 == 0 ? Side::kBase : Side::kNeighbour;
    release.sample(side,
                   ReplayStream({seed, hash_purpose("release/speed"), static_cast<std::uint64_t>(i),
                                 detail::side_lane(side), Phase::kPilot}));
  });
  constexpr double kBounds = 4e-5;  // per run on each input
  const double runs = tilted ? 4.5 + 0.5 * release.tilts() : 2.5;
  const double of_both = runs * seconds / control.workers() + kBounds;
  return std::clamp(
      static_cast<std::int64_t>(std::min(0.5 * control.seconds_left() / of_both, 1e9)),
      kFewestReleases, std::int64_t{1'000'000'000});
}

// Depends on sizes alone, so that any number of runs finds the same pair.
bool is_searched_tilted(const PreparedAudit& audit, const PairRelease& release) {
  return detail::wants_tilts(release, audit, default_releases(audit.subject, kMostDefaultRuns));
}

struct FoundPair {
  InputPair pair;
  std::unique_ptr<PairRelease> release;
  std::string how;
  std::optional<std::int64_t> scored;  // pairs, if --search was cut short
};

// Takes the first pairs of the list; with --search as many as it requests, then random ones.
Result<FoundPair> find_pair(const PreparedAudit& audit, const RunControl& control) {
  auto pairs = detail::listed_pairs(audit);
  const auto& input = audit.request.input;
  const bool draws = audit.request.search && !(input && input->has_neighbour());
  const auto asked =
      static_cast<std::size_t>(std::max<std::int64_t>(audit.request.search.value_or(1), 1));
  pairs.resize(std::min({pairs.size(), kPairsReleased, draws ? asked : kPairsReleased}));
  const std::size_t listed = pairs.size();
  const std::size_t count = draws ? asked : listed;
  const auto base = input ? input->inputs.base() : nullptr;
  const std::int64_t runs = default_releases(audit.subject, kSearchReleases);
  FoundPair found;
  double most = 0.0;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    InputPair pair = i < listed ? std::move(pairs[i])
                                : audit.subject.random_pair(
                                      base, ReplayStream({audit.seed, hash_purpose("release/pair"),
                                                          i, 0, Phase::kSearch}));
    auto release = ASSAY_TRY(audit.subject.release(pair));
    double leak = 0.0;
    if (count > 1) {
      leak = detail::leak_of_actions(*release, audit.claim, audit.seed, runs,
                                     is_searched_tilted(audit, *release), control);
      if (control.stopped() && found.release) break;
    }
    ++looked_at;
    if (found.release && !(leak > most)) continue;
    most = leak;
    found.release = std::move(release);
    found.pair = std::move(pair);
  }
  found.how = detail::listed_text(audit, std::min(looked_at, listed));
  if (looked_at > listed) {
    found.how += " and " + std::to_string(looked_at - listed) + " random ones";
  }
  // --search with that number finds the same pair again. Otherwise the text says that the list was cut.
  const bool searchable = audit.subject.random_pair && !(input && input->has_neighbour());
  if (looked_at < count && searchable) found.scored = static_cast<std::int64_t>(looked_at);
  if (!found.scored) found.how += detail::stop_text(looked_at, count);
  return found;
}

}  // namespace

Result<Gathered> detail::gather_release_runs(const PreparedAudit& audit,
                                             const RunControl& control) {
  constexpr double kSearchTime = 0.25;
  FoundPair found = ASSAY_TRY(find_pair(audit, control.within(kSearchTime)));
  ReleasePlan plan{audit.terms()};
  if (audit.request.samples) {
    plan.samples = *audit.request.samples;
  } else if (audit.request.seconds) {
    plan.samples = releases_for_time(*found.release, audit.seed,
                                     is_searched_tilted(audit, *found.release), control);
  } else {
    plan.samples = default_releases(audit.subject, kMostDefaultRuns);
  }
  plan.training = training_of(plan.samples);
  plan.stop_after = audit.request.stop_after;
  Gathered gathered{{std::move(found.pair), std::move(found.how)}, {}};
  gathered.scored = found.scored;
  auto evidence = audit_by_release(*found.release, plan, control);
  if (evidence) {
    gathered.evidence = std::move(*evidence);
  } else if (evidence.error().code == ErrorCode::kInterrupted) {
    gathered.evidence = nothing_certified(audit, "release");
    gathered.evidence.samples_planned = plan.samples;
  } else {
    return tl::make_unexpected(evidence.error());
  }
  return gathered;
}

}  // namespace assay
