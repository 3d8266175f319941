#include "assay/auditors/suite/witness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/output_layout.hpp"

namespace assay {
namespace {

constexpr std::int64_t kReplayedSeeds = 8;  // D and D' twice: coins come out alike once in 2^16
constexpr std::size_t kMostRemembered = 10'000;  // numbers of an input
constexpr const char* kNotReplayable =
    "the target does not always answer the same seed in the same way, so no run can be repeated";

bool alike(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return alike(x, y); });
}

// Numbers of a row that change together, and their simplest value: one number with 0, or with the value of its domain
// that is nearest to 0; in a tournament a duel, which the lower arm wins.
struct Unit {
  std::size_t first = 0;
  std::optional<std::size_t> reverse;
  double plain = 0.0;

  double plainest() const { return reverse ? 1.0 : plain; }
  void set(std::span<double> row, double value) const {
    row[first] = value;
    if (reverse) row[*reverse] = 1.0 - value;
  }
};

std::vector<Unit> units_of(const InputShape& shape, std::int64_t columns) {
  std::vector<Unit> units;
  const auto count = static_cast<std::size_t>(columns);
  if (!shape.traits().has_duels()) {
    for (std::size_t c = 0; c < count; ++c) {
      const bool paid = shape.traits().has_contexts() && c < static_cast<std::size_t>(shape.arms);
      units.push_back(
          {c,
           {},
           shape.domain && !paid ? std::clamp(0.0, shape.domain->low, shape.domain->high) : 0.0});
    }
    return units;
  }
  const auto arms = static_cast<std::size_t>(shape.arms);
  for (std::size_t i = 0; i < arms; ++i) {
    for (std::size_t j = i + 1; j < arms; ++j) units.push_back({i * arms + j, j * arms + i, 0.0});
  }
  return units;
}

// A pair that is being shortened.
struct Draft {
  InputTable table;          // D
  std::int64_t changed = 0;  // row
  std::vector<double> row;   // of D'

  static Draft of(const InputPair& pair) {
    const auto row = pair.neighbour_row();
    return {pair.base_input(), pair.changed_row(), {row.begin(), row.end()}};
  }
  InputPair pair() const { return InputPair::of(table, {changed, row}); }

  bool differs(const Unit& unit) const { return table.row(changed)[unit.first] != row[unit.first]; }
  // Sets it in both inputs.
  void set(std::int64_t r, const Unit& unit, double value) {
    unit.set(table.row(r), value);
    if (r == changed) unit.set(row, value);
  }
  // Identifies a draft among those with the same number of columns.
  std::vector<double> numbers() const {
    std::vector<double> all = table.values;
    all.push_back(static_cast<double>(changed));
    all.insert(all.end(), row.begin(), row.end());
    return all;
  }
  void keep_rows(const std::vector<std::int64_t>& kept) {
    InputTable shorter{static_cast<std::int64_t>(kept.size()), table.columns, {}};
    for (const std::int64_t r : kept) {
      const auto values = table.row(r);
      shorter.values.insert(shorter.values.end(), values.begin(), values.end());
    }
    changed = std::find(kept.begin(), kept.end(), changed) - kept.begin();
    table = std::move(shorter);
  }
};

// A subset of 0, ..., count - 1 for which `holds` is true, as it is for all of them, and from which no single
// element can be removed. It is ddmin of the reference.
template <class Holds>
std::vector<std::size_t> minimal_subset(std::size_t count, const Holds& holds) {
  std::vector<std::size_t> kept(count);
  for (std::size_t i = 0; i < count; ++i) kept[i] = i;
  if (count == 0 || holds(std::vector<std::size_t>{})) return {};
  for (std::size_t parts = 2; kept.size() >= 2;) {
    bool reduced = false;
    for (const bool complement : {false, true}) {
      for (std::size_t part = 0; part < parts && !reduced; ++part) {
        if (complement && parts == 2) break;  // each half is the other's complement
        const auto from = kept.begin() + static_cast<std::ptrdiff_t>(part * kept.size() / parts);
        const auto to =
            kept.begin() + static_cast<std::ptrdiff_t>((part + 1) * kept.size() / parts);
        std::vector<std::size_t> tried(from, to);
        if (complement) {
          tried.assign(kept.begin(), from);
          tried.insert(tried.end(), to, kept.end());
        }
        if (!holds(tried)) continue;
        kept = std::move(tried);
        parts = complement ? std::max<std::size_t>(parts - 1, 2) : 2;
        reduced = true;
      }
    }
    if (reduced) continue;
    if (parts >= kept.size()) break;
    parts = std::min(2 * parts, kept.size());
  }
  return kept;
}

