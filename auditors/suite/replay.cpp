#include "assay/auditors/suite/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <utility>

#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/audit/target_options.hpp"
#include "assay/auditors/audit/target_settings.hpp"
#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/external/containment.hpp"
#include "assay/policies/external/plugin_target.hpp"
#include "assay/policies/external/process_target.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostWritten = 10'000;  // numbers of an input

using F = const ReplayFacts&;
using ReplayUse = OptionUse<ReplayFacts>;
constexpr ReplayUse kOfCases = {"cases, not for external targets",
                                [](F f) { return f.subject == SubjectKind::kCase; }};
constexpr ReplayUse kOfTargets = {"external targets",
                                  [](F f) { return f.subject != SubjectKind::kCase; }};
constexpr ReplayUse kOfPlayers = {
    "external targets that choose actions",
    [](F f) { return f.subject != SubjectKind::kCase && traits_of(f.kind).has_rounds(); }};
constexpr ReplayUse kOfOutputs = {
    "external targets of --kind mechanism",
    [](F f) { return f.subject != SubjectKind::kCase && !traits_of(f.kind).has_rounds(); }};

ReplayFacts facts_of(const ReplayJob& job) {
  return {!job.exec.empty()     ? SubjectKind::kProgram
          : !job.plugin.empty() ? SubjectKind::kPlugin
                                : SubjectKind::kCase,
          job.shape.kind, OutputLayout(job.shape).tells_numbers()};
}

// The shape of a target, with the domain.
Result<InputShape> shape_of(const ReplayJob& job) {
  InputShape shape = job.shape;
  if (!job.domain.empty()) shape.domain = ASSAY_TRY(parse_domain(job.domain));
  return shape;
}

// "0,1;1,0": a row of numbers between semicolons.
Result<InputTable> read_rows(const std::string& option, const std::string& text) {
  InputTable table{0, 0, {}};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    std::int64_t columns = 0;
    while (at <= end) {
      const std::size_t comma = std::min(text.find(',', at), end);
      const auto value = parse_number(std::string_view(text).substr(at, comma - at));
      if (!value) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("{}: row {} {}", option, table.rows + 1, value.error().message));
      }
      table.values.push_back(*value);
      ++columns;
      at = comma + 1;
    }
    if (table.rows > 0 && columns != table.columns) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: row {} has {} numbers, those before it {}", option,
                              table.rows + 1, columns, table.columns));
    }
    table.columns = columns;
    ++table.rows;
  }
  return table;
}

// ---- cases

Result<std::vector<double>> play_case(const AuditedSubject& subject, const InputPair& pair,
                                      Side side, std::uint64_t seed) {
  ReplayStream random({seed, hash_purpose("suite/replay")});
  std::vector<double> out;
  if (subject.play) {
    const InputTable input = side == Side::kBase ? pair.base_input() : pair.neighbour_input();
    subject.play(input.values, random, out);
  } else if (subject.process) {
    const auto process = subject.process(pair);
    while (process->round() < process->horizon()) {
      const int action = process->draw(side, random);
      out.push_back(action);
      process->advance(action);
    }
  } else if (subject.release) {
    const auto release = ASSAY_TRY(subject.release(pair));
    const auto actions = release->sample(side, random).actions;
    out.assign(actions.begin(), actions.end());
  } else {
    return fail(ErrorCode::kInvalidArgument,
                subject.id + " cannot be run: only its distribution is known");
  }
  return out;
}

Result<WitnessSubject> case_subject(const AuditCase& audit_case,
                                    const std::vector<KeyValue>& parameters) {
  const auto subject =
      std::make_shared<const AuditedSubject>(ASSAY_TRY(audit_case.subject(parameters)));
  WitnessSubject out;
  out.shape = subject->shape;
  out.check = subject->check;
  out.play = [subject](const InputPair& pair, Side side, std::uint64_t seed) {
    return play_case(*subject, pair, side, seed);
  };
  const auto& values = subject->parameters;
  const auto horizon = std::find_if(values.begin(), values.end(),
                                    [](const KeyValue& one) { return one.key == "horizon"; });
  if (!subject->shape.traits().has_rounds() || horizon == values.end()) return out;
  out.of_horizon = [&audit_case, subject, at = static_cast<std::size_t>(horizon - values.begin())](
                       std::int64_t rounds) -> Result<WitnessSubject> {
    auto other = subject->parameters;
    other[at].value = std::to_string(rounds);
    return case_subject(audit_case, other);
  };
  return out;
}

