#include "assay/auditors/audit/try_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/inputs/output_layout.hpp"

namespace assay {
namespace {

// So many different outputs on one input are no coincidence of a few possible outputs.
constexpr std::size_t kDistinctEnough = 3;
constexpr std::int64_t kRoundsAnArm = 20;  // for an arm that is never chosen

constexpr std::string_view kNameError = "NameError: name '";

// Whether all runs of each input gave the same output.
bool all_same(const PairOutputs& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const RunOutputs& side) {
    return std::adjacent_find(side.begin(), side.end(), std::not_equal_to<>()) == side.end();
  });
}

std::string values_word(const InputShape& shape) {
  const InputKindTraits& kind = shape.traits();
  if (!kind.has_rounds()) return "values";
  return kind.learns_row ? "losses" : "rewards";
}

std::string domain_text_of(const InputShape& shape) {
  return shape.domain ? shape.domain->text() : "0:1";
}

// Whether --domain may name the range of what the program learns.
bool takes_domain(const InputShape& shape) {
  return !shape.traits().has_duels() && !shape.traits().has_contexts();
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return out;
}

// What to say to a program that fails on the inputs of its domain.
std::string domain_advice(const InputShape& shape) {
  const std::string refuse =
      "For a single input that the program does not accept, raise InvalidInput";
  if (!takes_domain(shape)) return refuse;
  const std::string word = values_word(shape);
  if (!shape.domain && !shape.traits().has_rounds()) {
    return fmt::format("If its {} have a range, say so: --domain LOW:HIGH. {}", word, refuse);
  }
  return fmt::format(
      "The {} lie within {}. If the program takes another range, say --domain LOW:HIGH; if it takes "
      "0 and 1 only, say --domain integers. {}",
      word, domain_text_of(shape), refuse);
}

class Findings {
 public:
  Findings(const TriedRuns& tried, const TryReport& report) : tried_(tried), report_(report) {}

  std::vector<TryNote> all() && {
    look_at_randomness();
    look_at_inputs();
    look_at_arms();
    look_at_limits();
    std::stable_sort(notes_.begin(), notes_.end(),
                     [](const TryNote& a, const TryNote& b) { return a.kind > b.kind; });
    return std::move(notes_);
  }

 private:
  void add(NoteKind kind, std::string text) { notes_.push_back({kind, std::move(text)}); }
  void mistake(std::string text) { add(NoteKind::kMistake, std::move(text)); }
  void warning(std::string text) { add(NoteKind::kWarning, std::move(text)); }
  void hint(std::string text) { add(NoteKind::kHint, std::move(text)); }

  // The line to change, for most programs.
  std::string in_python(const char* line) const {
    return report_.is_plugin ? "" : std::string(". In Python: ") + line;
  }
  std::string own_seed() const {
    return in_python(
        "rng = random.Random(seed), or serve_policy(lambda shape, rng: Policy(shape.arms, rng))");
  }
  std::string own_object() const {
    return in_python(
        "serve_policy(lambda shape: Policy(shape.arms)), not an object that is made before");
  }

  bool may_take_seeds() const { return !report_.seeded && !report_.is_plugin; }

  // The number of different outputs on D, among the ten runs and those of the message.
  std::size_t distinct_on_base() const {
    std::set<std::vector<double>> all(tried_.first[0].begin(), tried_.first[0].end());
    for (std::int64_t i = 0; i < tried_.batch.count; ++i) {
      const auto output = tried_.batch.play(i);
      if (!is_failed(output)) all.insert(told_of(report_.shape, output));
    }
    return all.size();
  }

  void look_at_randomness() {
    const bool alike = tried_.alike();
    if (alike && !tried_.reads_input()) return;  // look_at_inputs() says so
    const std::size_t in_message = alike ? distinct_on_base() : 0;
    if (in_message >= kDistinctEnough && !report_.deterministic) {
      mistake(
          "all runs on one input were alike in messages that ask for one run, but they differ within a message "
          "that asks for many. A seed is fixed for each message. Draw from the seed that comes with each run");
    } else if (in_message > 1) {
      hint("the target adds little noise on these inputs: nearly all runs on one input were alike");
    } else if (alike && !report_.deterministic) {
      look_at_no_noise();
    }
    if (tried_.alike_in_each()) {
      mistake(
          "all runs of one process were alike, but a fresh process gave other outputs. The program sets its seed "
          "once when it starts, or takes it from the clock. Draw from the seed that comes with each run");
    }
    if (!alike && report_.deterministic) {
      warning("it is declared deterministic, but runs on one input differ");
    }
    if (report_.seeded && !tried_.same_again()) {
      mistake(
          "its greeting says \"seeded\": true, but the same seeds gave other outputs in a fresh "
          "process. " +
          unseeded() + "Draw all random numbers from the seed of the run, or do not promise it" +
          own_seed());
    } else if (!tried_.same_again() && !tried_.alike_in_each() && !report_.deterministic) {
      look_at_unseeded();
    }
    if (tried_.repeats_whatever_the_seeds()) {
      look_at_fixed_seed();
    } else if (tried_.depends_on_order()) {
      look_at_memory();
    } else if (tried_.repeats() && may_take_seeds()) {
      hint("the same seeds gave the same outputs: it may say \"seeded\": true in its greeting");
    }
  }

