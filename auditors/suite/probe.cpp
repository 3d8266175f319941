#include "assay/auditors/suite/probe.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <variant>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/external/plugin_target.hpp"
#include "assay/policies/external/process_target.hpp"
#include "assay/policies/external/recorded_runs.hpp"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// ---- ELF

// `count` values of a plain type from this place of the file; nothing if the file ends before.
template <class T>
std::optional<std::vector<T>> read_values(std::ifstream& in, std::uint64_t at,
                                          std::uint64_t count) {
  in.clear();
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(in.tellg(), 0));
  if (at > size || count > (size - at) / sizeof(T)) return {};
  std::vector<T> values(count);
  in.seekg(static_cast<std::streamoff>(at));
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!in) return {};
  return values;
}

bool defines(const std::vector<Elf64_Sym>& symbols, const std::vector<char>& names,
             std::string_view name) {
  return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) return false;
    const char* first = names.data() + symbol.st_name;
    return std::string_view(first, strnlen(first, names.size() - symbol.st_name)) == name;
  });
}

// ---- the questions

constexpr int kSizes = 3;

// Three shapes of each kind, the most usual first, with more arms, or for mechanisms more numbers.
InputShape offered_shape(InputKind kind, int size) {
  constexpr std::array<std::int64_t, kSizes> kArms = {2, 4, 10};
  constexpr std::array<std::int64_t, kSizes> kInputs = {1, 2, 2};
  constexpr std::array<std::int64_t, kSizes> kOutputs = {1, 2, 1};
  const auto at = static_cast<std::size_t>(size);
  if (!traits_of(kind).has_rounds()) {
    return {.kind = kind, .inputs = kInputs[at], .outputs = kOutputs[at]};
  }
  return {.kind = kind, .arms = kArms[at], .horizon = 100, .dimension = 2};
}

// The offer with what the user states. Errors: a field that this kind does not have, values out of range.
Result<InputShape> as_stated(InputShape offer, const ProbeLimits& limits) {
  for (const auto& [name, value] : field_values(limits.stated)) {
    if (name == "kind" || !contains(limits.stated_fields, name)) continue;
    ASSAY_TRY(set_field(offer, name, value));
    if (contains(offer.used_fields(), name)) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--{} has no effect on kind {}", name, detail::value_text(offer.kind)));
  }
  offer.domain = limits.stated.domain;
  auto status = validate(offer);
  if (status) return offer;
  status.error().message.insert(0, "--");
  return tl::make_unexpected(status.error());
}

bool may_be(InputKind kind, const ProbeLimits& limits) {
  return kind == limits.stated.kind || !contains(limits.stated_fields, "kind");
}

// Errors: what is stated fits no kind.
Status check_stated(const ProbeLimits& limits) {
  Status status;
  for (const auto& [kind, name] : enum_names(InputKind{})) {
    if (!may_be(kind, limits)) continue;
    const auto shape = as_stated(offered_shape(kind, 0), limits);
    if (shape) return {};
    if (status) status = tl::make_unexpected(shape.error());
  }
  return status;
}

struct Greeted {
  std::string name;
  bool seeded = false;
  bool deterministic = false;
};

// Greets a target with a shape and makes one run.
Result<Greeted> greet(const ProbeResult& probed, const InputShape& shape,
                      const ChildLimits& limits) {
  Greeted greeted;
  std::unique_ptr<Target> target;
  if (probed.kind == ProbedKind::kPlugin) {
    auto plugin = ASSAY_TRY(PluginTarget::load(probed.word, shape, limits));
    greeted.seeded = plugin->seeded();
    target = std::move(plugin);
  } else {
    auto command = ASSAY_TRY(split_command(probed.word));
    auto program = ASSAY_TRY(ProcessTarget::start({std::move(command), shape, limits}));
    greeted.seeded = program->seeded();
    greeted.deterministic = program->deterministic();
    target = std::move(program);
  }
  greeted.name = target->name();
  const std::uint64_t seed = std::uint64_t{1} << 11;
  ASSAY_TRY(
      play_or_fail(*target, structural_pairs(shape, 1).front().base_input(), std::span(&seed, 1)));
  return greeted;
}