// ---- targets

// Starts the target at its first run, and again after a failure.
class ReplayedTarget {
 public:
  ReplayedTarget(const ReplayJob& job, const InputShape& shape, const RunControl& control)
      : job_(job), shape_(shape) {
    limits_.cancel = control.cancel;
    limits_.environment = job.env;
    limits_.sandbox = job.sandbox;
    if (const auto read = parse_memory(job.memory))
      limits_.memory_bytes = limits_.data_bytes = *read;
    const double seconds = std::min({job.answer_time.value_or(60.0), control.seconds_left(), 1e6});
    limits_.answer = std::chrono::milliseconds(
        std::max<std::int64_t>(static_cast<std::int64_t>(seconds * 1e3), 1));
    if (job.round_outputs) plan_.output_grid = job.round_outputs->value;
  }
  const InputShape& shape() const { return shape_; }

  Status start() {
    if (target_) return {};
    if (job_.exec.empty()) {
      target_ = ASSAY_TRY(PluginTarget::load(job_.plugin, shape_, limits_));
    } else {
      auto command = ASSAY_TRY(split_command(job_.exec));
      target_ = ASSAY_TRY(ProcessTarget::start({std::move(command), shape_, limits_}));
    }
    return {};
  }

  Result<std::vector<double>> play(const InputPair& pair, Side side, std::uint64_t seed) {
    ASSAY_TRY(start());
    // A program gets the upper 53 bits of a seed (process_target.cpp).
    const std::uint64_t given = job_.exec.empty() ? seed : seed << 11;
    auto batch =
        play_or_fail(*target_, side == Side::kBase ? pair.base_input() : pair.neighbour_input(),
                     std::span(&given, 1));
    if (!batch) {
      target_.reset();
      return tl::make_unexpected(batch.error());
    }
    keep_view(shape_, pair.changed_row(), plan_, *batch);
    return std::move(batch->values);
  }

 private:
  ReplayJob job_;
  InputShape shape_;
  ChildLimits limits_;
  BlackBoxPlan plan_;  // only its grid is used
  std::unique_ptr<Target> target_;
};

// The same target at several horizons. The last few processes stay alive.
struct TargetFamily {
  static constexpr std::size_t kMostRunning = 8;
  ReplayJob job;
  RunControl control;
  InputPair pair;  // gives the relation
  std::deque<std::shared_ptr<ReplayedTarget>> running;

  Result<std::shared_ptr<ReplayedTarget>> of_shape(const InputShape& shape) {
    for (const auto& one : running) {
      if (one->shape() == shape) return one;
    }
    auto fresh = std::make_shared<ReplayedTarget>(job, shape, control);
    ASSAY_TRY(found_by_first(control, [&] { return fresh->start(); }));
    running.push_back(fresh);
    if (running.size() > kMostRunning) running.pop_front();
    return fresh;
  }
};

// How a mechanism's two inputs differ decides whether they are neighbours (input_pairs.hpp).
Status check_relation(const InputShape& shape, const InputPair& first, const InputPair& pair) {
  ASSAY_TRY(check_input(shape, pair.base_input()));
  ASSAY_TRY(check_input(shape, pair.neighbour_input()));
  if (shape.traits().has_rounds() || pair == first) return {};
  const Relation asked = relation_of(shape, first);
  const Relation is = relation_of(shape, pair);
  const bool allows = asked != Relation::kTwoInputs && is != Relation::kTwoInputs;
  if (allows && (asked == Relation::kAllAnswers || is == asked)) return {};
  return fail(ErrorCode::kInvalidArgument,
              "the two inputs are not neighbours under the same relation");
}

