#include "assay/auditors/suite/witness.hpp"

#include <atomic>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using PlayOfSeed = std::function<std::vector<double>(const InputTable&, std::uint64_t seed)>;

// A target in this process, where `cuts` of any other horizon of at least that.
WitnessSubject witness_subject(const InputShape& shape, const PlayOfSeed& play, bool cuts,
                               std::int64_t least = 1) {
  WitnessSubject subject{.shape = shape};
  subject.play = [play](const InputPair& pair, Side side,
                        std::uint64_t seed) -> Result<std::vector<double>> {
    return play(side == Side::kBase ? pair.base_input() : pair.neighbour_input(), seed);
  };
  subject.check = [shape](const InputPair& pair) -> Status {
    ASSAY_TRY(check_input(shape, pair.base_input()));
    return check_input(shape, pair.neighbour_input());
  };
  if (!cuts) return subject;
  subject.of_horizon = [shape, play, least](std::int64_t horizon) -> Result<WitnessSubject> {
    if (horizon < least) return fail(ErrorCode::kTarget, "too short");
    InputShape other = shape;
    other.horizon = horizon;
    return witness_subject(other, play, true, least);
  };
  return subject;
}

// Plays 1 from the round on after which the rewards seen sum to more than `threshold`.
PlayOfSeed counts_to(double threshold) {
  return [threshold](const InputTable& input, std::uint64_t) {
    std::vector<double> actions;
    double sum = 0.0;
    for (const double reward : input.values) {
      actions.push_back(sum > threshold ? 1.0 : 0.0);
      sum += reward;
    }
    return actions;
  };
}

// One round in eight, by the seed's bits, says whether the rewards before it sum to an odd number.
std::vector<double> tell_parity(const InputTable& input, std::uint64_t seed) {
  ReplayStream random({seed, 1});
  std::vector<double> actions;
  double sum = 0.0;
  for (const double reward : input.values) {
    const bool tells = random.uniform() < 0.125;
    actions.push_back(tells ? std::fmod(std::floor(sum), 2.0) : 0.0);
    sum += reward;
  }
  return actions;
}

InputPair numbers_pair(std::int64_t horizon, std::int64_t row, double before, double after,
                       double others) {
  std::vector<double> values(static_cast<std::size_t>(horizon), others);
  values[static_cast<std::size_t>(row)] = before;
  return InputPair::of(InputTable::column(std::move(values)), {row, {after}});
}

Witness found_witness(const WitnessSubject& subject, const InputPair& pair, WitnessPlan plan = {}) {
  auto finding = find_witness(subject, pair, plan, {});
  EXPECT_TRUE(finding.witness) << finding.why_none;
  return finding.witness.value();
}

std::optional<std::int64_t> part_at(const WitnessSubject& subject, const InputPair& pair,
                                    std::uint64_t seed) {
  if (pair.differing() == 0 || !subject.check(pair)) return {};
  return parting_round(subject.shape, pair.changed_row(),
                       subject.play(pair, Side::kBase, seed).value(),
                       subject.play(pair, Side::kNeighbour, seed).value());
}

InputPair without_row(const InputPair& pair, std::int64_t gone) {
  InputTable table{pair.base_input().rows - 1, pair.base_input().columns, {}};
  for (std::int64_t r = 0; r < pair.base_input().rows; ++r) {
    const auto row = pair.base_input().row(r);
    if (r != gone) table.values.insert(table.values.end(), row.begin(), row.end());
  }
  const std::int64_t changed = pair.changed_row() - (gone < pair.changed_row() ? 1 : 0);
  return InputPair::of(std::move(table), {changed, pair.edit().values});
}