std::string shape_text(const InputShape& shape) {
  if (!shape.traits().has_rounds()) {
    return fmt::format("{} with {} inputs and {} outputs", detail::value_text(shape.kind),
                       shape.inputs, shape.outputs) +
           (shape.stops ? " that may stop" : "");
  }
  return fmt::format("{} with {} arms", detail::value_text(shape.kind), shape.arms) +
         (shape.stops ? " that may stop" : "");
}

// Offers every kind, larger shapes if it accepts none, and then shapes that may stop, since a target may reject all
// others or not report all their rounds. Error if it accepts none: its answer to the first.
Result<ProbeResult> offer_shapes(ProbeResult probed, const ProbeLimits& limits) {
  ASSAY_TRY(check_stated(limits));
  const auto end = Clock::now() + 4 * limits.answer;
  std::vector<std::string> answers;
  std::vector<InputShape> offered;
  for (int offer = 0; offer < 2 * kSizes && probed.shapes.empty(); ++offer) {
    for (const auto& [kind, name] : enum_names(InputKind{})) {
      if (!may_be(kind, limits)) continue;
      InputShape offer_of_kind = offered_shape(kind, offer % kSizes);
      offer_of_kind.stops = offer >= kSizes;
      const auto stated = as_stated(std::move(offer_of_kind), limits);
      if (!stated || contains(offered, *stated)) continue;
      const InputShape& shape = offered.emplace_back(*stated);
      const auto started = Clock::now();
      ChildLimits child;
      child.answer = std::min(limits.answer,
                              std::chrono::duration_cast<std::chrono::milliseconds>(end - started));
      child.cancel = limits.cancel;
      if (child.answer.count() <= 0) break;
      const auto greeted = greet(probed, shape, child);
      if (greeted) {
        if (probed.shapes.empty()) {
          probed.name = greeted->name;
          probed.seeded = greeted->seeded;
          probed.deterministic = greeted->deterministic;
        }
        probed.shapes.push_back(shape);
        continue;
      }
      if (greeted.error().code == ErrorCode::kInterrupted) {
        return tl::make_unexpected(greeted.error());
      }
      const std::string& said = greeted.error().message;
      if (answers.empty() || answers.back().find(said) == std::string::npos) {
        answers.push_back("offered a " + shape_text(shape) + ": " + said);
      }
      // It cannot be started, or does not answer: it will not for another shape.
      const bool hangs = Clock::now() - started >= child.answer;
      if (!hangs && said.find("cannot") != 0) continue;
      if (probed.shapes.empty()) return fail(ErrorCode::kTarget, answers.back());
      return probed;
    }
  }
  if (!probed.shapes.empty()) return probed;
  answers.resize(std::min<std::size_t>(answers.size(), 3));
  return fail(ErrorCode::kTarget, joined(answers));
}

bool begins_a_recording(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string start(4096, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  start.resize(std::min(start.size(), start.find('\n')));
  return start.find('{') == 0 && start.find("\"assay_transcripts\"") != std::string::npos;
}

Result<ProbeResult> probe_recording(const std::string& file) {
  const auto runs = ASSAY_TRY(read_recorded_runs(file));
  return ProbeResult{ProbedKind::kRecorded,
                     file,
                     fmt::format("{} recorded runs", runs.outputs.count),
                     {runs.shape}};
}

// A case and recorded runs know their shape.
Result<ProbeResult> without_shape(ProbeResult probed, const ProbeLimits& limits) {
  if (limits.stated_fields.empty() && !limits.stated.domain) return probed;
  const std::string name = limits.stated_fields.empty() ? "domain" : limits.stated_fields.front();
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--{} is for programs and shared libraries, not for {}", name,
                          probed.kind == ProbedKind::kCase ? "a case" : "recorded runs"));
}

// Says why an argument that is not a case cannot be audited, before or after it was started.
std::string no_case(const std::string& word) {
  std::vector<std::string> known;
  for (const auto& one : audit_cases()) known.emplace_back(one->id());
  std::string text = "'" + plain_text(word) + "' is not a case (`assay list cases` names them)";
  const std::string hint = nearest_hint(word, known);
  const std::size_t near = hint.find("did you mean");
  return near == std::string::npos ? text : text + " (" + hint.substr(near) + ")";
}

// ---- the starter

std::string suite_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    out += text[i];
    if (text[i] == '$' && (next == '{' || next == '$')) out += '$';  // a dollar in a suite's text
  }
  return toml_text(out);
}