class WitnessSearch {
 public:
  WitnessSearch(const WitnessSubject& subject, const WitnessPlan& plan, const RunControl& control)
      : subject_(subject), plan_(plan), control_(control) {}

  WitnessFinding run(const InputPair& pair) {
    if (auto why = try_seeds(pair)) return {{}, std::move(*why)};
    shorten();
    if (!stopped_) {
      auto why =
          differs_again(found_.pair, found_.seed, found_.base_output, found_.neighbour_output);
      if (why && !control_.stopped()) return {{}, std::move(*why)};
    }
    found_.shape = subject_.shape;
    found_.runs = runs_;
    found_.is_minimal = !stopped_;
    return {std::move(found_), {}};
  }

 private:
  bool out_of_budget() {
    stopped_ = stopped_ || runs_ >= plan_.runs || control_.stopped();
    return stopped_;
  }

  Result<std::vector<double>> play(const WitnessSubject& subject, const InputPair& pair, Side side,
                                   std::uint64_t seed) {
    ++runs_;
    return subject.play(pair, side, seed);
  }

  static std::string failed_text(std::uint64_t seed, const Error& error) {
    return "a run with seed " + std::to_string(seed) + " failed: " + error.message;
  }

  // Repeats both runs, and says why their outputs changed, if so. The order is the other one, which exposes a target
  // that counts its runs.
  std::optional<std::string> differs_again(const InputPair& pair, std::uint64_t seed,
                                           const std::vector<double>& base_output,
                                           const std::vector<double>& neighbour_output) {
    const auto neighbour_again = play(subject_, pair, Side::kNeighbour, seed);
    if (!neighbour_again) return failed_text(seed, neighbour_again.error());
    const auto base_again = play(subject_, pair, Side::kBase, seed);
    if (!base_again) return failed_text(seed, base_again.error());
    if (alike(*neighbour_again, neighbour_output) && alike(*base_again, base_output)) return {};
    return kNotReplayable;
  }

  // Leaves in found_ the runs that diverge first. Returns the reason if there are none.
  std::optional<std::string> try_seeds(const InputPair& pair) {
    std::int64_t tried = 0;
    for (; tried < plan_.seeds && !out_of_budget(); ++tried) {
      // A policy that does not look ahead diverges no earlier than in the round after the change.
      const bool is_first_possible = found_.round > 0 && found_.round <= pair.changed_row() + 2;
      if (is_first_possible && tried >= kReplayedSeeds) break;
      ReplayStream random({plan_.seed, hash_purpose("suite/witness"),
                           static_cast<std::uint64_t>(tried), 0, Phase::kSearch});
      const std::uint64_t seed = random.next() >> 32;  // short enough to copy by hand
      const auto base_output = play(subject_, pair, Side::kBase, seed);
      const auto neighbour_output = play(subject_, pair, Side::kNeighbour, seed);
      for (const auto* output : {&base_output, &neighbour_output}) {
        if (*output) continue;
        if (output->error().code == ErrorCode::kInterrupted) return stopped_text(tried);
        return failed_text(seed, output->error());
      }
      if (tried < kReplayedSeeds) {
        const auto why = differs_again(pair, seed, *base_output, *neighbour_output);
        if (why) return control_.stopped() ? stopped_text(tried) : *why;
      }
      const auto round =
          parting_round(subject_.shape, pair.changed_row(), *base_output, *neighbour_output);
      if (!round || (found_.round > 0 && *round >= found_.round)) continue;
      found_ = {{}, pair, seed, *round, *base_output, *neighbour_output, 0, false};
    }
    if (found_.round > 0) return {};
    if (stopped_) return stopped_text(tried);
    return fmt::format("with the same randomness the two runs are alike for each of {} seeds",
                       tried);
  }

  static std::string stopped_text(std::int64_t seeds) {
    return fmt::format("the search was stopped before two runs diverged, after {} seeds", seeds);
  }