// By trying every single step, in other words than the search's.
void expect_minimal(const WitnessSubject& whole, const Witness& witness) {
  EXPECT_TRUE(witness.is_minimal);
  const auto subject = whole.of_horizon ? whole.of_horizon(witness.shape.horizon).value() : whole;
  const InputPair& pair = witness.pair;
  EXPECT_EQ(part_at(subject, pair, witness.seed), witness.round);
  const auto still_parts = [&](const WitnessSubject& of, const InputPair& other) {
    const auto round = part_at(of, other, witness.seed);
    return round && *round <= witness.round;
  };
  const auto& table = pair.base_input();
  for (std::int64_t r = 0; r < table.rows; ++r) {
    if (whole.of_horizon && r != pair.changed_row()) {
      const auto shorter = subject.of_horizon(table.rows - 1).value();
      EXPECT_FALSE(still_parts(shorter, without_row(pair, r))) << "row " << r << " can go";
    }
    for (std::int64_t c = 0; c < table.columns; ++c) {
      const auto at = static_cast<std::size_t>(c);
      InputTable other = table;
      auto edited = pair.edit().values;
      const bool differs = r == pair.changed_row() && other.row(r)[at] != edited[at];
      const double plain = differs ? edited[at] : 0.0;
      if (!differs && other.row(r)[at] == plain) continue;
      other.row(r)[at] = plain;
      if (!differs && r == pair.changed_row()) edited[at] = plain;
      EXPECT_FALSE(still_parts(subject, InputPair::of(other, {pair.changed_row(), edited})))
          << "number " << c << " of row " << r << " can be " << plain;
    }
  }
}

TEST(Witness, OfACounterIsTheShortestStreamThatReachesItsThreshold) {
  // Rewards of 1/4 reach 2 late; three rows of 1 and the change suffice.
  const auto subject =
      witness_subject(table_shape(InputKind::kBandit, 2, 40), counts_to(2.0), true);
  const auto witness = found_witness(subject, numbers_pair(40, 5, 0.0, 1.0, 0.25));
  EXPECT_EQ(witness.shape.horizon, witness.pair.base_input().rows);
  EXPECT_EQ(witness.round, 4);  // after three rewards
  EXPECT_EQ(witness.pair.base_input().rows, 4);
  expect_minimal(subject, witness);
}

TEST(Witness, OfAFixedHorizonHasPlainRowsInPlaceOfFewer) {
  const auto subject =
      witness_subject(table_shape(InputKind::kBandit, 2, 30), counts_to(3.5), false);
  const auto witness = found_witness(subject, numbers_pair(30, 3, 1.0, 0.0, 1.0));
  EXPECT_EQ(witness.pair.base_input().rows, 30);
  EXPECT_EQ(witness.round, 3 + 2);  // the round after the change
  double sum = 0.0;
  for (const double value : witness.pair.base_input().values) sum += value;
  EXPECT_EQ(sum, 4.0);  // the change and the three rewards before it
  expect_minimal(subject, witness);
}

TEST(Witness, TakesASeedWhoseRunsPartFirst) {
  const auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 20), tell_parity, true);
  const auto pair = numbers_pair(20, 4, 0.0, 1.0, 1.0);
  const auto witness = found_witness(subject, pair);
  EXPECT_EQ(part_at(subject, pair, witness.seed), 4 + 2);
  EXPECT_LE(witness.round, 4 + 2);
  EXPECT_EQ(witness.base_output[static_cast<std::size_t>(witness.round - 1)], 0.0);
  EXPECT_EQ(witness.neighbour_output[static_cast<std::size_t>(witness.round - 1)], 1.0);
  expect_minimal(subject, witness);
}