  std::string unseeded() const {
    return report_.unseeded.empty()
               ? ""
               : fmt::format("Probably because it draws from {}, which no seed reaches. ",
                             joined_names(report_.unseeded));
  }

  // An audit needs coins of its own, and noise that is new in every run. Whether the noise can be had again is for search
  // and replay only.
  void look_at_unseeded() {
    const std::string why =
        report_.unseeded.empty()
            ? "It draws from something that no seed reaches, such as the system's randomness, the clock, or a generator "
              "that is made without a seed. "
            : unseeded();
    const std::string text = fmt::format(
        "the same seeds gave other outputs in a fresh process. {}The bounds of an audit hold all the same: they rest on "
        "Assay's own coins and on noise that is new in every run. But nobody can reproduce a report, `assay replay` "
        "compares different noise, and the search sees less. If this is not meant, draw from the seed that comes with "
        "each run{}",
        why, own_seed());
    report_.unseeded.empty() ? hint(text) : warning(text);
  }

  void look_at_no_noise() {
    const bool differ = tried_.first[0] != tried_.first[1];
    const bool others_vary =
        std::any_of(tried_.extremes.begin(), tried_.extremes.end(), [](const TriedInput& one) {
          return !all_same({one.outputs, RunOutputs{}});
        });
    if (!differ && others_vary) {
      hint("the target adds no noise on D and D', but on other inputs it does");
      return;
    }
    mistake(fmt::format(
        "the target adds no noise on these inputs: with {} different seeds, in three processes, all runs on one input "
        "were alike, and the outputs on {} differ. If noise is meant, a seed is fixed, or the computed scale is 0: "
        "draw from the seed that comes with each run. If no noise is meant, say --deterministic",
        static_cast<std::int64_t>(2 * tried_.first[0].size()) + tried_.batch.count,
        differ ? "the two inputs" : "other inputs"));
  }

  bool learns_from_earlier_runs() const {
    return tried_.after && (*tried_.after)[0] != (*tried_.after)[1];
  }

  void look_at_fixed_seed() {
    if (learns_from_earlier_runs()) {
      mistake(fmt::format(
          "a run depends on the inputs of the runs before it, and a fresh process gave the same outputs although "
          "it got other seeds. All runs share an object that remembers, such as a policy or its counts, or a "
          "generator that is seeded when the program starts. Make both in each run{}",
          own_object()));
      return;
    }
    std::vector<RunOutputs> seen(tried_.first.begin(), tried_.first.end());
    if (tried_.longer) {
      const auto& [one, two] = *tried_.longer;
      if (one != two) return;  // few possible outputs came in the same order by chance
      seen.push_back(one);
    }
    const bool by_chance = chance_to_repeat(seen) >= kNoChance;
    const std::string text = fmt::format(
        "a fresh process gave the same outputs in the same order although it got other seeds. {}A seed is fixed when "
        "the program starts, so that its processes share their noise. Draw from the seed that comes with each run, "
        "and not from a generator that is made before{}",
        by_chance ? "This may be chance, because nearly all outputs are alike. If not: " : "",
        own_seed());
    by_chance ? warning(text) : mistake(text);
  }

