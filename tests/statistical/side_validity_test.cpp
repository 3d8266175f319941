// Targets that drift, remember and answer late must not be convicted more often than alpha says: of
// eps = 0 where they never read the input of a play in that play, of their own eps where they are
// exactly at it.
#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

// What a program knows: everything that it was sent and answered before.
struct Memory {
  double runs = 0.0;
  double last_input = 0.0;
  double walk = 0.5;
  double sum_of_inputs = 0.0;
  double hits_on[2] = {0.0, 0.0};
};

// The probability of a 1, given what it knows; `leak` times as much on input 1 (the old one).
using Rate = std::function<double(Memory&, ReplayStream&)>;

struct Program {
  const char* name;
  double epsilon;  // exactly its level, given all plays before
  Rate rate;       // on the new input, at most e^-epsilon
  bool stops = false;
};

double ahead(const Memory& m, double slope) { return m.hits_on[1] - slope * m.hits_on[0]; }

const Program kPrograms[] = {
    {"blocks of 1024", 0.0,
     [](Memory& m, ReplayStream&) { return std::fmod(std::floor(m.runs / 1024.0), 2.0); }},
    {"blocks of 7", 0.0,
     [](Memory& m, ReplayStream&) { return std::fmod(std::floor(m.runs / 7.0), 2.0); }},
    {"slow sine", 0.0,
     [](Memory& m, ReplayStream&) { return 0.5 + 0.49 * std::sin(m.runs / 300.0); }},
    {"linear trend", 0.0, [](Memory& m, ReplayStream&) { return std::min(1.0, m.runs / 2000.0); }},
    {"random walk", 0.0,
     [](Memory& m, ReplayStream& random) {
       return m.walk = std::clamp(m.walk + 0.1 * (random.uniform() - 0.5), 0.0, 1.0);
     }},
    {"alternating", 0.0, [](Memory& m, ReplayStream&) { return std::fmod(m.runs, 2.0); }},
    {"stops when ahead", 0.0,
     [](Memory& m, ReplayStream&) { return ahead(m, 1.0) > 0.0 ? 0.0 : 1.0; }},
    {"bold when behind", 0.0,
     [](Memory& m, ReplayStream&) { return ahead(m, 1.0) > 12.0 ? 0.0 : 0.5; }},
    {"hits where the last input was old", 0.0,
     [](Memory& m, ReplayStream&) { return m.last_input; }},
    {"bets on the side that is due", 0.0,
     [](Memory& m, ReplayStream&) { return m.sum_of_inputs < 0.5 * m.runs ? 1.0 : 0.1; }},
    {"randomised response that drifts", 1.0,
     [](Memory& m, ReplayStream&) {
       return std::exp(-1.0) * (0.5 + 0.5 * std::sin(m.runs / 100.0));
     }},
    {"randomised response on a random walk", 1.0,
     [](Memory& m, ReplayStream& random) {
       m.walk = std::clamp(m.walk + 0.2 * (random.uniform() - 0.5), 0.0, 1.0);
       return std::exp(-1.0) * m.walk;
     }},
    {"randomised response that is bold when behind", 1.0,
     [](Memory& m, ReplayStream&) { return ahead(m, std::exp(1.0)) > 5.0 ? 0.0 : std::exp(-1.0); },
     true},
};

// A mechanism of one value and one number.
FunctionTarget program_target(const Program& program) {
  InputShape shape{.kind = InputKind::kMechanism};
  auto memory = std::make_shared<Memory>();
  const double leak = std::exp(program.epsilon);
  return {shape, [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const bool old = input.values[0] == 1.0;
            const double rate = program.rate(*memory, random);
            const bool hit = random.uniform() < (old ? leak * rate : rate);
            memory->runs += 1.0;
            memory->last_input = input.values[0];
            memory->sum_of_inputs += input.values[0];
            memory->hits_on[old ? 1 : 0] += hit ? 1.0 : 0.0;
            out.push_back(hit ? 1.0 : 0.0);
          }};
}