// Rows 2 and 3 show it early, row 7 alone late.
TEST(Witness, TakesNoStepAfterWhichTheRunsPartLater) {
  const PlayOfSeed play = [](const InputTable& input, std::uint64_t) {
    std::vector<double> actions;
    for (std::size_t t = 0; t < input.values.size(); ++t) {
      const auto seen = [&](std::size_t row) { return row < t && input.values[row] == 1.0; };
      actions.push_back(seen(0) && ((seen(1) && seen(2)) || seen(6)) ? 1.0 : 0.0);
    }
    return actions;
  };
  const auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 9), play, false);
  InputTable table = InputTable::column({0, 1, 1, 0, 0, 0, 1, 0, 0});
  const auto witness = found_witness(subject, InputPair::of(std::move(table), {0, {1.0}}));
  EXPECT_EQ(witness.round, 4);
  EXPECT_EQ(witness.pair.base_input().values, (std::vector<double>{0, 1, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(Witness, TakesNoStepThatLeavesTheRelation) {
  auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 3), counts_to(0.5), false);
  subject.check = [](const InputPair& pair) -> Status {
    if (pair.base_input().values[2] == 0.25) return {};
    return fail(ErrorCode::kInvalidArgument, "no neighbours");
  };
  const auto witness = found_witness(subject, numbers_pair(3, 0, 0.0, 1.0, 0.25));
  EXPECT_EQ(witness.pair.base_input().values, (std::vector<double>{0, 0, 0.25}));
}

TEST(Witness, IsAFunctionOfTheSeed) {
  const auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 20), tell_parity, true);
  const auto pair = numbers_pair(20, 4, 0.0, 1.0, 0.5);
  const auto first = found_witness(subject, pair, {.seed = 7});
  const auto again = found_witness(subject, pair, {.seed = 7});
  const auto other = found_witness(subject, pair, {.seed = 8});
  EXPECT_EQ(first.seed, again.seed);
  EXPECT_EQ(first.pair, again.pair);
  EXPECT_EQ(first.runs, again.runs);
  EXPECT_NE(first.seed, other.seed);
}

TEST(Witness, OfAHorizonThatIsNotPlayedKeepsTheNextOneThatIs) {
  const auto subject =
      witness_subject(table_shape(InputKind::kBandit, 2, 32), counts_to(0.5), true, 10);
  const auto witness = found_witness(subject, numbers_pair(32, 2, 1.0, 0.0, 0.0));
  EXPECT_EQ(witness.shape.horizon, 10);
  EXPECT_TRUE(witness.is_minimal);
}

// Leaves of every kind: who wins, who is best, what a context says.
double best_of(std::span<const double> row) {
  return static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin());
}
std::vector<double> copy_best(const InputTable& input, std::uint64_t) {
  std::vector<double> actions = {0.0};
  for (std::int64_t r = 0; r + 1 < input.rows; ++r) actions.push_back(best_of(input.row(r)));
  return actions;
}

TEST(Witness, InputsOfEveryKindStayNeighbours) {
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    SCOPED_TRACE(name);
    if (kind == InputKind::kMechanism) continue;
    InputShape shape = table_shape(kind, 3, 9);
    if (kind == InputKind::kContextual) shape.dimension = 2;
    const PlayOfSeed play = [kind = kind](const InputTable& input, std::uint64_t seed) {
      auto actions = copy_best(input, seed);
      if (kind == InputKind::kBandit) {
        for (std::size_t t = 1; t < actions.size(); ++t) actions[t] = input.values[t - 1] > 0.5;
      }
      if (kind == InputKind::kBestArm) actions.push_back(best_of(input.row(input.rows - 1)));
      if (kind != InputKind::kDueling) return actions;
      std::vector<double> duels;
      for (const double arm : actions) duels.insert(duels.end(), {0.0, std::min(arm, 2.0)});
      return duels;
    };
    const auto subject = witness_subject(shape, play, true);
    int parted = 0;
    for (const auto& pair : structural_pairs(shape, 12)) {
      const auto finding = find_witness(subject, pair, {}, {});
      if (!finding.witness) continue;
      ++parted;
      const auto& witness = *finding.witness;
      const auto after = subject.of_horizon(witness.shape.horizon).value();
      // check_input() of every row: tournaments are tournaments.
      EXPECT_TRUE(after.check(witness.pair));
      EXPECT_TRUE(pair_of(witness.pair.base_input(), witness.pair.neighbour_input()));
      EXPECT_EQ(witness.pair.base_input().rows, witness.shape.horizon);
      EXPECT_LE(witness.round, pair.changed_row() + 2);
      EXPECT_TRUE(witness.is_minimal);
      if (kind != InputKind::kDueling) expect_minimal(subject, witness);
    }
    EXPECT_GT(parted, 0);
  }
}