// The letters, digits and "-_." of the last file that a command names.
std::string id_of(const ProbeResult& probed) {
  std::string name = probed.word;
  if (probed.kind == ProbedKind::kProgram) {
    if (const auto words = split_command(probed.word)) {
      name = words->front();
      for (const auto& word : *words) {
        if (word.find('.') != std::string::npos && word[0] != '-') name = word;
      }
    }
  }
  if (probed.kind != ProbedKind::kCase) name = std::filesystem::path(name).stem().string();
  std::string id;
  for (const char c : name.substr(0, 60)) {
    const auto code = static_cast<unsigned char>(c);
    const bool plain = code < 0x80 && (std::isalnum(code) != 0 || c == '-' || c == '_' || c == '.');
    id += plain ? c : '-';
  }
  return id.empty() ? "policy" : id;
}

std::string shape_lines(const InputShape& shape) {
  std::string text = fmt::format("kind = \"{}\"\n", detail::value_text(shape.kind));
  if (!shape.traits().has_rounds()) {
    text += fmt::format(
        "inputs = {}    # numbers that it reads\noutputs = {}   # numbers that it answers with\n",
        shape.inputs, shape.outputs);
  } else {
    text += fmt::format("arms = {}\nhorizon = {}\n", shape.arms, shape.horizon);
  }
  if (shape.traits().has_contexts()) {
    text += fmt::format("dimension = {}\n", shape.dimension);
  }
  if (shape.stops) text += "stops = true    # a run may end early, and the adversary sees when\n";
  if (shape.numbers > 0) text += fmt::format("numbers = {}\n", shape.numbers);
  if (shape.estimates > 0) text += fmt::format("estimates = {}\n", shape.estimates);
  if (shape.domain) text += fmt::format("domain = \"{}\"\n", shape.domain->text());
  return text;
}

bool promises_nothing(const AuditedSubject& subject) {
  const auto* pure = std::get_if<PureDp>(&subject.stated.level);
  return pure != nullptr && !std::isfinite(pure->epsilon.value);
}

constexpr std::string_view kClaimToState =
    "# STATE what the policy guarantees, and remove the #. The audit checks the policy against it.\n"
    "# \"eps=..\", \"eps=..,delta=..\" or \"mu=..\"; arithmetic over the sizes works: \"mu=sqrt(T/2)\".\n"
    "# claim = \"eps=..\"\n";

std::string claim_lines(const StarterTerms& terms) {
  if (terms.claim.empty()) return std::string(kClaimToState);
  return "claim = " + suite_text(terms.claim) + "\n";
}

// "about 40 s", "about 12 min", "about 3 days", "more runs than an audit may have".
std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "more runs than an audit may have";
  constexpr std::array<std::pair<double, const char*>, 3> kUnits = {
      {{86400.0, "days"}, {3600.0, "hours"}, {60.0, "min"}}};
  for (const auto& [size, unit] : kUnits) {
    if (seconds >= 2.0 * size) return fmt::format("about {} {}", rounded(seconds / size, 2), unit);
  }
  return fmt::format("about {} s", rounded(std::max(seconds, 1.0), 2));
}

// What to correct before the audit means anything.
std::string mistake_lines(const StarterTerms& terms) {
  std::string text;
  for (const std::string& mistake : terms.mistakes) {
    text += "# MISTAKE, to correct before this entry means anything (`assay try` shows more):\n";
    for (const auto& line : detail::fill(detail::words_of(plain_text(mistake)), 100)) {
      text += "#   " + line + "\n";
    }
  }
  return text;
}

// The budget of an audit by runs, and the leak that it has to see.
std::string budget_lines(const StarterTerms& terms) {
  std::string text;
  if (!terms.failure.empty()) {
    text += "# The dry run failed, so this number is not measured; `assay try` shows more:\n# " +
            plain_text(terms.failure) + "\n";
  }
  if (!terms.budget) {
    return text + "samples = 1000   # certified runs on each input; more runs see smaller leaks\n";
  }
  const StarterBudget& budget = *terms.budget;
  const std::string time = fmt::format("{} here, with {} {}", duration_text(budget.seconds),
                                       budget.threads, plural(budget.threads, "thread"));
  if (budget.too_small) {
    text += fmt::format(
        "# To see a leak of {}, as it should for the claim {}, takes {}. This is what fewer runs see.\n"
        "# A plug-in in C or a program that makes its runs faster, more cores, or a nightly run help.\n",
        rounded(*budget.too_small, 4), budget.for_claim, duration_text(budget.too_long));
  }
  text += fmt::format("runs = {}   # at most {}\n", budget.runs, time);
  if (!terms.claim.empty() && budget.see) {
    text +=
        "stop-when-decided = true   # ends as soon as the claim is refuted, or a leak of `see` would have been seen\n";
  }
  if (terms.claim.empty() && budget.see) {
    text += fmt::format("# So many runs see a leak of eps = {} where the claim is {}.\n",
                        rounded_up(*budget.see, 3), budget.for_claim);
  }
  return text;
}