  // Whether the runs of the draft diverge no later than `round`. If so, they become found_.
  bool parts(const WitnessSubject& subject, const Draft& draft, std::int64_t round) {
    if (out_of_budget() || alike_.count(draft.numbers()) > 0) return false;
    InputPair pair = draft.pair();
    if (pair.differing() == 0 || !subject.check(pair)) return false;
    const auto base_output = play(subject, pair, Side::kBase, found_.seed);
    if (!base_output) return remember(draft);
    const auto neighbour_output = play(subject, pair, Side::kNeighbour, found_.seed);
    if (!neighbour_output) return remember(draft);
    const auto at =
        parting_round(subject.shape, pair.changed_row(), *base_output, *neighbour_output);
    if (!at || *at > round) return remember(draft);
    found_ = {{}, std::move(pair), found_.seed, *at, *base_output, *neighbour_output, 0, false};
    return true;
  }
  bool parts(const Draft& draft) { return parts(subject_, draft, found_.round); }

  // Rounds only fall, so runs that do not diverge early enough now never will.
  bool remember(const Draft& draft) {
    auto numbers = draft.numbers();
    if (numbers.size() <= kMostRemembered) alike_.insert(std::move(numbers));
    return false;
  }

  // The subject with only these rows, which needs another horizon.
  bool parts_on_rows(const std::vector<std::int64_t>& kept, std::int64_t round) {
    if (out_of_budget()) return false;
    Draft draft = Draft::of(whole_);
    draft.keep_rows(kept);
    if (alike_.count(draft.numbers()) > 0) return false;
    runs_ += subject_.horizon_runs;
    auto shorter = subject_.of_horizon(draft.table.rows);
    if (!shorter) return remember(draft);
    if (!parts(*shorter, draft, round)) return false;
    shorter_ = std::move(*shorter);
    return true;
  }

  // Removes rows of the original pair. `try_rows` calls parts_on_rows(), and its last success counts.
  template <class TryRows>
  void cut_rows(const TryRows& try_rows) {
    if (!subject_.of_horizon) return;
    whole_ = found_.pair;
    shorter_.reset();
    try_rows(whole_.base_input().rows);
    if (shorter_) subject_ = *std::exchange(shorter_, {});
  }

  void cut_behind() {
    const std::int64_t least = std::max(found_.round, found_.pair.changed_row() + 1);
    cut_rows([&](std::int64_t rows) {
      std::int64_t more = 0;
      for (std::int64_t end = least; end < rows; end = least + more) {
        std::vector<std::int64_t> kept;
        for (std::int64_t r = 0; r < end; ++r) kept.push_back(r);
        if (parts_on_rows(kept, found_.round)) return;
        more = std::max<std::int64_t>(2 * more, 1);
      }
    });
  }

  void leave_rows_out() {
    cut_rows([&](std::int64_t rows) {
      const std::int64_t changed = whole_.changed_row();
      const std::int64_t round = found_.round;
      minimal_subset(static_cast<std::size_t>(rows - 1), [&](const std::vector<std::size_t>& kept) {
        std::vector<std::int64_t> all = {changed};
        for (const std::size_t i : kept) {
          const auto r = static_cast<std::int64_t>(i);
          all.push_back(r < changed ? r : r + 1);
        }
        std::sort(all.begin(), all.end());
        return parts_on_rows(all, round);
      });
    });
  }

