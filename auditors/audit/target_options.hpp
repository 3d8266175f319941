// The options that describe a program or plug-in, for all commands that run one.
#pragma once

#include <string>
#include <utility>

#include "assay/auditors/session/run_options.hpp"
#include "assay/mechanisms/core/options.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

inline OptionText target_option(std::string name, std::string type, std::string help) {
  return {std::move(name), std::move(type), std::move(help), OptionGroup::kTarget};
}
inline OptionText exec_option() {
  return target_option("exec", "COMMAND",
                       "Run the program of this command. It is started without a shell.");
}
inline OptionText plugin_option() {
  return target_option("plugin", "FILE", "Run this shared library (assay_policy_v1.h).");
}
inline OptionText domain_option() {
  OptionText text = target_option(
      "domain", "LOW:HIGH|integers",
      "The input has these values, for example -5:5: rewards, losses, contexts, or the numbers of "
      "a mechanism. Assay sends no others, and passes the domain to the target.");
  text.default_text = "0:1 for rewards and losses";
  return text;
}
inline OptionText answer_time_option(double most_seconds) {
  OptionText text = target_option("answer-time", "SECONDS",
                                  "Wait at most this long for an answer from the target.");
  text.default_text = "60";
  text.range = {0.01, most_seconds, "seconds"};
  return text;
}
inline OptionText memory_option() {
  OptionText text = target_option(
      "memory", "SIZE",
      "End a process of the target that holds more memory than this with all processes that it "
      "starts: 8G, 512M.");
  text.default_text = "half of the machine's memory; 8G of its own data for a plug-in";
  return text;
}
inline OptionText sandbox_option() {
  return target_option(
      "sandbox", "",
      "Run the program in a sandbox (bubblewrap): no network, files are read-only, "
      "TMPDIR is a scratch folder. It can still read what you can.");
}
inline OptionText round_outputs_option() {
  return target_option(
      "round-outputs", "STEP",
      "Round the numbers that the target reports to multiples of this number before the audit "
      "uses them. The low bits of most floating-point noise reveal the input.");
}
inline OptionText environment_option() {
  OptionText text = target_option(
      std::string(kEnvironmentOption), "NAME",
      "Let the target see this variable of the environment too. `all` stands for every variable.");
  text.default_text = "PATH, HOME, LANG and the like (docs/protocol.md)";
  return text;
}

// The jobs on which each part of the shape of the inputs has an effect.
template <class Facts>
struct ShapeUses {
  OptionUse<Facts> any, actions, contexts, mechanisms;
};
template <class Job>
void visit_shape(const VisitOption<Job>& visit, const ShapeUses<typename Job::Facts>& uses) {
  const auto at = &Job::shape;
  const auto add = [&](auto member, OptionText text, const OptionUse<typename Job::Facts>& use) {
    text.shows_default = text.type != "TEXT";
    visit(option(at, member, std::move(text), use));
  };
  add(&InputShape::kind, target_option("kind", "KIND", "The target makes decisions of this kind."),
      uses.any);
  add(&InputShape::arms, target_option("arms", "K", "The target chooses among this many actions."),
      uses.actions);
  add(&InputShape::horizon,
      target_option("horizon", "T", "A run of the target has this many rounds."), uses.actions);
  add(&InputShape::dimension,
      target_option("dimension", "D", "A context has this many entries (--kind contextual)."),
      uses.contexts);
  add(&InputShape::inputs,
      target_option("inputs", "N", "The input has this many numbers (--kind mechanism)."),
      uses.mechanisms);
  add(&InputShape::outputs,
      target_option("outputs", "N", "The output has this many numbers (--kind mechanism)."),
      uses.mechanisms);
  add(&InputShape::stops,
      target_option(
          "stops", "TEXT",
          "A run may end before its last round, or before the last number of a mechanism. "
          "The adversary sees when it ends."),
      uses.any);
  add(&InputShape::numbers,
      target_option("numbers", "N",
                    "The target reports this many numbers in each round, beside its action."),
      uses.actions);
  add(&InputShape::estimates,
      target_option("estimates", "N", "The target reports this many numbers at the end of a run."),
      uses.actions);
}

}  // namespace assay
