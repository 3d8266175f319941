// The cases of private dueling bandits: verdicts, what is said of the setting, inputs and errors.
#include "assay/auditors/dueling/dueling_cases.hpp"

#include <tuple>

#include "assay/auditors/dueling/dueling_inputs.hpp"
#include "assay/tests/support/case_audits.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const EvidencedBound& upper_epsilon(const AuditReport& report) {
  return find_quantity(report.evidence.quantities, QuantityKind::kEpsilonAtDelta, 1e-6)->upper;
}

TEST(DuelingCases, DpEbsIsVerifiedForAllPairsAndSaysHowMuchIsSpent) {
  auto request = request_of({{"arms", "4"}, {"horizon", "200"}, {"epsilon", "1"}});
  request.samples = 200;
  request.search = 1;
  auto report = audit("dp-ebs", request).value();
  EXPECT_EQ(report.verdict, Verdict::kVerified);
  EXPECT_EQ(report.scope, Scope::kAllPairs);
  EXPECT_EQ(report.evidence.method, "release");
  // 13 of the 15 nodes that the policy counts; the paper's tree budget is 32 nodes' worth.
  EXPECT_NEAR(upper_epsilon(report).value, 13.0 / 15.0, 1e-12);
  EXPECT_THAT(report.notes, Each(HasSubstr("of eps = 1, 0.866667 is spent: at most 13 nodes")));
  request.parameters.push_back({"calibration", "paper"});
  report = audit("dp-ebs", request).value();
  EXPECT_NEAR(upper_epsilon(report).value, 13.0 / 32.0, 1e-12);
  request.claim = "eps=13/32+1e-9";
  EXPECT_EQ(audit("dp-ebs", request).value().scope, Scope::kAllPairs);
}

// By enumeration: all rivals, and all that may leave after each round.
std::int64_t most_entries(std::int64_t arms, std::int64_t rounds) {
  using Counts = std::vector<std::int64_t>;
  using State = std::tuple<std::vector<int>, Counts, Counts>;  // active, duels, entries
  const auto place = [&](int i, int j) { return static_cast<std::size_t>(i * arms + j); };
  std::vector<int> all;
  for (int arm = 0; arm < arms; ++arm) all.push_back(arm);
  std::set<State> states{{all, Counts(static_cast<std::size_t>(arms * arms), 0),
                          Counts(static_cast<std::size_t>(arms), 0)}};
  std::int64_t most = 0;
  for (std::int64_t t = 0; t < rounds; ++t) {
    std::set<State> next;
    for (const auto& [active, duels, entries] : states) {
      int a = active[0];
      std::int64_t least = -1;
      for (const int i : active) {
        std::int64_t plays = 0;
        for (const int j : active) plays += duels[place(i, j)];
        if (least < 0 || plays < least) {
          least = plays;
          a = i;
        }
      }
      for (const int b : active) {
        auto duelled = duels;
        ++duelled[place(a, b)];
        auto fed = entries;
        most = std::max(most, ++fed[static_cast<std::size_t>(a)]);
        for (unsigned stay = 1; stay < 1U << active.size(); ++stay) {
          std::vector<int> left;
          for (std::size_t i = 0; i < active.size(); ++i) {
            if (((stay >> i) & 1U) != 0) left.push_back(active[i]);
          }
          if (left.size() < 2) continue;
          auto more = fed;
          for (const int j : left) {
            auto& count = more[static_cast<std::size_t>(j)];
            count += static_cast<std::int64_t>(active.size() - left.size());
            most = std::max(most, count);
          }
          next.emplace(left, duelled, more);
        }
      }
    }
    states = std::move(next);
  }
  return most;
}