  // The possible simplifications, each as a change of a draft.
  using Step = std::function<void(Draft&)>;
  void take(const std::vector<Step>& steps) {
    const Draft whole = Draft::of(found_.pair);
    const std::int64_t round = found_.round;
    minimal_subset(steps.size(), [&](const std::vector<std::size_t>& left) {
      Draft draft = whole;
      auto next = left.begin();
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (next != left.end() && *next == i) {
          ++next;
        } else {
          steps[i](draft);
        }
      }
      return parts(subject_, draft, round);
    });
  }

  void make_plain(bool whole_rows) {
    const Draft draft = Draft::of(found_.pair);
    const auto units = units_of(subject_.shape, draft.table.columns);
    std::vector<Step> steps;
    for (std::int64_t r = 0; r < draft.table.rows; ++r) {
      if (whole_rows && r == draft.changed) continue;
      std::vector<Unit> rough;
      for (const Unit& unit : units) {
        if (r == draft.changed && draft.differs(unit)) continue;
        if (draft.table.row(r)[unit.first] != unit.plainest()) rough.push_back(unit);
      }
      if (whole_rows) {
        if (rough.empty()) continue;
        steps.emplace_back([r, rough](Draft& d) {
          for (const Unit& unit : rough) d.set(r, unit, unit.plainest());
        });
      } else {
        for (const Unit& unit : rough) {
          steps.emplace_back([r, unit](Draft& d) { d.set(r, unit, unit.plainest()); });
        }
      }
    }
    take(steps);
  }

  void make_equal() {
    const Draft draft = Draft::of(found_.pair);
    std::vector<Step> steps;
    for (const Unit& unit : units_of(subject_.shape, draft.table.columns)) {
      if (!draft.differs(unit)) continue;
      steps.emplace_back([unit](Draft& d) { unit.set(d.row, d.table.row(d.changed)[unit.first]); });
    }
    take(steps);
  }

  // Numbers between 0 and 1 that cannot be 0 become 1. Numbers that differ become 0 and 1, in either order; for a
  // mechanism, 0 and their difference.
  void make_whole() {
    const bool is_row = !subject_.shape.traits().has_rounds();
    for (const Unit& unit : units_of(subject_.shape, found_.pair.base_input().columns)) {
      const bool is_share = !is_row && (!subject_.shape.traits().has_contexts() ||
                                        unit.first < static_cast<std::size_t>(subject_.shape.arms));
      const auto between = [&](double x) { return is_share && x != 0.0 && x != 1.0; };
      for (std::int64_t r = 0; r < found_.pair.base_input().rows; ++r) {
        Draft draft = Draft::of(found_.pair);
        const double base_value = draft.table.row(r)[unit.first];
        if (r != draft.changed || !draft.differs(unit)) {
          if (!between(base_value)) continue;
          draft.set(r, unit, 1.0);
          parts(draft);
          continue;
        }
        const double neighbour_value = draft.row[unit.first];
        std::vector<std::pair<double, double>> plainer;
        if (between(base_value) || between(neighbour_value)) {
          plainer = {{0.0, 1.0}, {1.0, 0.0}};
        } else if (is_row && base_value != 0.0) {
          plainer = {{0.0, neighbour_value - base_value}};
        }
        for (const auto& [before, after] : plainer) {
          unit.set(draft.table.row(r), before);
          unit.set(draft.row, after);
          if (parts(draft)) break;
        }
      }
    }
  }

  // Each step leaves fewer rows, fewer numbers that differ, fewer that are not simplest, or fewer that are neither
  // 0 nor 1.
  void shorten() {
    cut_behind();
    for (;;) {
      const InputPair before = found_.pair;
      make_plain(true);
      leave_rows_out();
      make_equal();
      make_plain(false);
      make_whole();
      if (out_of_budget() || found_.pair == before) return;
    }
  }

  WitnessSubject subject_;
  const WitnessPlan& plan_;
  const RunControl& control_;
  Witness found_;  // none yet if its round is 0
  InputPair whole_;
  std::optional<WitnessSubject> shorter_;
  std::set<std::vector<double>> alike_;  // drafts with runs that do not diverge early enough
  std::int64_t runs_ = 0;
  bool stopped_ = false;
};

// The round of a witness to which an entry belongs. Each entry at the end counts as a round.
std::int64_t round_of(const OutputLayout& layout, std::int64_t entry) {
  const std::int64_t end = layout.rounds * layout.stride();
  return entry < end ? entry / layout.stride() + 1 : layout.rounds + 1 + entry - end;
}

// For a shape with more outputs than the actions of all rounds, or a mechanism's numbers.
std::optional<std::int64_t> parting_round(const OutputLayout& layout, std::int64_t changed_row,
                                          std::span<const double> base_output,
                                          std::span<const double> neighbour_output) {
  std::optional<std::int64_t> stopped;
  if (const std::int64_t base_end = layout.played(base_output),
      neighbour_end = layout.played(neighbour_output);
      base_end != neighbour_end) {
    stopped = std::min(base_end, neighbour_end) + 1;
  }
  for (std::int64_t i = 0; i < layout.longest(); ++i) {
    const std::int64_t round = round_of(layout, i);
    if (stopped && round >= *stopped) break;
    if (layout.hides_action && round == changed_row + 1) continue;
    const auto at = static_cast<std::size_t>(i);
    if (!alike(base_output[at], neighbour_output[at])) return round;
  }
  return stopped;
}