Result<WitnessSubject> target_subject(const std::shared_ptr<TargetFamily>& family,
                                      const InputShape& shape) {
  const auto target = ASSAY_TRY(family->of_shape(shape));
  WitnessSubject out;
  out.shape = shape;
  out.play = [target, family](const InputPair& pair, Side side, std::uint64_t seed) {
    return found_by_first(family->control, [&] { return target->play(pair, side, seed); });
  };
  out.check = [family, shape](const InputPair& pair) {
    return check_relation(shape, family->pair, pair);
  };
  if (!shape.traits().has_rounds()) return out;
  out.of_horizon = [family, shape](std::int64_t horizon) -> Result<WitnessSubject> {
    InputShape other = shape;
    other.horizon = horizon;
    return target_subject(family, other);
  };
  out.horizon_runs = 40;  // an interpreter needs tens of milliseconds to start
  return out;
}

Result<WitnessSubject> replayed_subject(const ReplayJob& job, const InputPair& pair,
                                        const RunControl& control) {
  if (facts_of(job).subject == SubjectKind::kCase) {
    const AuditCase* audit_case = ASSAY_TRY(find_audit_case(job.case_id));
    return case_subject(*audit_case, job.parameters);
  }
  const auto family = std::make_shared<TargetFamily>(TargetFamily{job, control, pair, {}});
  return target_subject(family, ASSAY_TRY(shape_of(job)));
}

Status check_job(const ReplayJob& job) {
  const auto bad = [](std::string_view message) {
    return fail(ErrorCode::kInvalidArgument, message);
  };
  const auto given = [](const std::string& text) { return text.empty() ? 0 : 1; };
  if (given(job.case_id) + given(job.exec) + given(job.plugin) != 1) {
    return bad("replay needs one of a case, --exec and --plugin");
  }
  const ReplayFacts facts = facts_of(job);
  ASSAY_TRY(check_options(
      job, facts,
      facts.subject == SubjectKind::kCase
          ? "a replay of " + job.case_id
          : fmt::format("a replay of an external {}", detail::value_text(facts.kind))));
  if (job.base_input.empty() || job.neighbour_input.empty())
    return bad("replay needs both --old and --new");
  if (job.round_outputs && !(job.round_outputs->value > 0.0)) {
    return bad("--round-outputs must be positive, not " + job.round_outputs->text());
  }
  if (facts.subject == SubjectKind::kCase) return {};
  const auto shape = shape_of(job);
  if (!shape) return bad("--" + shape.error().message);
  if (const auto status = validate(*shape); !status) return bad("--" + status.error().message);
  if (const auto status = check_environment(job.env); !status) {
    return bad("--env " + status.error().message);
  }
  if (const auto size = parse_memory(job.memory); !job.memory.empty() && !size) {
    return bad("--memory " + size.error().message);
  }
  return {};
}

// Makes both runs, twice.
Result<Witness> replay(const ReplayJob& job, const InputPair& pair, const RunControl& control) {
  const auto subject = ASSAY_TRY(replayed_subject(job, pair, control));
  ASSAY_TRY(subject.check(pair));
  const auto seed = static_cast<std::uint64_t>(job.seed);
  Witness witness{subject.shape, pair, seed, 0, {}, {}, 4, false};
  witness.base_output = ASSAY_TRY(subject.play(pair, Side::kBase, seed));
  witness.neighbour_output = ASSAY_TRY(subject.play(pair, Side::kNeighbour, seed));
  const auto neighbour_again = ASSAY_TRY(subject.play(pair, Side::kNeighbour, seed));
  const auto base_again = ASSAY_TRY(subject.play(pair, Side::kBase, seed));
  const auto differs = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return parting_round(subject.shape, pair.changed_row(), a, b).has_value();
  };
  if (differs(witness.base_output, base_again) ||
      differs(witness.neighbour_output, neighbour_again)) {
    return fail(ErrorCode::kTarget,
                fmt::format("the target does not always answer seed {} in the same way, so its "
                            "runs cannot be repeated",
                            seed));
  }
  witness.round = parting_round(subject.shape, pair.changed_row(), witness.base_output,
                                witness.neighbour_output)
                      .value_or(0);
  return witness;
}

std::string sentence(const Witness& witness) {
  if (witness.round == 0) {
    return fmt::format("With the same randomness (seed {}), the two runs are alike.", witness.seed);
  }
  std::string text = witness_text(witness) + ".";
  text.front() = 'W';
  return text;
}