TEST(DuelingCases, NoCounterGetsMoreEntriesThanTheProofSays) {
  for (std::int64_t rounds = 1; rounds <= 10; ++rounds) {
    EXPECT_EQ(most_entries(2, rounds), detail::longest_counter_read(2, rounds + 1)) << rounds;
  }
  for (std::int64_t rounds = 1; rounds <= 6; ++rounds) {
    EXPECT_EQ(most_entries(3, rounds), detail::longest_counter_read(3, rounds + 1)) << rounds;
  }
  for (std::int64_t rounds = 1; rounds <= 3; ++rounds) {
    EXPECT_LE(most_entries(4, rounds), detail::longest_counter_read(4, rounds + 1)) << rounds;
  }
  EXPECT_EQ(detail::longest_counter_read(4, 200), 103);
  EXPECT_EQ(detail::nodes_moved_and_read(4, 200), 13);
  EXPECT_EQ(detail::nodes_moved_and_read(2, 1), 0);
}

TEST(DuelingCases, GOptimalSaysItsDesignAndItsPhases) {
  const TemporaryFolder folder;
  const auto items = folder.write("arms.csv", "1,0\n0,1\n0.6,0.8\n");
  auto request = request_of({{"feature_file", items}, {"epsilon", "1"}});
  request.samples = 100;
  auto report = audit("gopt-dpdb", request).value();
  EXPECT_EQ(report.scope, Scope::kAllPairs);
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_THAT(report.notes[0], HasSubstr("design of phase 1: 3 of 3 pairs of items, certificate"));
  EXPECT_THAT(report.notes[1], HasSubstr("no outcome is ever read"));
  EXPECT_EQ(upper_epsilon(report).value, 0.0);
  EXPECT_THAT(report.reproduce, HasSubstr("feature_file=" + items));
  request.parameters.insert(request.parameters.end(),
                            {{"phase_scale", "1e-4"}, {"noise", "proof"}});
  request.input = AuditInput::of(
      "pair", "", reversed_round(dueling_base({.arms = 3, .horizon = 1000, .turn = 1}), 3, 0));
  report = audit("gopt-dpdb", request).value();
  EXPECT_EQ(report.notes[1], "phase 1 takes 81 rounds of 1,000");
  EXPECT_NEAR(upper_epsilon(report).value, 1.0 / std::log(1000.0), 1e-12);
  request.claim = "eps=epsilon/log(T)+1e-9";
  EXPECT_EQ(audit("gopt-dpdb", request).value().scope, Scope::kAllPairs);
}

TEST(DuelingCases, DuelsOfGOptimalShowMuchOfTheirLevel) {
  auto request = request_of(
      {{"arms", "3"}, {"horizon", "40"}, {"epsilon", "3"}, {"phase_scale", "1e-5"}}, "eps=1");
  request.samples = 500;
  const auto base = dueling_base({.arms = 3, .horizon = 40, .turn = 1});
  request.input = AuditInput::of("pair", "", reversed_round(base, 3, 4));
  const auto report = audit("gopt-dpdb", request).value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  request.claim = "eps=3";
  EXPECT_EQ(audit("gopt-dpdb", request).value().scope, Scope::kAllPairs);
}

TEST(DuelingCases, WithoutNoiseAnyClaimIsViolatedAndOneIsNeeded) {
  auto request = request_of({{"horizon", "400"}}, "eps=3");
  request.samples = 4000;
  request.search = 3;
  EXPECT_EQ(audit("ebs-non-private", request).value().verdict, Verdict::kViolated);
  EXPECT_THAT(audit("ebs-non-private", request_of({})), IsRefused("promises no privacy"));
}

TEST(DuelingCases, TheLocalModelKeepsItsLevelAndShowsSomeOfIt) {
  auto request = request_of({{"horizon", "400"}, {"epsilon", "3"}, {"delta", "0.5"}}, "eps=0.01");
  request.samples = 20'000;
  request.search = 2;
  const auto report = audit("ebs-local", request).value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  EXPECT_LE(upper_epsilon(report).value, 3.0);
  EXPECT_GT(report.evidence.quantities.back().lower.value, 1.0);
  request.claim = "eps=epsilon";
  EXPECT_EQ(audit("ebs-local", request).value().scope, Scope::kAllPairs);
}

