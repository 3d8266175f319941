// The certified plays of a black-box audit, and what they prove by one event and the classes of its score.
//
// Every certified play is one message of one seed. Its side is a fair coin drawn from the audit's seed
// apart from everything else, and the target learns it as the message goes out: nothing is sent before
// the answer to the play before has come. So at each play the side is independent of all that was played
// before, whatever the target keeps of it, and side_betting.hpp applies: its bounds refute
//     every play is (eps, delta)-DP given all plays before it                                (1)
// for any target: one that drifts, remembers inputs and outputs, or answers late. Seeds are drawn
// alike for both sides.
//
// Plays go out in groups of consecutive ones, a group to an instance of the target. With several
// instances (1) is read for each of them: instances that tell each other what they were sent are
// beyond the theorem, and one thread needs no such trust. Plays are counted up to the first that is
// missing, which is a stopping time like any other. A run that fails is not missing: its output is one more
// symbol, and it is never asked for again.
//
// Where the target takes keys, runs are divided between two seedings, by a coin of their own: without a key
// the target makes its generators of the seed, with one it fills them from the key, by other code. A level is
// then certified only if the bets on all runs certify it, with their alpha, and the bets on the runs of either
// seeding alone do, with kSeedingAlpha: a fault of one seeding (two generators that are one stream) convicts a
// private target with at most that probability. Extra conditions only take certificates away, so alpha stays.
//
// Bounds: levels fixed before the first certified play, dense around what was predicted; the largest one
// certified with all before it (an error certifies the first level at or above the truth).
// Cost: a round trip a play; a few ns a play and level.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/statistics/side_betting.hpp"

namespace assay {

// The event and what it is an event of.
struct CertifiedEvent {
  const OutputScore* score = nullptr;
  SelectedEvent event;
  std::span<const std::int64_t> class_cuts = {};  // half_lines.hpp
};

struct CertifiedPlays {
  std::vector<SidePlay> plays;         // on_p: on the side that the event is likelier on
  std::vector<double> scores;          // of the outputs
  std::vector<std::uint64_t> digests;  // of the outputs
  std::vector<std::uint8_t> failed;    // whether the run did
  std::string failure;                 // what the first of these did
  std::optional<Error> error;          // where they are fewer than asked for

  EventCounts counts() const;
  CertifiedPlays of_seeding(bool keyed) const;   // `plays` alone
  std::array<std::int64_t, 2> failures() const;  // P's, Q's
};

// Equal for outputs that are equal number by number.
std::uint64_t digest_of(std::span<const double> output);

// Whether certified runs of it are divided between two seedings.
bool is_divided(const PlayedSubject& subject);

// The coin of certified play i: is it on the new input?
bool is_on_new(const BlackBoxPlan& plan, Candidate candidate, std::int64_t i);

// 2 x plan.samples plays. Before the first and after each few hundred of them, `enough` may end it.
CertifiedPlays play_certified(const PlayedSubject& subject, const BlackBoxPlan& plan,
                              Candidate candidate, const CertifiedEvent& event,
                              const RunControl& control,
                              const std::function<bool(const CertifiedPlays&)>& enough);

// Plays i, in order, once more, in an instance of their own.
Result<CertifiedPlays> play_again(const PlayedSubject& subject, const BlackBoxPlan& plan,
                                  Candidate candidate, const CertifiedEvent& event,
                                  std::span<const std::int64_t> which);

// For the runs of one seeding. docs/decisions/black-box.md says what it costs.
inline constexpr double kSeedingAlpha = 0.05;

// What a bound asks of an event that was seen with probabilities p and q.
struct BoundPlan {
  bool gaussian = false;  // mu, not eps at delta
  Delta delta{0.0};
  double p = 0.0, q = 0.0;
  std::int64_t samples = 1;  // a side
  double alpha = 1e-3;
  double online_share = 0.1;
  const ClassCounts* classes = nullptr;  // of the score, if it has more than one: weighed as well
  bool divided = false;                  // between two seedings

  SideClaim claim(double level) const;
  // On the event alone, with its part of alpha.
  SideBettingPlan bets() const;
  BoundPlan of_one_seeding() const;
};

// Against one level: bets on the event, and on weighed classes of the score, each with a part of alpha.
// Either is enough.
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

// The same by all runs and, where they are divided, by those of either seeding: all three are needed.
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

// Is the level refuted by these plays, looked at in order?
bool is_certified(const BoundPlan& plan, double level, std::span<const SidePlay> plays);

// Levels to certify in a row, increasing and positive, up to what `samples` plays can show at best.
std::vector<double> levels_of(const BoundPlan& plan);

// The largest of the levels that is certified with all before it; 0 for none.
double certified_level(const BoundPlan& plan, std::span<const double> levels,
                       std::span<const SidePlay> plays);

}  // namespace assay