  void look_at_memory() {
    const bool takes_first = tried_.later && same_after_the_first(*tried_.later);
    const std::string promised = report_.seeded ? "its greeting says \"seeded\": true, but " : "";
    if (takes_first) {
      const std::string text = fmt::format(
          "{}one generator serves all runs of a process: the first seed sets it, and later seeds have no effect. {}{}",
          promised,
          report_.seeded
              ? "Draw from the seed that comes with each run, or do not promise it"
              : "An audit allows this, but it finds more if each run draws from its own seed",
          own_seed());
      report_.seeded ? mistake(text) : hint(text);
      if (!learns_from_earlier_runs()) return;
      warning(fmt::format(
          "a run depends on the inputs of the runs before it. If all runs share an object that remembers, such as a "
          "policy or its counts, make a new one in each run{}",
          own_object()));
      return;
    }
    if (learns_from_earlier_runs()) {
      mistake(fmt::format(
          "{}a run depends on the inputs of the runs before it: after other inputs, the same seed gave another "
          "output. All runs share an object that remembers, such as a policy or its counts. Make a new one in each "
          "run{}",
          promised, own_object()));
      return;
    }
    const std::string text = fmt::format(
        "{}a run depends on the runs before it: the same seed gave another output in another order. If all runs "
        "share an object that remembers, such as a policy or its counts, make a new one in each run. If they share "
        "a generator, draw from the seed that comes with each run{}",
        promised, own_object());
    report_.seeded ? mistake(text) : warning(text);
  }

  // Whether every run but the first is as in `first`.
  bool same_after_the_first(PairOutputs later) const {
    later[0].front() = tried_.first[0].front();
    return later == tried_.first;
  }

  void look_at_inputs() {
    std::vector<std::string> refused, names, failing;
    for (const TriedInput& one : tried_.extremes) {
      (one.failed > 0 ? failing : one.refusal.empty() ? names : refused).push_back(one.name);
    }
    if (!failing.empty()) fails_on(failing);
    if (!refused.empty()) {
      hint(fmt::format("the program refuses inputs with {}. An audit leaves such inputs out",
                       joined_names(refused)));
    }
    if (tried_.reads_input() || !tried_.seeds_decide()) return;
    const std::string range =
        takes_domain(report_.shape) && report_.shape.traits().has_rounds()
            ? fmt::format("If it limits its {} to a range other than {}, say --domain LOW:HIGH. ",
                          values_word(report_.shape), domain_text_of(report_.shape))
            : "";
    const std::string inputs =
        names.empty() ? "on D and D'" : "on D, D' and inputs with " + joined_names(names);
    const std::string random =
        report_.deterministic
            ? ""
            : " If the program should be random, it draws no noise, or from a seed that is fixed: draw from the seed that "
              "comes with each run" +
                  own_seed() + ".";
    warning(fmt::format(
        "{} If the program should depend on its input, it does not read it: it must use the \"input\" of each message, "
        "and in Python the first argument of the function that serve() calls. {}If its output should depend on nothing, nothing is wrong",
        tried_.alike()
            ? fmt::format(
                  "every run gave the same output, {}, and with every seed. An audit cannot refute a "
                  "claim by such runs.{}",
                  inputs, random)
            : fmt::format(
                  "the output never depended on the input: with the same seeds, the outputs {} were "
                  "the same.",
                  inputs),
        range));
  }

  void fails_on(const std::vector<std::string>& failing) {
    std::int64_t failed = 0, least = -1;
    std::string why;
    const auto runs = static_cast<std::int64_t>(tried_.first[0].size());
    for (const TriedInput& one : tried_.extremes) {
      if (one.failed == 0) continue;
      if (why.empty()) why = one.failure;
      failed += one.failed;
      least = least < 0 ? one.failed : std::min(least, one.failed);
    }
    const std::string text = fmt::format(
        "{} of {} runs on inputs with {} failed: {}. An audit sends such inputs, and counts a failure as the output of "
        "its run. {}",
        failed, runs * static_cast<std::int64_t>(failing.size()), joined_names(failing), why,
        domain_advice(report_.shape));
    least == runs ? mistake(text) : warning(text);
  }

  void count_arms(const std::vector<double>& output, std::vector<std::int64_t>& pulls) const {
    const OutputLayout layout(report_.shape);
    const std::int64_t end = static_cast<std::int64_t>(output.size()) - layout.tail();
    for (std::int64_t i = 0; i < end; ++i) {
      if (i % layout.stride() >= layout.actions) continue;
      const double arm = output[static_cast<std::size_t>(i)];
      if (arm >= 0.0 && arm < static_cast<double>(pulls.size()))
        ++pulls[static_cast<std::size_t>(arm)];
    }
  }