TEST(Witness, OfDuelsTurnsAsFewAsItTakes) {
  // Arm 2 is told of once it beats arm 0; the whole order turns at first.
  const PlayOfSeed play = [](const InputTable& input, std::uint64_t) {
    std::vector<double> duels;
    double seen = 0.0;
    for (std::int64_t r = 0; r < input.rows; ++r) {
      duels.insert(duels.end(), {0.0, seen});
      if (input.row(r)[2 * 3 + 0] == 1.0) seen = 2.0;
    }
    return duels;
  };
  const InputShape shape = table_shape(InputKind::kDueling, 3, 8);
  const std::vector<double> falling = {0, 1, 1, 0, 0, 1, 0, 0, 0};
  const std::vector<double> rising = {0, 0, 0, 1, 0, 0, 1, 1, 0};
  InputTable table{8, 9, {}};
  for (int r = 0; r < 8; ++r)
    table.values.insert(table.values.end(), falling.begin(), falling.end());
  const auto witness =
      found_witness(witness_subject(shape, play, true), InputPair::of(table, {3, rising}));
  EXPECT_EQ(witness.pair.differing(), 2);  // one duel, both ways
  EXPECT_EQ(witness.round, 2);
  EXPECT_EQ(input_text(witness.pair.base_input()), "0,1,1,0,0,1,0,0,0\n0,1,1,0,0,1,0,0,0\n");
  EXPECT_EQ(input_text(witness.pair.neighbour_input()), "0,1,0,0,0,1,1,0,0\n0,1,1,0,0,1,0,0,0\n");
  EXPECT_THAT(witness_text(witness), HasSubstr("round 2: 0 against 0 on D, "
                                               "0 against 2 on D'"));
}

TEST(Witness, OfAMechanismNamesTheNumberAndKeepsTheMove) {
  InputShape shape{.kind = InputKind::kMechanism, .inputs = 4, .outputs = 2};
  const auto subject = witness_subject(
      shape,
      [](const InputTable& input, std::uint64_t seed) {
        return std::vector<double>{static_cast<double>(seed), input.values[2]};
      },
      false);
  const auto witness = found_witness(subject, InputPair({5, 5, 5, 5}, {6, 5, 6, 5}));
  EXPECT_EQ(witness.round, 2);
  EXPECT_EQ(input_text(witness.pair.base_input()), "0,0,0,0\n");
  EXPECT_EQ(input_text(witness.pair.neighbour_input()), "0,0,1,0\n");
  EXPECT_THAT(witness_text(witness), HasSubstr("number 2: 0 on D, 1 on D'"));
}

// Where runs that may stop diverge: at an end, a number, the recommendation or an estimate.
TEST(Witness, NamesTheEndAndWhatIsTold) {
  const InputShape shape = telling_shape(InputKind::kBestArm, 2, 3, 2);
  const std::vector<double> base_told = {0, 0.5, 1, 0.5, 1, 2, 3};
  const std::map<std::vector<double>, std::string> texts = {
      {{0, 0.5, 1, 2, 3}, "diverge at round 2: 1, 0.5 on D, the end on D'"},
      {{0, 0.5, 1, 0.7, 1, 2, 3}, "diverge at round 2: 1, 0.5 on D, 1, 0.7 on D'"},
      {{0, 0.5, 1, 0.5, 0, 2, 3}, "diverge at the recommendation: 1 on D, 0 on D'"},
      {{0, 0.5, 1, 0.5, 1, 2, 4}, "diverge at estimate 2: 3 on D, 4 on D'"}};
  for (const auto& [neighbour_told, text] : texts) {
    const auto base_output = laid_out(shape, base_told).value();
    const auto neighbour_output = laid_out(shape, neighbour_told).value();
    const auto round = parting_round(shape, 0, base_output, neighbour_output);
    ASSERT_TRUE(round);
    const auto pair = structural_pairs(shape, 1).front();
    EXPECT_THAT(witness_text({shape, pair, 7, *round, base_output, neighbour_output, 0, false}),
                HasSubstr(text));
  }
  const auto output = laid_out(shape, base_told).value();
  EXPECT_FALSE(parting_round(shape, 0, output, output));
}