std::string seen_text(const OutputLayout& layout, std::int64_t round,
                      const std::vector<double>& output) {
  if (round <= layout.rounds && round > layout.played(output)) return "the end";
  std::string text;
  for (std::int64_t i = 0; i < layout.longest(); ++i) {
    if (round_of(layout, i) != round) continue;
    text += (text.empty() ? "" : ", ") + number_text(output[static_cast<std::size_t>(i)]);
  }
  return text;
}

// The adversary's view of a round, or a number of a mechanism's output.
std::string seen_text(const InputShape& shape, std::int64_t round,
                      const std::vector<double>& output) {
  const OutputLayout layout(shape);
  if (!layout.is_plain()) return seen_text(layout, round, output);
  const bool duels = layout.actions == 2;
  const auto at = static_cast<std::size_t>(layout.stride() * (round - 1));
  if (at >= output.size()) return "nothing";
  return duels && at + 1 < output.size()
             ? number_text(output[at]) + " against " + number_text(output[at + 1])
             : number_text(output[at]);
}

}  // namespace

std::optional<std::int64_t> parting_round(const InputShape& shape, std::int64_t changed_row,
                                          std::span<const double> base_output,
                                          std::span<const double> neighbour_output) {
  const OutputLayout layout(shape);
  if (!layout.is_plain()) return parting_round(layout, changed_row, base_output, neighbour_output);
  const auto numbers = static_cast<std::size_t>(layout.stride());
  for (std::size_t i = 0; i < std::max(base_output.size(), neighbour_output.size()); ++i) {
    const auto round = static_cast<std::int64_t>(i / numbers);
    if (layout.hides_action && round == changed_row) continue;
    if (i < base_output.size() && i < neighbour_output.size() &&
        alike(base_output[i], neighbour_output[i])) {
      continue;
    }
    return round + 1;
  }
  return {};
}

WitnessFinding find_witness(const WitnessSubject& subject, const InputPair& pair,
                            const WitnessPlan& plan, const RunControl& control) {
  return WitnessSearch(subject, plan, control).run(pair);
}

std::string witness_text(const Witness& witness) {
  const OutputLayout layout(witness.shape);
  const std::int64_t behind = witness.round - layout.rounds - 1;  // entries at the end
  const bool recommends =
      layout.recommendations > 0 &&
      (layout.is_plain()
           ? witness.round == static_cast<std::int64_t>(std::max(witness.base_output.size(),
                                                                 witness.neighbour_output.size()))
           : behind == 0);
  const std::string where = layout.actions == 0 ? fmt::format("number {}", witness.round)
                            : behind >= layout.recommendations && !layout.is_plain()
                                ? layout.name(layout.rounds * layout.stride() + behind)
                            : recommends ? std::string("the recommendation")
                                         : fmt::format("round {}", witness.round);
  const auto seen = [&](const std::vector<double>& output) {
    return seen_text(witness.shape, witness.round, output);
  };
  std::string text =
      fmt::format("with the same randomness (seed {}), the runs diverge at {}: {} on D, {} on D'",
                  witness.seed, where, seen(witness.base_output), seen(witness.neighbour_output));
  const std::int64_t changed = witness.pair.changed_row() + 1;
  if (layout.actions > 0 && witness.round <= changed) {
    text += fmt::format("; the inputs differ in round {}, which the target read early", changed);
  }
  return text;
}

std::string input_text(const InputTable& input) {
  std::string text;
  for (std::int64_t r = 0; r < input.rows; ++r) {
    const auto row = input.row(r);
    for (std::size_t c = 0; c < row.size(); ++c) text += (c == 0 ? "" : ",") + number_text(row[c]);
    text += '\n';
  }
  return text;
}

EntryWitness entry_witness(const Witness& witness) {
  return {input_text(witness.pair.base_input()),
          input_text(witness.pair.neighbour_input()),
          witness.seed,
          witness.round,
          seen_text(witness.shape, witness.round, witness.base_output),
          seen_text(witness.shape, witness.round, witness.neighbour_output),
          {}};
}

}  // namespace assay