  void look_at_arms() {
    if (report_.shape.traits().actions == 0) return;
    std::vector<std::int64_t> pulls(static_cast<std::size_t>(report_.shape.arms), 0);
    const auto count = [&](const RunOutputs& runs) {
      for (const auto& output : runs) count_arms(output, pulls);
    };
    for (const PairOutputs* outputs : {&tried_.first, &tried_.other}) {
      for (const RunOutputs& side : *outputs) count(side);
    }
    for (std::int64_t i = 0; i < tried_.batch.count; ++i) {
      const auto output = tried_.batch.play(i);
      if (!is_failed(output)) count_arms(told_of(report_.shape, output), pulls);
    }
    for (const TriedInput& one : tried_.extremes) count(one.outputs);
    std::int64_t rounds = 0;
    for (const std::int64_t of_arm : pulls) rounds += of_arm;
    const bool others = std::all_of(pulls.begin() + 1, pulls.end(), [](auto n) { return n > 0; });
    if (pulls.front() > 0 || !others || rounds < kRoundsAnArm * report_.shape.arms) return;
    warning(fmt::format(
        "arm 0 was never chosen in {} rounds, and each other arm was. Arms count from 0. If the program counts them "
        "from 1, return arm - 1, and give its update arm + 1",
        grouped(rounds)));
  }

  // Rewards beyond [0, 1] that act like 0 and 1.
  void look_at_limits() {
    if (!tried_.limited || !tried_.seeds_decide()) return;
    const auto& [spread, opposite, limited] = *tried_.limited;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < spread.size(); ++i) moved += spread[i] != opposite[i] ? 1 : 0;
    if (spread != limited || 2 * moved < spread.size()) return;
    const std::string word = values_word(report_.shape);
    warning(fmt::format(
        "{} below 0 and above 1 acted like 0 and 1. If the program limits its {} to 0:1, then say --domain 0:1, or "
        "scale them before the program gets them. In Python: reward = (reward - LOW) / (HIGH - LOW)",
        word, word));
  }

  const TriedRuns& tried_;
  const TryReport& report_;
  std::vector<TryNote> notes_;
};

}  // namespace

bool TriedRuns::alike() const { return all_same(first) && same_again() && same_other(); }

bool TriedRuns::seeds_decide() const {
  return alike() || (repeats() && !same_other() && !depends_on_order());
}

bool TriedRuns::reads_input() const {
  if (first[0] != first[1] || moved_by_input) return true;
  return std::any_of(extremes.begin(), extremes.end(), [&](const TriedInput& one) {
    return one.failed == 0 && one.refusal.empty() && one.outputs != first[0];
  });
}

// Independent runs do so with probability at most 2/2^9: on either input five of one output, then five of another.
bool TriedRuns::alike_in_each() const {
  return all_same(first) && all_same(again) && all_same(other) && !alike();
}

double chance_to_repeat(std::span<const RunOutputs> runs) {
  double log_chance = 0.0;
  for (const RunOutputs& side : runs) {
    std::map<std::vector<double>, std::int64_t> counts;
    for (const auto& output : side) ++counts[output];
    for (const auto& [output, count] : counts) {
      log_chance += static_cast<double>(count) *
                    portable_log(static_cast<double>(count) / static_cast<double>(side.size()));
    }
  }
  return portable_exp(log_chance);  // (1)
}

std::vector<std::string> take_unseeded(std::string& standard_error) {
  constexpr std::string_view kBegin = "assay_target: no seed reaches ";
  std::vector<std::string> places;
  std::string rest;
  for (std::size_t at = 0; at < standard_error.size();) {
    const std::size_t end = std::min(standard_error.find('\n', at), standard_error.size() - 1) + 1;
    const std::string_view line(standard_error.data() + at, end - at);
    if (line.starts_with(kBegin)) {
      places.emplace_back(line.substr(kBegin.size(), line.find('\n') - kBegin.size()));
    } else {
      rest += line;
    }
    at = end;
  }
  standard_error = std::move(rest);
  return places;
}