TEST(Witness, OfAContextualPolicyLeavesOutTheChangedRound) {
  InputShape shape = table_shape(InputKind::kContextual, 2, 5);
  // Plays what the round's own first context entry says: its user knows it.
  const PlayOfSeed own = [](const InputTable& input, std::uint64_t) {
    std::vector<double> actions;
    for (std::int64_t r = 0; r < input.rows; ++r) actions.push_back(input.row(r)[2] > 0.0);
    return actions;
  };
  const auto pair = structural_pairs(shape, 1).front();
  const auto finding = find_witness(witness_subject(shape, own, false), pair, {}, {});
  EXPECT_FALSE(finding.witness);
  EXPECT_THAT(finding.why_none, HasSubstr("are alike for each of 64 seeds"));
}

TEST(Witness, OfATargetThatLooksAheadSaysSo) {
  const PlayOfSeed ahead = [](const InputTable& input, std::uint64_t) {
    return std::vector<double>(input.values.size(), input.values.back() > 0.5 ? 1.0 : 0.0);
  };
  const auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 6), ahead, false);
  const auto witness = found_witness(subject, numbers_pair(6, 5, 0.0, 1.0, 0.0));
  EXPECT_EQ(witness.round, 1);
  EXPECT_THAT(witness_text(witness),
              HasSubstr("the inputs differ in round 6, which the target read early"));
  const auto causal =
      found_witness(witness_subject(table_shape(InputKind::kBandit, 2, 6), counts_to(0.5), false),
                    numbers_pair(6, 2, 0.0, 1.0, 0.0));
  EXPECT_THAT(witness_text(causal), ::testing::EndsWith("0 on D, 1 on D'"));
}

TEST(Witness, OfATargetThatIgnoresItsSeedsThereIsNone) {
  auto runs = std::make_shared<int>(0);
  const auto subject = witness_subject(
      table_shape(InputKind::kBandit, 2, 6),
      [runs](const InputTable& input, std::uint64_t) {
        ReplayStream random({static_cast<std::uint64_t>(++*runs), 1});
        std::vector<double> actions;
        for (std::size_t t = 0; t < input.values.size(); ++t) {
          actions.push_back(random.uniform() < 0.5 ? 0.0 : 1.0);
        }
        return actions;
      },
      true);
  const auto finding = find_witness(subject, numbers_pair(6, 2, 0.0, 1.0, 0.0), {}, {});
  EXPECT_FALSE(finding.witness);
  EXPECT_THAT(finding.why_none, HasSubstr("does not always answer the same seed in the same way"));
}

// Steady for the first plays: what is found is played once more.
TEST(Witness, OfATargetThatTurnsUnsteadyThereIsNone) {
  auto runs = std::make_shared<int>(0);
  const auto subject = witness_subject(
      table_shape(InputKind::kBandit, 2, 3),
      [runs](const InputTable& input, std::uint64_t) {
        const bool turned = ++*runs > 33;
        return std::vector<double>{0.0, input.values[0], turned ? *runs % 7 * 1.0 : 0.0};
      },
      false);
  const auto finding = find_witness(subject, numbers_pair(3, 0, 0.0, 1.0, 1.0), {}, {});
  EXPECT_FALSE(finding.witness);
  EXPECT_THAT(finding.why_none, HasSubstr("does not always answer the same seed in the same way"));
}

