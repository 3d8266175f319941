#include "assay/auditors/engine/custom_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostOwnPairs = 24;
// The report of a likelihood holds a row for every round.
constexpr std::int64_t kMostOwnRounds = std::int64_t{1} << 20;
constexpr std::int64_t kJudgedProbabilities = 200'000;

// The adversary sees the actions, and a guarantee for a larger view holds for them. For a reward table, one cell
// by pull and one row by time are the same level (policies/best_arm/reward_table.hpp).
Status take_guarantee(AuditedSubject& subject) {
  const Relation wanted = subject.shape.traits().relation;
  const bool is_cell =
      wanted == Relation::kReplaceOneColumn && subject.stated.relation == Relation::kReplaceOneCell;
  if (subject.stated.relation != wanted && !is_cell) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "the guarantee() of {} is for the relation {}, but neighbours of kind {} differ by {}",
            subject.id, detail::value_text(subject.stated.relation),
            detail::value_text(subject.shape.kind), detail::value_text(wanted)));
  }
  subject.stated.relation = wanted;
  subject.stated.view = view_of(subject.shape);
  return {};
}

Status check_own_input(const InputShape& shape, const InputPair& pair) {
  if (pair.base_input().rows != shape.rows() || pair.base_input().columns != shape.columns()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("has {} x {} numbers, not {} x {}: one line for each of {} rounds",
                            pair.base_input().rows, pair.base_input().columns, shape.rows(),
                            shape.columns(), shape.horizon));
  }
  ASSAY_TRY(check_input(shape, pair.base_input()));
  if (pair.edit().values.empty()) return {};
  InputShape row = shape;
  row.horizon = 1;
  return check_input(row, InputTable::one_row(pair.edit().values));
}

// The levels of rows in a search: all experts alike, or all but one.
PairMoves own_moves(const InputShape& shape) {
  constexpr std::int64_t kMostApart = 8;
  if (shape.columns() == 1) return {};
  const auto columns = static_cast<std::size_t>(shape.columns());
  PairMoves moves;
  moves.levels = {std::vector<double>(columns, 0.0)};
  for (std::int64_t i = 0; i < std::min(shape.columns(), kMostApart); ++i) {
    for (const double own : {0.0, 1.0}) {
      moves.levels.emplace_back(columns, 1.0 - own)[static_cast<std::size_t>(i)] = own;
    }
  }
  moves.levels.emplace_back(columns, 1.0);
  return moves;
}

tl::unexpected<Error> faulty(const AuditedSubject& subject, std::int64_t round,
                             const std::string& what) {
  return fail(ErrorCode::kTarget, fmt::format("{}, round {}: {}", subject.id, round + 1, what));
}

// Whether, along a few runs, one input can give an action that its neighbour never gives. No likelihood bounds
// that. Errors: values that are not log-probabilities, probabilities that do not sum to 1, an action that does not
// exist.
Result<bool> is_one_sided(const AuditedSubject& subject) {
  const std::int64_t arms = subject.shape.arms;
  const std::int64_t of_pair = 2 * subject.shape.horizon * arms;
  const auto most = static_cast<std::size_t>(
      std::clamp<std::int64_t>(kJudgedProbabilities / of_pair, 1, kMostOwnPairs));
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::vector<double> log_p(static_cast<std::size_t>(arms));
  std::vector<double> log_q(log_p.size());
  bool one_sided = false;
  for (std::size_t i = 0; i < std::min(most, subject.hard_pairs.size()); ++i) {
    const auto process = subject.process(subject.hard_pairs[i]);
    for (const Side side : {Side::kBase, Side::kNeighbour}) {
      ReplayStream random({i, hash_purpose("own-case/judge"), side == Side::kNeighbour ? 1u : 0u});
      process->restart();
      while (process->round() < subject.shape.horizon) {
        process->log_probabilities(ArgmaxPrecision::kExact, log_p, log_q);
        for (const auto* logs : {&log_p, &log_q}) {
          double sum = 0.0;
          for (std::size_t a = 0; a < logs->size(); ++a) {
            sum += portable_exp((*logs)[a]);
          }
          if (std::fabs(sum - 1.0) > 1e-9) {
            return faulty(
                subject, process->round(),
                "the probabilities of all actions sum to " + number_text(sum) + ", not to 1");
          }
        }
        for (std::size_t a = 0; a < log_p.size(); ++a) {
          one_sided = one_sided || (log_p[a] == kNever) != (log_q[a] == kNever);
        }
        const int action = process->draw(side, random);
        if (action < 0 || action >= arms) {
          return faulty(subject, process->round(),
                        fmt::format("choose() gave {}, which is not an action from 0 to {}", action,
                                    arms - 1));
        }
        const auto drawn = static_cast<std::size_t>(action);
        if (log_p[drawn] == kNever && log_q[drawn] == kNever) {
          return faulty(
              subject, process->round(),
              fmt::format("choose() gave {}, to which log_probability() gives probability 0",
                          action));
        }
        process->advance(action);
      }
    }
  }
  return one_sided;
}