constexpr const char* kCertifiesNothing =
    "This shows where the input takes effect. It certifies nothing: runs of a private policy "
    "diverge as well.";

std::string numbers_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + number_text(value);
  return text;
}

// The command that replays a witness, from an audit's job and the subject in its report.
Result<ReplayJob> replay_job(const AuditJob& job, const AuditReport& report) {
  ReplayJob out;
  if (!job.is_outside()) {
    out.case_id = report.case_id;
    out.parameters = report.parameters;
    return out;
  }
  out.exec = job.exec;
  out.plugin = job.plugin;
  out.shape = job.shape;
  out.domain = job.domain;
  out.round_outputs = job.round_outputs;
  out.answer_time = job.answer_time;
  out.env = job.env;
  out.memory = job.memory;
  out.sandbox = job.sandbox;
  if (job.exec.empty() || job.vary.empty()) return out;
  const auto settings =
      ASSAY_TRY(target_settings(job.exec, job.vary, job.settings.value_or(kDefaultSettings)));
  for (const Setting& setting : settings) {
    const bool is_certified = std::all_of(
        setting.parameters.begin(), setting.parameters.end(), [&](const KeyValue& value) {
          return std::any_of(report.parameters.begin(), report.parameters.end(),
                             [&](const KeyValue& used) {
                               return used.key == value.key && used.value == value.value;
                             });
        });
    if (is_certified) out.exec = setting.command;
  }
  return out;
}

std::string replay_command(ReplayJob job, const Witness& witness) {
  job.shape = witness.shape;
  job.base_input = rows_text(witness.pair.base_input());
  job.neighbour_input = rows_text(witness.pair.neighbour_input());
  job.seed = static_cast<std::int64_t>(witness.seed);
  for (auto& value : job.parameters) {
    if (value.key == "horizon" && witness.shape.traits().has_rounds()) {
      value.value = std::to_string(witness.shape.horizon);
    }
  }
  std::vector<std::string_view> names = {"case", "parameter", "exec", "plugin"};
  if (job.case_id.empty()) {
    const auto shape = witness.shape.used_fields();
    names.insert(names.end(), shape.begin(), shape.end());
  }
  names.insert(names.end(),
               {"domain", "old", "new", "seed", "round-outputs", "memory", "sandbox", "env"});
  return command_line("assay replay", job, names);
}

}  // namespace

void ReplayJob::fields(const VisitOption<ReplayJob>& visit) {
  using J = ReplayJob;
  visit(option(&J::case_id,
               {.name = "case",
                .type = "CASE",
                .help = "Run this case. `assay list cases` names the cases.",
                .is_positional = true},
               kOfCases));
  visit(option(
      &J::parameters,
      parameter_option("Set a parameter of the case. `assay explain CASE` lists the parameters."),
      kOfCases));
  visit(option(
      &J::base_input,
      {"old", "ROWS",
       "The base input D: rows between semicolons, their numbers between commas, as \"0;1;1\" "
       "or \"0,1;1,0\"."}));
  visit(option(&J::neighbour_input,
               {"new", "ROWS", "The neighbouring input D', one row different."}));
  auto seed = seed_option();
  seed.range = {0, 9007199254740991};  // as a program is given it
  visit(option(&J::seed, seed));
  visit(option(&J::exec, exec_option(),
               {"a program", [](F f) { return f.subject == SubjectKind::kProgram; }}));
  visit(option(&J::plugin, plugin_option(),
               {"a shared library", [](F f) { return f.subject == SubjectKind::kPlugin; }}));
  visit_shape(visit, ShapeUses<ReplayFacts>{kOfTargets,
                                            kOfPlayers,
                                            {"external targets of --kind contextual",
                                             [](F f) {
                                               return f.subject != SubjectKind::kCase &&
                                                      traits_of(f.kind).has_contexts();
                                             }},
                                            kOfOutputs});
  visit(option(&J::domain, domain_option(), kOfTargets));
  visit(option(&J::round_outputs, round_outputs_option(),
               {"external mechanisms, and targets with --numbers or --estimates",
                [](F f) { return f.subject != SubjectKind::kCase && f.tells_numbers; }}));
  visit(option(&J::answer_time, answer_time_option(1e9), kOfTargets));
  visit(option(&J::env, environment_option(), kOfTargets));
  visit(option(&J::memory, memory_option(), kOfTargets));
  visit(option(&J::sandbox, sandbox_option(),
               {"--exec", [](F f) { return f.subject == SubjectKind::kProgram; }}));
  visit_output(visit, {"text", "json"});
}