// Without a claim, any level may be below it, and is then refused.
std::string see_lines(const StarterTerms& terms) {
  if (!terms.claim.empty() && terms.budget && terms.budget->see) {
    return fmt::format("see = {}   # the leak that the audit must see, or else it is weak\n",
                       rounded_up(*terms.budget->see, 3));
  }
  return "# see = 1.5          # the leak that the audit must see, or else it is weak: 1.5 times the claim\n";
}

std::string tier_lines(const StarterTerms& terms) {
  // The smoke tier ends within 10 s, and estimates may be wrong by a factor.
  constexpr double kMostOfSmoke = 4.0;
  if (terms.budget && terms.budget->seconds > kMostOfSmoke) {
    return "tier = \"full\"      # too slow for `assay suite run --tier smoke`\n";
  }
  return "tags = [\"smoke\"]\n"
         "tier = \"smoke\"     # runs with `assay suite run --tier smoke` as well\n";
}

std::string case_entry(const ProbeResult& probed, const StarterTerms& terms) {
  std::string text = "case = " + suite_text(probed.word) + "\n";
  text += fmt::format("# parameters = {{name = value}}   # `assay explain {}` lists them\n",
                      probed.word);
  if (!terms.claim.empty()) return text + claim_lines(terms);
  const auto found = find_audit_case(probed.word);
  const auto subject = found ? (*found)->subject({}) : tl::make_unexpected(found.error());
  if (!subject || promises_nothing(*subject)) {
    return text + "# The case itself guarantees no privacy.\n" + std::string(kClaimToState);
  }
  return text + fmt::format(
                    "# Without a claim it is checked against its own guarantee: {}.\n"
                    "# claim = \"eps=..\"\n",
                    to_string(subject->stated.level));
}

std::string target_entry(const ProbeResult& probed, const StarterTerms& terms) {
  std::string text;
  if (probed.kind == ProbedKind::kRecorded) {
    text = "# The runs on an input D, and those on a neighbour D'.\ntranscripts = [" +
           suite_text(probed.word) + ", " + suite_text("runs-on-the-neighbour.ndjson") + "]\n" +
           fmt::format("# The files say the shape: {}.\n", shape_text(probed.shapes.front()));
  } else {
    // A library without a folder is a file beside the suite, not one of the system.
    text = fmt::format("{} = {}\n", detail::value_text(probed.kind), suite_text(probed.word));
    if (!terms.depends.empty()) {
      text +=
          "# Modules count that import statements name. Add every other file that decides what the program does.\n";
      text += "depends = [" + joined(terms.depends, suite_text) + "]\n";
    }
    if (probed.shapes.size() > 1) {
      text += "# It also accepts " + joined(std::span(probed.shapes).subspan(1), shape_text) +
              ". Name the kind that it is meant for.\n";
    }
    text += shape_lines(probed.shapes.front());
    text += budget_lines(terms);
    if (probed.deterministic) text += "# It says that runs on one input are meant to be alike.\n";
    text += probed.seeded ? "# It says that its seed decides a run, so leaks come with a witness.\n"
                          : "# It does not say that its seed decides a run (docs/protocol.md).\n";
  }
  return text + claim_lines(terms);
}

}  // namespace