TEST(DuelingCases, SearchScoresRandomPairsBesideTheList) {
  auto request = request_of({{"horizon", "40"}, {"epsilon", "3"}}, "eps=0.1");
  request.search = 26;
  request.samples = 64;
  const auto report = audit("ebs-local", request).value();
  EXPECT_THAT(report.pair.found_by, HasSubstr("known to be hard and "));
  EXPECT_THAT(report.pair.found_by, HasSubstr(" random ones"));
  EXPECT_THAT(report.reproduce, HasSubstr("--search 26"));
  RunControl two{.threads = 2};
  EXPECT_EQ(audit("ebs-local", request, two).value().reproduce, report.reproduce);
  EXPECT_EQ(audit("ebs-local", request, two).value().pair.inputs, report.pair.inputs);
}

TEST(DuelingCases, RandomPairsAreTournamentsThatDifferInOneRound) {
  for (const std::int64_t arms : {2, 5}) {
    const InputShape shape{.kind = InputKind::kDueling, .arms = arms, .horizon = 40};
    const DuelingPairs plan{.arms = arms, .horizon = 40, .rounds = [](const auto&) {
                              return std::vector<std::int64_t>{0, 39};
                            }};
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const auto pair = random_dueling_pair(plan, nullptr, ReplayStream({.seed = seed}));
      EXPECT_TRUE(check_input(shape, pair.base_input()));
      EXPECT_TRUE(check_input(shape, pair.neighbour_input()));
      EXPECT_GT(pair.differing(), 0);
      const auto beside = random_dueling_pair(plan, pair.base(), ReplayStream({.seed = seed}));
      EXPECT_EQ(beside.base(), pair.base());
    }
  }
}

TEST(DuelingCases, SequencesAreReadFromFiles) {
  auto request = request_of({{"arms", "2"}, {"horizon", "4"}});
  request.samples = 64;
  const auto base = dueling_base({.arms = 2, .horizon = 4, .turn = 2});
  request.input = AuditInput::of("rounds", "", InputPair(base, {}));
  const auto report = audit("dp-ebs", request).value();
  EXPECT_EQ(report.pair.found_by, "the one pair beside --input");
  EXPECT_EQ(report.pair.inputs.base()->values, base->values);
  request.parameters[1].value = "5";
  EXPECT_THAT(audit("dp-ebs", request), IsRefused("has 4 rows of 4 outcomes, but horizon is 5"));
}

TEST(DuelingCases, SizesAreRefusedByName) {
  const auto refusal = [](std::string_view id, std::vector<KeyValue> parameters) {
    return audit(id, request_of(std::move(parameters))).error().message;
  };
  for (const char* id : {"dp-ebs", "gopt-dpdb", "ebs-local", "ebs-non-private"}) {
    EXPECT_THAT(refusal(id, {{"arms", "100"}, {"horizon", "1000"}}),
                HasSubstr("arms 100 and horizon 1000 make an input of 1000 rows of 10000"));
    EXPECT_THAT(refusal(id, {{"arms", "1"}}), HasSubstr("arms must be 2 to "));
    EXPECT_THAT(refusal(id, {{"rounds", "3"}}), HasSubstr("rounds"));
  }
  EXPECT_THAT(refusal("dp-ebs", {{"epsilon", "0"}}), HasSubstr("epsilon must be 1e-06 to 500"));
}

TEST(DuelingCases, EventsCountTheDuelsAsWell) {
  auto request =
      request_of({{"arms", "2"}, {"horizon", "260"}, {"delta", "0.5"}}, "eps=0.1", Method::kEvents);
  request.samples = 12000;
  EXPECT_EQ(audit("ebs-non-private", request).value().verdict, Verdict::kViolated);
}

TEST(DuelingCases, AnInterruptedAuditReportsWhatItHas) {
  expect_interrupted_audit("ebs-local", request_of({}, "eps=0.01"));
}

}  // namespace
}  // namespace assay