Result<PreparedJob<Witness>> prepare(const ReplayJob& job) {
  ASSAY_TRY(check_job(job));
  auto base_input = ASSAY_TRY(read_rows("--old", job.base_input));
  auto neighbour_input = ASSAY_TRY(read_rows("--new", job.neighbour_input));
  auto pair = ASSAY_TRY(pair_of(std::move(base_input), std::move(neighbour_input)));
  return [job, pair = std::move(pair)](const Session& session) {
    return replay(job, pair, session.control);
  };
}

std::string to_text(const Witness& witness, const TextStyle& style) {
  doc::Document document;
  document.paragraph(sentence(witness));
  if (witness.round > 0) document.add_close(doc::Paragraph{kCertifiesNothing});
  doc::Facts facts;
  facts.add("Input D", rows_text(witness.pair.base_input()));
  facts.add("Input D'", rows_text(witness.pair.neighbour_input()));
  facts.add("Output D", numbers_text(told_of(witness.shape, witness.base_output)));
  facts.add("Output D'", numbers_text(told_of(witness.shape, witness.neighbour_output)));
  document.add(facts);
  return to_terminal(document, style);
}

void fields(const Witness& witness, Fields visit) {
  const auto output = [&](const std::vector<double>& told) {
    return [&] { return told_of(witness.shape, told); };
  };
  report_head(visit, "assay.replay-report/2", "The result of `assay replay`.");
  visit("statement", [&] { return sentence(witness); });
  visit.constant("certifies", "nothing: runs of a private policy differ as well");
  visit.seed(witness.seed);
  visit.or_null("round", witness.round, "The first round at which the runs diverge; null if none.");
  visit("base_input", [&] { return input_text(witness.pair.base_input()); });
  visit("neighbour_input", [&] { return input_text(witness.pair.neighbour_input()); });
  visit("base_output", output(witness.base_output));
  visit("neighbour_output", output(witness.neighbour_output));
}

std::string to_json(const Witness& witness) { return json_text_of(witness); }
std::string replay_report_schema() { return schema_of<Witness>(); }

AuditWitness audit_witness(const AuditJob& job, const AuditReport& report, const WitnessPlan& plan,
                           const RunControl& control) {
  const auto none = [](std::string why) {
    return AuditWitness{{}, "no runs to show: " + std::move(why), {}};
  };
  if (!job.transcripts.empty()) return none("recorded runs cannot be repeated");
  const InputPair& pair = report.pair.inputs;
  if (report.canaries || !pair.is_known() || pair.edit().values.empty()) {
    return none("the audit has no single pair of inputs");
  }
  if (!job.neighbours.empty()) return none("a replay cannot give the target --neighbours");
  if (control.stopped()) return none("the run was stopped before the search for them");
  const auto replayed = replay_job(job, report);
  if (!replayed) return none(replayed.error().message);
  const auto subject = replayed_subject(*replayed, pair, control);
  if (!subject) return none(subject.error().message);
  auto finding = find_witness(*subject, pair, plan, control);
  if (!finding.witness) return none(std::move(finding.why_none));
  const auto numbers = static_cast<std::int64_t>(finding.witness->pair.base_input().values.size());
  if (numbers > kMostWritten) {
    return none(fmt::format("{}, but an input of {} numbers is too long to be written out",
                            witness_text(*finding.witness), numbers));
  }
  AuditWitness out{entry_witness(*finding.witness), witness_text(*finding.witness), {}};
  const InputShape& shape = finding.witness->shape;
  if (shape.traits().has_rounds() && shape.horizon < subject->shape.horizon) {
    out.cut = fmt::format("the replay is cut from {} rounds to {}", subject->shape.horizon,
                          shape.horizon);
  }
  if (!finding.witness->is_minimal) out.text += "; a smaller input may show it";
  out.entry->command = replay_command(*replayed, *finding.witness);
  return out;
}

}  // namespace assay