std::vector<ExtremeInput> extreme_inputs(const InputShape& shape) {
  const InputKindTraits& kind = shape.traits();
  std::vector<ExtremeInput> inputs;
  const auto add = [&](std::string name,
                       const std::function<double(std::int64_t, std::int64_t)>& at) {
    InputTable table = InputTable::zeros(shape.rows(), shape.columns());
    for (std::int64_t r = 0; r < table.rows; ++r) {
      for (std::int64_t c = 0; c < table.columns; ++c) {
        table.row(r)[static_cast<std::size_t>(c)] = at(r, c);
      }
    }
    if (check_input(shape, table)) inputs.push_back({std::move(name), std::move(table)});
  };
  if (kind.has_duels()) {
    for (const bool rising : {false, true}) {
      add(rising ? "later arms that win" : "earlier arms that win", [&](auto, auto c) {
        const std::int64_t i = c / shape.arms, j = c % shape.arms;
        return i != j && (i < j) != rising ? 1.0 : 0.0;
      });
    }
    return inputs;
  }
  const bool whole = shape.domain && shape.domain->integers;
  const Domain unit{0.0, 1.0};
  const Domain given = shape.domain && shape.domain->bounded() ? *shape.domain : unit;
  const Domain contexts =
      shape.domain && shape.domain->bounded() ? *shape.domain : Domain{-1.0, 1.0};
  const auto at = [&](std::int64_t column, double part) {
    if (whole) part = part < 0.5 ? 0.0 : 1.0;
    if (!kind.has_contexts()) return given.at(part);
    return (column < shape.arms ? unit : contexts).at(part);
  };
  // No two of many numbers are alike, and neighbours are far apart.
  const auto spread = [&](std::int64_t row, std::int64_t column) {
    constexpr double kGolden = 0.6180339887498949;
    const double place = kGolden * static_cast<double>(row * shape.columns() + column + 1);
    return place - std::floor(place);
  };
  const std::string all = "all " + values_word(shape) + " ";
  add(all + number_text(given.low), [&](auto, auto c) { return at(c, 0.0); });
  add(all + number_text(given.high), [&](auto, auto c) { return at(c, 1.0); });
  const std::string over =
      values_word(shape) + (whole ? " 0 and 1 in turns" : " spread over " + given.text());
  add(over, [&](auto r, auto c) { return at(c, spread(r, c)); });
  add(over + " the other way", [&](auto r, auto c) { return at(c, 1.0 - spread(r, c)); });
  return inputs;
}

std::vector<TryNote> findings_of(const TriedRuns& tried, const TryReport& report) {
  return Findings(tried, report).all();
}

std::string advice_on_name(const std::string& said) {
  const std::size_t at = said.find(kNameError);
  const std::size_t name = at + kNameError.size();
  const std::size_t end = at == std::string::npos ? at : said.find('\'', name);
  if (end == std::string::npos) return "";
  std::string where;
  // "(policy.py:4, in choose)" after it; of a program that ended, the last line number before it.
  const std::size_t place = said.find(" (", end), line = said.rfind(", line ", at);
  if (const std::size_t colon = said.find(':', place); said.find('\n', end) > colon) {
    where = said.substr(place + 2, said.find_first_of(",)", colon) - place - 2);
  } else if (line != std::string::npos) {
    where = said.substr(line + 2, said.find_first_of(",\n", line + 2) - line - 2);
  }
  return fmt::format(
      "\n  The program uses the name '{}'{}, which it does not define: import it, or correct it",
      said.substr(name, end - name), where.empty() ? "" : " at " + where);
}

std::string advice_on(const Error& error, const InputShape& shape, bool is_failed_run,
                      const std::vector<std::string>& failing,
                      const std::vector<std::string>& working) {
  const std::string& said = error.message;
  const auto says = [&](std::string_view text) { return said.find(text) != std::string::npos; };
  const std::string arms = std::to_string(shape.arms);
  const std::size_t found = said.find(", not " + arms);
  const std::size_t after = found + arms.size() + 6;
  const bool is_one_more = found != std::string::npos && says(" an action from 0 to ") &&
                           (after == said.size() || said[after] == '\n' || said[after] == ';');
  if (shape.traits().actions > 0 && (is_one_more || says("there is no arm " + arms + ":"))) {
    return fmt::format(
        "\n  Arms count from 0, so that the last is {}. If the program counts them from 1, return arm - 1, and give "
        "its update arm + 1",
        shape.arms - 1);
  }
  if (!is_failed_run || says(kNameError)) return "";
  if (says("TypeError") || says("AttributeError")) {
    return "\n  This is a mistake in the program's own code. With Assay's Python module, the first argument of "
           "serve_policy is a function that makes a policy, serve_policy(lambda shape: Policy(shape.arms)), and a "
           "bandit has choose() and update(arm, reward)";
  }
  std::string advice =
      "\n  An audit counts a failure as the output of its run. A failure that depends on the data is a leak.";
  const bool has_rounds = shape.traits().has_rounds();
  const bool at_once = has_rounds && (says(", round 1: ") || (working.empty() && !failing.empty()));
  if (!failing.empty()) {
    advice += working.empty()
                  ? fmt::format("\n  Runs failed on all inputs that were tried: with {}.",
                                joined_names(failing))
                  : fmt::format("\n  Runs failed on inputs with {}, and not with {}.",
                                joined_names(failing), joined_names(working));
  }
  if (at_once) {
    advice +=
        says(", round 1: ")
            ? "\n  It failed in its first round. A policy must act before its first update: choose each arm once "
              "first. "
            : "\n  If the policy cannot act before its first update, let it choose each arm once first. ";
    advice += "In Python: if self.rounds < arms: return self.rounds";
  }
  return advice + "\n  " + domain_advice(shape);
}

}  // namespace assay
