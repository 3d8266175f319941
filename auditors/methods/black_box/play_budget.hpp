// How many plays each part of a black-box audit gets, and what a play takes.
//
// One number decides: certified plays a side, S, or all plays, N. Of N, after what the checks take:
//                                   search   learning   certified
//     several candidates             0.30      0.28       0.42
//     one (a given pair)              -        0.40       0.60
// and of S the same proportions. What a search that ends early leaves over goes to certification,
// where all is given by N: then as many plays are certified as the event seems to need, at most what is
// left. All of this is fixed before the first certified play.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "assay/auditors/methods/black_box/half_lines.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

inline constexpr std::int64_t kDefaultBudget = 40'000;  // plays, of an outside target
inline constexpr std::int64_t kFewestInAll = 1'000;
inline constexpr std::int64_t kFewestCertified = 100;  // a side
inline constexpr std::size_t kMostRefined = 8;         // pairs around the best

// Plays of both sides together, but for `samples`.
struct PlayBudget {
  std::int64_t samples = 0;  // certified, a side
  std::int64_t search = 0;
  std::int64_t learning = 0;
  std::int64_t least_learning = 0;  // where the search has settled
};

// all: N, less what was played before; samples: S. One of them at least; where both are given, S is
// certified and N - 2 S is searched and learnt from. Errors: N too small for S.
Result<PlayBudget> divide_plays(std::optional<std::int64_t> all,
                                std::optional<std::int64_t> samples, std::size_t candidates);

// What checks may take of a budget (play_checks.hpp).
inline constexpr std::int64_t kCheckPlays = 17 * 16 + 128;
inline constexpr std::int64_t kKeyPlays = 16;  // more, of a target that takes keys

// The loss of log((p - delta)/q) at `alpha` from `runs` plays of each side; see pair_search.cpp.
double independent_width(double p, double q, double delta, double alpha, std::int64_t runs);

// The same of Phi^-1(p) - Phi^-1(q).
double independent_width_of_mu(double p, double q, double alpha, std::int64_t runs);

// Certified plays a side that an event which speaks clearly against the claim needs for a bound within a
// fifth of its own level, and half way to the claim; at most `most`, and at least a thousand if that many.
std::int64_t samples_needed(const SelectedEvent& event, double delta, double claim, double alpha,
                            std::int64_t most);

// N for the time that is left, from a few plays of `input`: seconds_to_start of an instance counts as
// often as one is started. Errors: the target's.
struct Paced {
  std::int64_t plays = 0;   // N
  std::int64_t played = 0;  // to find out
  double seconds = 0.0;     // of one play
};
Result<Paced> plays_for_time(Players& players, const InputTable& input, std::uint64_t seed,
                             double seconds_to_start, const RunControl& control);

}  // namespace assay