std::optional<bool> defines_symbol(const std::string& file, std::string_view name) {
  std::ifstream in(file, std::ios::binary);
  const auto header = read_values<Elf64_Ehdr>(in, 0, 1);
  if (!header || std::memcmp(header->front().e_ident, ELFMAG, SELFMAG) != 0) return {};
  const Elf64_Ehdr& elf = header->front();
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_ident[EI_DATA] != ELFDATA2LSB) return {};
  if (elf.e_shentsize != sizeof(Elf64_Shdr)) return false;
  const auto sections = read_values<Elf64_Shdr>(in, elf.e_shoff, elf.e_shnum);
  if (!sections) return false;
  for (const Elf64_Shdr& section : *sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections->size()) continue;
    const Elf64_Shdr& texts = (*sections)[section.sh_link];
    const auto symbols =
        read_values<Elf64_Sym>(in, section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    const auto names = read_values<char>(in, texts.sh_offset, texts.sh_size);
    if (symbols && names && defines(*symbols, *names, name)) return true;
  }
  return false;
}

Result<ProbeResult> probe(const std::string& word, const ProbeLimits& limits) {
  constexpr std::string_view kSymbol = "assay_policy_v1_get";
  if (word.empty()) return fail(ErrorCode::kInvalidArgument, "name a case, a file or a command");
  if (const auto found = find_audit_case(word)) {
    return without_shape({ProbedKind::kCase, word, (*found)->describe().title, {}}, limits);
  }
  std::string tried = no_case(word);
  std::error_code ignored;
  const auto status = std::filesystem::status(word, ignored);
  if (std::filesystem::is_directory(status)) {
    return fail(ErrorCode::kInvalidArgument, tried + ", and a folder");
  }
  std::string command = word;
  if (std::filesystem::is_regular_file(status)) {
    if (begins_a_recording(word)) {
      return without_shape(ASSAY_TRY(probe_recording(word)), limits);
    }
    const auto is_plugin = defines_symbol(word, kSymbol);
    if (is_plugin && *is_plugin) {
      auto probed = offer_shapes({ProbedKind::kPlugin, word, {}, {}}, limits);
      if (probed || probed.error().code == ErrorCode::kInterrupted) return probed;
      return fail(ErrorCode::kTarget,
                  fmt::format("the shared library '{}' defines {}, but accepts "
                              "no shape that it is offered: {}",
                              plain_text(word), kSymbol, probed.error().message));
    }
    if (is_plugin) tried += fmt::format(", and a binary that does not define {}", kSymbol);
    if (access(word.c_str(), X_OK) != 0) {
      tried += is_plugin ? ", nor may it be executed"
                         : ", no recorded runs ({\"assay_transcripts\": 1, ..} in the first line) "
                           "and no file that may be executed; a script needs its interpreter, as "
                           "in \"python3 policy.py\"";
      return fail(ErrorCode::kInvalidArgument, tried);
    }
    // Like a shell, --exec looks for a name without a folder in PATH only.
    if (word.find('/') == std::string::npos) command = "./" + word;
    if (command.find_first_of(" \t'\"\\") != std::string::npos) command = "'" + command + "'";
  }
  auto probed = probe_program(command, limits);
  if (!probed && probed.error().code == ErrorCode::kTarget) {
    probed.error().message = tried + "; " + probed.error().message;
  }
  return probed;
}

Result<ProbeResult> probe_program(const std::string& command, const ProbeLimits& limits) {
  auto probed = offer_shapes({ProbedKind::kProgram, command, {}, {}}, limits);
  if (probed || probed.error().code == ErrorCode::kInterrupted) return probed;
  return fail(ErrorCode::kTarget,
              "as a program (docs/protocol.md) it was " + probed.error().message);
}

std::string starter_suite(const ProbeResult& probed, const StarterTerms& terms) {
  std::string text =
      "# `assay suite run` checks this suite. `assay suite init` wrote it.\n"
      "schema = \"assay.suite/1\"\n";
  text += fmt::format("name = {}\n", suite_text(id_of(probed)));
  text +=
      "confidence = 0.999   # everything certified holds simultaneously with this probability\n"
      "\n";
  text += fmt::format("# {}\n", plain_text(probed.name));
  text += mistake_lines(terms);
  text += fmt::format("[[audit]]\nid = {}\n", suite_text(id_of(probed)));
  text +=
      probed.kind == ProbedKind::kCase ? case_entry(probed, terms) : target_entry(probed, terms);
  text += tier_lines(terms);
  text +=
      "# severity = \"warn\"   # a failure: deny fails the run, warn is reported, allow is listed\n";
  return text + see_lines(terms);
}

}  // namespace assay
