// The certified runs of a black-box audit, and what they prove by one event and the classes of its score.
//
// Every certified run is one message with one seed. A fair coin from the audit's seed, independent of everything
// else, chooses its input. The target learns the input only from the message, and no message goes out before
// the answer to the previous one has come. So the input of each run is independent of all runs before,
// whatever the target remembers of them, and side_betting.hpp applies: its bounds refute
//     every run is (eps, delta)-DP given all runs before it                                  (1)
// for any target: one that drifts, remembers inputs and outputs, or answers late. Seeds are drawn
// alike for both inputs.
//
// Runs go out in groups of consecutive ones, one group to one instance of the target. With several
// instances, (1) holds for each of them. Instances that exchange the messages they received are
// beyond the theorem; one thread needs no such assumption. Runs count up to the first missing one,
// which is a stopping time like any other. A run that fails is not missing: its output is one more
// symbol, and the audit never repeats it.
//
// If the target takes keys, a second coin divides the runs between two seedings. Without a key the target makes
// its generators from the seed; with one it fills them from the key, by other code. A level is
// then certified only if the bets on all runs certify it, with their alpha, and the bets on the runs of each
// seeding alone do, with kSeedingAlpha. So a fault of one seeding (two generators that are one stream) convicts a
// private target with at most that probability. Extra conditions only remove certificates, so alpha stays valid.
//
// Bounds: levels fixed before the first certified run, dense around the prediction. The bound is the largest one
// certified with all before it (an error certifies the first level at or above the truth).
// Cost: a round trip a run, and a few ns a run and level.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/pair_bets.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/statistics/side_betting.hpp"

namespace assay {

// An event and its score, and bets that go on.
struct CertifiedEvent {
  const OutputScore* score = nullptr;
  SelectedEvent event;
  std::span<const std::int64_t> class_cuts = {};  // half_lines.hpp
  const PairBets* bets = nullptr;
};

struct CertifiedRuns {
  std::int64_t first = 0;              // number of the first among the pair's runs (pair_runs.hpp)
  std::vector<SidePlay> runs;          // on_p: on the input that makes the event likelier
  std::vector<double> scores;          // of the outputs
  std::vector<std::uint64_t> digests;  // of the outputs
  std::vector<std::uint8_t> failed;    // whether the run did
  std::vector<double> bet_scores;      // run by run, those of the bets that go on
  std::string failure;                 // the message of the first failed run
  std::optional<Error> error;          // the reason, if they are fewer than requested

  EventCounts counts() const;
  CertifiedRuns of_seeding(bool keyed) const;    // the runs of one seeding; it has only `runs`
  std::array<std::int64_t, 2> failures() const;  // P's, Q's
};

// Makes 2 x plan.samples of the pair's runs, after those on which event.bets have bet already. Before the first and
// after every few hundred, `enough` may end them.
CertifiedRuns play_certified(const PlayedSubject& subject, const BlackBoxPlan& plan,
                             Candidate candidate, const CertifiedEvent& event,
                             const RunControl& control,
                             const std::function<bool(const CertifiedRuns&)>& enough);

// The runs that event.bets have stored, as certified runs.
CertifiedRuns certified_before(const PlayedSubject& subject, const BlackBoxPlan& plan,
                               Candidate candidate, const CertifiedEvent& event);

// Makes some of the runs, which[0], which[1], ..., once more, in a fresh instance.
Result<CertifiedRuns> play_again(const PlayedSubject& subject, const BlackBoxPlan& plan,
                                 Candidate candidate, const CertifiedEvent& event,
                                 const CertifiedRuns& runs, std::span<const std::int64_t> which,
                                 const RunControl& control);

// The level for the runs of one seeding; docs/decisions/black-box.md has the cost.
inline constexpr double kSeedingAlpha = 0.05;

// The requirements of a bound, for an event that was seen with probabilities p and q.
struct BoundPlan {
  bool gaussian = false;  // mu, not eps at delta
  Delta delta{0.0};
  double p = 0.0, q = 0.0;
  std::int64_t samples = 1;  // on each input
  double alpha = 1e-3;
  double online_share = 0.1;
  const ClassCounts* classes = nullptr;  // of the score, if it has more than one: for weighted bets
  bool divided = false;                  // between two seedings
  double seeding_alpha = kSeedingAlpha;  // then

  SideClaim claim(double level) const;
  // The plan for the event alone, with its part of alpha.
  SideBettingPlan bets() const;
  BoundPlan of_one_seeding() const;
};

// Bets against one level: on the event, and on weighted classes of the score, each with a part of alpha.
// Either suffices.
class LevelBets {
 public:
  LevelBets(const BoundPlan& plan, double level);
  void observe(SidePlay play) {
    event_.observe(play);
    if (classes_) classes_->observe(play);
  }
  bool certified() const { return event_.certified() || (classes_ && classes_->certified()); }

 private:
  SideBettingTest event_;
  std::optional<SideBettingTest> classes_;
};

// The same by all runs and, if they are divided, by those of each seeding; all three must refute.
class LevelTest {
 public:
  LevelTest(const BoundPlan& plan, double level);
  void observe(SidePlay play) {
    all_.observe(play);
    if (!of_.empty()) of_[play.keyed ? 1 : 0].observe(play);
  }
  bool certified() const { return certified_by_all() && certified_by(false) && certified_by(true); }
  bool certified_by_all() const { return all_.certified(); }
  bool certified_by(bool keyed) const { return of_.empty() || of_[keyed ? 1 : 0].certified(); }

 private:
  LevelBets all_;
  std::vector<LevelBets> of_;  // without a key, with one; or none
};

// Whether these runs, in their order, certify that the leak exceeds the level.
bool is_certified(const BoundPlan& plan, double level, std::span<const SidePlay> runs);

// Levels to certify one after the other, increasing and positive, up to the best that `samples` runs can show.
std::vector<double> levels_of(const BoundPlan& plan);

// The largest of the levels that is certified with all before it; 0 for none.
double certified_level(const BoundPlan& plan, std::span<const double> levels,
                       std::span<const SidePlay> runs);

}  // namespace assay