// Keeps the process only if its likelihood can bound the loss.
Status judge_process(AuditedSubject& subject) {
  if (subject.shape.horizon > kMostOwnRounds) {
    subject.process = nullptr;
    return {};
  }
  if (ASSAY_TRY(is_one_sided(subject))) {
    subject.process = nullptr;
    subject.notes.push_back(
        "one input can give an action that its neighbour never gives; no likelihood bounds that, so the audit uses events");
    return {};
  }
  subject.is_told = true;
  subject.moves = own_moves(subject.shape);
  subject.notes.push_back(
      "the class itself states the probabilities; the audit tests sampled actions against them");
  return {};
}

}  // namespace

CaseDescription detail::describe_own(const CustomCaseWords& words, InputKind kind,
                                     bool has_likelihood, std::vector<FieldDescription> fields,
                                     const std::vector<std::string_view>& missing) {
  CaseDescription d;
  d.id = words.id;
  d.title = words.title;
  d.about = words.about;
  d.relation = traits_of(kind).relation;
  d.view = view_of({.kind = kind});
  d.input = traits_of(kind).lines;
  d.input_kind = kind;
  d.methods = {"events"};
  if (has_likelihood) d.methods = {"exact (arms^horizon <= 2^24)", "likelihood", "events"};
  d.parameters = std::move(fields);
  for (const auto& field : describe_fields<InputShape>()) {
    if (contains(missing, field.name)) {
      d.parameters.push_back(field);
    }
  }
  return d;
}

Status detail::read_sizes(const std::vector<std::string_view>& missing,
                          std::vector<KeyValue>& given, InputShape& shape) {
  for (const auto name : missing) {
    if (const auto value = take_parameter(given, name)) ASSAY_TRY(set_field(shape, name, *value));
  }
  return {};
}

Result<AuditedSubject> detail::finished_own(AuditedSubject subject, const CustomCaseWords& words,
                                            const std::vector<std::string_view>& missing) {
  ASSAY_TRY(validate(subject.shape));
  ASSAY_TRY(take_guarantee(subject));
  subject.program = words.program;
  for (const auto& field : field_values(subject.shape)) {
    if (contains(missing, field.key)) {
      subject.parameters.push_back(field);
    }
  }
  for (auto& variable : claim_variables(subject.shape)) {
    if (contains(missing, variable.name)) {
      subject.variables.push_back(std::move(variable));
    }
  }
  const InputShape shape = subject.shape;
  subject.check = [shape](const InputPair& pair) { return check_own_input(shape, pair); };
  subject.hard_pairs = structural_pairs(shape, kMostOwnPairs);
  subject.beside = [shape](const std::shared_ptr<const InputTable>& base) {
    return pairs_beside(shape, base, kMostOwnPairs);
  };
  if (subject.process) ASSAY_TRY(judge_process(subject));
  return subject;
}

}  // namespace assay