class Value final : public OutputScore {
 public:
  std::string name() const override { return "value"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(std::span<const double> output) const override { return output[0]; }
};

// The output is 1, which is likelier on the old input.
CertifiedEvent one_is_out(const OutputScore& score) {
  SelectedEvent event{.event = {score_rank(0.5), score_rank(HUGE_VAL), true}};
  event.p = event.q = 0.5;
  return {&score, event};
}

BlackBoxPlan side_plan(std::int64_t samples, std::uint64_t seed) {
  BlackBoxPlan plan{{.seed = seed}, samples};
  plan.pairs = {pair_of({1, 1, {1.0}}, {1, 1, {0.0}}).value()};
  return plan;
}

constexpr std::array kOnlineShares = {0.1, 0.5};

// By either share, of the same plays.
std::array<bool, 2> convicts(FunctionTarget target, double epsilon, std::int64_t samples,
                             std::uint64_t seed) {
  auto players = Players::create(std::make_unique<FunctionTarget>(std::move(target)), 1).value();
  const Value value;
  const BlackBoxPlan plan = side_plan(samples, seed);
  const auto certified = play_certified({&players, true, PureDp{Epsilon{epsilon}}}, plan, {},
                                        one_is_out(value), {}, {});
  BoundPlan bound{false, Delta{0.0}, 0.3, 0.3, samples, kAuditAlpha, 0.0, nullptr};
  std::array<bool, 2> convicted{};
  for (std::size_t i = 0; i < kOnlineShares.size(); ++i) {
    bound.online_share = kOnlineShares[i];
    convicted[i] = is_certified(bound, epsilon, certified.runs);
  }
  return convicted;
}

TEST(SideValidity, TargetsThatDriftRememberOrAnswerLateAreConvictedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(2000);
  constexpr std::int64_t kSamples = 1100;  // beyond a block of 1024
  constexpr int kCells = 2 * static_cast<int>(std::size(kPrograms));
  for (const Program& program : kPrograms) {
    std::array<int, 2> convicted{};
    for (int run = 0; run < runs; ++run) {
      const auto by = convicts(program_target(program), program.epsilon, kSamples,
                               static_cast<std::uint64_t>(run));
      for (std::size_t i = 0; i < by.size(); ++i) convicted[i] += by[i] ? 1 : 0;
    }
    for (std::size_t i = 0; i < convicted.size(); ++i) {
      EXPECT_LE(convicted[i], binomial_limit(runs, kAuditAlpha, kCells))
          << program.name << " " << kOnlineShares[i];
    }
  }
}

// The test above can fail: these leak more than is claimed of them. (The one that stops hitting once it
// is ahead leaves little to be convicted by.)
TEST(SideValidity, TheSameTargetsAreConvictedOfLess) {
  const int runs = 200;
  for (const Program& program : kPrograms) {
    if (program.epsilon == 0.0 || program.stops) continue;
    const int convicted = count_runs(runs, [&](std::uint64_t run) {
      return convicts(program_target(program), program.epsilon - 0.6, 1100, run)[0];
    });
    EXPECT_GE(convicted, runs * 9 / 10) << program.name;
  }
}

// An event that leaks mu exactly, as often as the interval of its chord allows, is given up at most as often as
// the futility of --stop-when-decided says.
TEST(SideValidity, FutilityOfAClaimInMuErrsAtMostAsOftenAsItSays) {
  const int runs = 1000;
  constexpr double kMu = 0.9, kError = 0.1, kLow = 0.28, kHigh = 0.36;
  const SideClaim chord = SideClaim::gaussian_from_below(Mu{kMu}, kLow, kHigh);
  const auto h = detail::ClaimBoundary::gaussian(kMu);
  const auto gives_up = [&](double p, double q, std::uint64_t run) {
    ReplayStream random({run, hash_purpose("futility"), 0, 0});
    SideBettingTest test(chord, {kError, 8000, 1.0, p, q, true});
    for (int i = 0; i < 8000 && !test.certified(); ++i) {
      const bool on_p = random.uniform() < 0.5;
      test.observe({on_p, random.uniform() < (on_p ? p : q)});
    }
    return test.certified();
  };
  for (const double q : {kLow, 0.32, kHigh}) {
    EXPECT_LE(chord.slope * q + chord.offset, h(q));
    const int wrong = count_runs(runs, [&](std::uint64_t run) { return gives_up(h(q), q, run); });
    const int right =
        count_runs(runs, [&](std::uint64_t run) { return gives_up(h(q) - 0.1, q, run); });
    EXPECT_LE(wrong, binomial_limit(runs, kError, 3)) << q;
    EXPECT_GE(right, runs * 9 / 10) << q;
  }
}

// Four outputs, in every state at most e^epsilon times as likely on one side as on the other: of two of
// them one leaks each way by as much as it may, a rate says which two and how often they come.
struct FourOutputs {
  const char* name;
  // The pair that leaks, 0 or 1, and its probability, by plays so far and the lead of hits on the old side.
  std::function<std::pair<int, double>(double runs, double lead)> state;
};

const FourOutputs kFourOutputs[] = {
    {"steady",
     [](double, double) {
       return std::pair{0, 0.5};
     }},
    {"changes its pair",
     [](double runs, double) {
       return std::pair{std::fmod(runs, 600.0) < 300.0 ? 0 : 1, 0.8};
     }},
    {"fades",
     [](double runs, double) {
       return std::pair{0, 1.0 / (1.0 + runs / 200.0)};
     }},
    {"bold when behind",
     [](double, double lead) {
       return std::pair{0, lead > 5.0 ? 0.01 : 1.0};
     }},
    {"changes sides when ahead", [](double, double lead) {
       return std::pair{lead > 3.0 ? 1 : 0, 1.0};
     }}};

bool convicts_by_classes(const FourOutputs& program, double epsilon, double claim,
                         std::int64_t samples, std::uint64_t seed) {
  ReplayStream random({seed, hash_purpose("four outputs"), 0, 0});
  double played = 0.0, lead = 0.0;
  const auto play = [&](bool on_p) {
    const auto [pair, rate] = program.state(played, lead);
    const double likely = 1.0 / (1.0 + std::exp(-epsilon));
    const bool leaks = random.uniform() < rate;
    const bool second = random.uniform() < (leaks ? (on_p ? 1.0 - likely : likely) : 0.5);
    const int output = 2 * (leaks ? pair : 1 - pair) + (second ? 1 : 0);
    played += 1.0;
    if (leaks) lead += (second ? 0.0 : 1.0) * (on_p ? 1.0 : -std::exp(claim));
    return static_cast<std::uint8_t>(output);
  };
  ClassCounts learnt{std::vector<double>(4, 0.0), std::vector<double>(4, 0.0), 1.0};
  for (int i = 0; i < 200; ++i) {
    ++learnt.p[play(true)];
    ++learnt.q[play(false)];
  }
  const BoundPlan bound{false, Delta{0.0}, 0.3, 0.3, samples, kAuditAlpha, 0.1, &learnt};
  LevelTest test(bound, claim);
  for (std::int64_t i = 0; i < 2 * samples && !test.certified(); ++i) {
    const bool on_p = random.uniform() < 0.5;
    const std::uint8_t output = play(on_p);
    test.observe({on_p, output == 0, output});
  }
  return test.certified();
}

TEST(SideValidity, WeighedClassesConvictAtMostAsOftenAsAlphaSays) {
  const int runs = 1000;
  for (const auto& program : kFourOutputs) {
    for (const double epsilon : {0.5, 2.0}) {
      const int convicted = count_runs(runs, [&](std::uint64_t run) {
        return convicts_by_classes(program, epsilon, epsilon, 600, run);
      });
      EXPECT_LE(convicted, binomial_limit(runs, kAuditAlpha, 10)) << program.name << " " << epsilon;
    }
  }
}

TEST(SideValidity, WeighedClassesConvictOfLess) {
  const int runs = 100;
  const int convicted = count_runs(runs, [](std::uint64_t run) {
    return convicts_by_classes(kFourOutputs[0], 2.0, 1.4, 600, run);
  });
  EXPECT_GE(convicted, runs * 9 / 10);
}

}  // namespace
}  // namespace assay