TEST(Witness, OfATargetThatFailsSaysWhatItDid) {
  auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 6), counts_to(0.5), false);
  subject.play = [](const InputPair&, Side, std::uint64_t) -> Result<std::vector<double>> {
    return fail(ErrorCode::kTarget, "message 1: the target ended with status 3");
  };
  const auto finding = find_witness(subject, numbers_pair(6, 2, 0.0, 1.0, 0.0), {}, {});
  EXPECT_FALSE(finding.witness);
  EXPECT_THAT(finding.why_none, HasSubstr("failed: message 1: the target ended with status 3"));
}

TEST(Witness, StaysWithinItsBudgetAndSaysThatItIsNotTheSmallest) {
  auto runs = std::make_shared<std::int64_t>(0);
  const auto play = [runs, count = counts_to(2.0)](const InputTable& input, std::uint64_t seed) {
    ++*runs;
    return count(input, seed);
  };
  const auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 200), play, false);
  const auto pair = numbers_pair(200, 150, 1.0, 0.0, 1.0 / 128.0);
  const auto witness = found_witness(subject, pair, {.runs = 60});
  EXPECT_FALSE(witness.is_minimal);
  EXPECT_LE(*runs, 60 + 3);  // those of one seed are played to their end
  EXPECT_EQ(witness.runs, *runs);
  EXPECT_EQ(part_at(subject, witness.pair, witness.seed), witness.round);
}

TEST(Witness, EndsWithWhatItHasWhenItIsInterrupted) {
  std::atomic<bool> cancel = false;
  auto runs = std::make_shared<std::int64_t>(0);
  std::int64_t stop_after = 70;
  const auto play = [&, count = counts_to(2.0)](const InputTable& input, std::uint64_t seed) {
    if (++*runs >= stop_after) cancel = true;
    return count(input, seed);
  };
  RunControl control{.cancel = &cancel};
  const auto subject = witness_subject(table_shape(InputKind::kBandit, 2, 200), play, true);
  const auto pair = numbers_pair(200, 150, 1.0, 0.0, 1.0 / 128.0);
  const auto finding = find_witness(subject, pair, {}, control);
  ASSERT_TRUE(finding.witness) << finding.why_none;
  EXPECT_FALSE(finding.witness->is_minimal);
  EXPECT_LE(*runs, stop_after + 1);
  *runs = 0;
  const auto none = find_witness(subject, pair, {}, control);  // raised already
  EXPECT_FALSE(none.witness);
  EXPECT_THAT(none.why_none, HasSubstr("stopped before two runs diverged, after 0 seeds"));
  EXPECT_EQ(*runs, 0);
}

TEST(PartingRound, CountsFromOneAndTakesNanForItself) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const InputShape shape = table_shape(InputKind::kBandit, 2, 3);
  const auto round = [&](const InputShape& of, std::vector<double> a, std::vector<double> b) {
    return parting_round(of, 1, a, b);
  };
  EXPECT_EQ(round(shape, {0, 1, 1}, {0, 1, 0}), 3);
  EXPECT_EQ(round(shape, {0, nan}, {0, nan}), std::nullopt);
  EXPECT_EQ(round(shape, {0, nan}, {0, 1}), 2);
  EXPECT_EQ(round(shape, {0}, {0, 1}), 2);
  EXPECT_EQ(round(table_shape(InputKind::kDueling, 2, 2), {0, 1, 0, 1}, {0, 1, 0, 0}), 2);
  EXPECT_EQ(round(table_shape(InputKind::kContextual, 2, 3), {0, 0, 1}, {0, 1, 0}), 3);
}

}  // namespace
}  // namespace assay
