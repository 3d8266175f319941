// assay completion: prints completions for shells, from the description of each command.
#include <algorithm>
#include <map>

#include "assay/auditors/account/account_job.hpp"
#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/auditors/text/glossary.hpp"
#include "assay/cli/command_text.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/methods.hpp"
#include "assay/cli/papers.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

using Words = std::vector<std::string>;

// The values that one argument may have.
struct Values {
  Words words;
  bool has_files = false;
  bool has_folders = false;

  bool is_open() const { return words.empty() && !has_files && !has_folders; }
};

std::string spaced(const Words& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// In single quotes, as bash and zsh read them.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

// The summary of an option in one line, as in the short help.
std::string line_of(const OptionText& option) {
  const std::string& help = option.help;
  std::string line = help.substr(0, std::min({help.find(". "), help.find("; "), help.find(": ")}));
  if (line.ends_with('.')) line.pop_back();
  return line;
}

class Script {
 public:
  Script(const CommandText& root, const NamesOfType& names) : root_(root), names_(names) {
    collect(root);
  }
  virtual ~Script() = default;

 protected:
  Values values_of(const OptionText& option) const {
    Values values;
    values.words = option.choices.empty() ? names_(option.type) : option.choices;
    const auto has = [&](std::string_view word) {
      return option.type.find(word) != std::string::npos;
    };
    values.has_files = has("FILE") || has("COMMAND") || has("POLICY") || has("D D'");
    values.has_folders = has("FOLDER");
    return values;
  }

  // The arguments of a command beside options: names of commands below it, and positional arguments.
  Values arguments_of(const CommandText& command) const {
    Values all;
    for (const auto& below : command.commands) {
      if (!below.is_hidden) all.words.push_back(below.word());
    }
    for (const auto& option : command.options) {
      if (!option.is_positional) continue;
      const Values one = values_of(option);
      all.words.insert(all.words.end(), one.words.begin(), one.words.end());
      all.has_files = all.has_files || one.has_files;
      all.has_folders = all.has_folders || one.has_folders;
    }
    return all;
  }

  const CommandText& root_;
  std::vector<const CommandText*> commands_;  // all that help shows, the root first

 private:
  void collect(const CommandText& command) {
    if (command.is_hidden) return;
    commands_.push_back(&command);
    for (const auto& below : command.commands) collect(below);
  }

  NamesOfType names_;
};

class BashScript : public Script {
 public:
  using Script::Script;

  std::string text() const {
    std::string paths;
    for (const auto* command : commands_) {
      if (command != &root_) paths += (paths.empty() ? "" : " | ") + quoted(command->name);
    }
    return R"(# Completion of assay for bash, as `assay completion bash` prints it.
_assay() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=assay
  local words= files= folders= i
  # "--format=js" arrives as three words.
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${COMP_WORDS[i]}" in
      )" + paths +
           R"() command+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command $previous" in
)" + option_cases() +
           R"(    *)
      if [[ $current == -* ]]; then
        case $command in
)" + list_cases() +
           R"(        esac
      else
        case $command in
)" + argument_cases() +
           R"(        esac
      fi ;;
  esac
  if [[ -n $files ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current"; compgen -W "$words" -- "$current")
  elif [[ -n $folders ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -F _assay assay
)";
  }

 private:
  static std::string assignments(const Values& values) {
    std::string out;
    if (!values.words.empty()) out += " words=" + quoted(spaced(values.words));
    if (values.has_files) out += " files=1";
    if (values.has_folders) out += " folders=1";
    return out.empty() ? " :" : out;
  }

  // Options with the same values share a line.
  std::string option_cases() const {
    std::map<std::string, std::string> patterns;
    for (const auto* command : commands_) {
      for (const auto& option : command->options) {
        if (option.is_flag || option.is_positional) continue;
        std::string& pattern = patterns[assignments(values_of(option))];
        const auto add = [&](const std::string& flag) {
          pattern += (pattern.empty() ? "" : " | ") + quoted(command->name + " " + flag);
        };
        add("--" + option.name);
        if (option.letter != 0) add({'-', option.letter});
      }
    }
    std::string out;
    for (const auto& [values, pattern] : patterns) out += "    " + pattern + ")" + values + " ;;\n";
    return out;
  }

  std::string list_cases() const {
    std::string out;
    for (const auto* command : commands_) {
      Words flags;
      for (const auto& option : command->options) {
        if (!option.is_positional) flags.push_back("--" + option.name);
      }
      out += "          " + quoted(command->name) + ") words=" + quoted(spaced(flags)) + " ;;\n";
    }
    return out;
  }

  std::string argument_cases() const {
    std::string out;
    for (const auto* command : commands_) {
      out += "          " + quoted(command->name) + ")" + assignments(arguments_of(*command)) +
             " ;;\n";
    }
    return out;
  }
};

class ZshScript : public Script {
 public:
  using Script::Script;

  std::string text() const {
    std::string out =
        "#compdef assay\n# Completion of assay for zsh, as `assay completion zsh` prints it.\n";
    for (const auto* command : commands_) out += function_of(*command);
    // As a file in a folder of $fpath, this text is the body of the function at its first call.
    return out +
           "if [[ $funcstack[1] == _assay ]]; then\n  _assay \"$@\"\nelse\n  compdef _assay assay\nfi\n";
  }

 private:
  static std::string function_name(const CommandText& command) {
    return "_" + replaced(command.name, " ", "_");
  }
  static std::string described(const std::string& text) {
    return replaced(replaced(replaced(text, "[", "\\["), "]", "\\]"), ":", "\\:");
  }

  static std::string action(const std::string& type, const Values& values) {
    const std::string message = ":" + replaced(replaced(type, ":", "\\:"), "'", "") + ":";
    const std::string words = values.words.empty() ? "" : "(" + spaced(values.words) + ")";
    if (values.has_folders) return message + "_files -/";
    if (!values.has_files) return message + (words.empty() ? " " : words);
    return message + (words.empty()
                          ? "_files"
                          : "{_alternative \"names:name:" + words + "\" \"files:file:_files\"}");
  }

  std::string function_of(const CommandText& command) const {
    std::string specs;
    const auto add = [&](const std::string& spec) { specs += " \\\n    " + quoted(spec); };
    for (const auto& option : command.options) {
      if (option.is_positional) continue;
      const std::string rest = "[" + described(line_of(option)) + "]" +
                               (option.is_flag ? "" : action(option.type, values_of(option)));
      const std::string many = option.is_repeatable ? "*" : "";
      add(many + "--" + option.name + rest);
      if (option.letter != 0) add(many + "-" + option.letter + rest);
    }
    const std::string name = function_name(command);
    if (command.commands.empty()) {
      const auto values = arguments_of(command);
      if (!values.is_open()) add("*" + action("argument", values));
      return name + "() {\n  _arguments -s" + specs + "\n}\n";
    }
    std::string choices, calls;
    for (const auto& below : command.commands) {
      if (below.is_hidden) continue;
      choices += " \\\n        " + quoted(below.word() + ":" + described(below.summary));
      calls += "        " + below.word() + ") " + function_name(below) + " ;;\n";
    }
    Values own = arguments_of(command);
    own.words.erase(own.words.begin(), own.words.begin() + static_cast<long>(shown(command)));
    std::string also = own.words.empty() ? "" : "\n      compadd -- " + spaced(own.words);
    if (own.has_files) also += "\n      _files";
    // Completes options after an argument of the command itself, which is not the name of a command below it.
    if (!command.needs_command) calls += "        *) _arguments -s" + specs + " ;;\n";
    return name + "() {\n  local line state\n  _arguments -s -C" + specs +
           " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n    command)\n"
           "      local -a commands=(" +
           choices + ")\n      _describe command commands" + also +
           " ;;\n    rest)\n      case $line[1] in\n" + calls + "      esac ;;\n  esac\n}\n";
  }
  static std::size_t shown(const CommandText& command) {
    return static_cast<std::size_t>(std::count_if(command.commands.begin(), command.commands.end(),
                                                  [](const auto& one) { return !one.is_hidden; }));
  }
};

class FishScript : public Script {
 public:
  using Script::Script;

  std::string text() const {
    std::string paths;
    for (const auto* command : commands_) {
      if (command != &root_) paths += " " + in_quotes(command->name);
    }
    std::string out =
        "# Completion of assay for fish, as `assay completion fish` prints it.\n"
        "# Whether the words before the cursor name this command.\n"
        "function __assay_at\n"
        "    set -l command assay\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        if contains -- \"$command $word\"" +
        paths +
        "\n"
        "            set command \"$command $word\"\n"
        "        end\n"
        "    end\n"
        "    test \"$command\" = \"$argv[1]\"\n"
        "end\n";
    for (const auto* command : commands_) add_command(*command, out);
    return out;
  }

 private:
  static std::string in_quotes(const std::string& text) {
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
  }

  // -x if only the words fit, -r if files fit too. fish offers files by itself.
  static std::string value_flags(const Values& values) {
    std::string out = values.has_files ? " -r -F" : " -x";
    if (values.has_folders) return out + " -a '(__fish_complete_directories)'";
    return values.words.empty() ? out : out + " -a " + in_quotes(spaced(values.words));
  }

  void add_command(const CommandText& command, std::string& out) const {
    const std::string lead =
        "complete -c assay -n " + in_quotes("__assay_at \"" + command.name + "\"");
    for (const auto& below : command.commands) {
      if (below.is_hidden) continue;
      out += lead + " -f -a " + in_quotes(below.word()) + " -d " + in_quotes(below.summary) + "\n";
    }
    for (const auto& option : command.options) {
      const Values values = values_of(option);
      if (option.is_positional) {
        out += lead + (values.has_files ? " -F" : " -f") +
               (values.words.empty() ? "" : " -a " + in_quotes(spaced(values.words))) + "\n";
        continue;
      }
      out += lead + (option.letter == 0 ? "" : std::string(" -s ") + option.letter) + " -l " +
             option.name + (option.is_flag ? "" : value_flags(values)) + " -d " +
             in_quotes(line_of(option)) + "\n";
    }
  }
};

// ---- the names of this build ---------------------------------------------------------------------

// The first word of each line.
Words first_words(void (*list)(std::string&)) {
  std::string text;
  list(text);
  Words words;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    words.push_back(text.substr(at, text.find_first_of(" \n", at) - at));
  }
  return words;
}

Words case_names() {
  Words names;
  for (const auto& one : audit_cases()) names.emplace_back(one->id());
  return names;
}

Words names_of_type(const std::string& type) {
  Words names;
  const auto add = [&](const Words& more) { names.insert(names.end(), more.begin(), more.end()); };
  if (type == "CASE" || type == "POLICY" || type == "ID") add(case_names());
  if (type == "CLAIM") add(first_words(list_claims));
  if (type == "EXPERIMENT") add(first_words(list_experiments));
  if (type == "ROW") add(first_words(list_detection));
  if (type == "ROW") add(first_words(list_sequences));
  if (type == "MECHANISM|FILE") {
    for (const auto& step : step_descriptions()) names.push_back(step.name);
    names.emplace_back(kSubsampledGaussian);
  }
  if (type == "GROUP|CANDIDATE") {
    for (const auto& group : bench_groups()) {
      names.push_back(group.id);
      add(group.candidates);
    }
  }
  if (type == "ID") {
    explain_of_papers([&](std::string_view name) {
      names.emplace_back(name);
      return false;
    });
    for (const auto& method : audit_methods()) names.emplace_back(method.id);
    for (const auto& word : glossary()) names.emplace_back(word.id);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

struct CompletionJob : JobOptions {
  Shell shell = Shell::kBash;
  static void fields(const VisitOption<CompletionJob>& visit) {
    visit(option(&CompletionJob::shell, {.name = "shell",
                                         .type = "SHELL",
                                         .help = "Print the script for this shell.",
                                         .is_positional = true,
                                         .is_required = true}));
  }
};

}  // namespace

std::string completion_script(const CommandText& root, Shell shell, const NamesOfType& names) {
  switch (shell) {
    case Shell::kBash:
      return BashScript(root, names).text();
    case Shell::kZsh:
      return ZshScript(root, names).text();
    case Shell::kFish:
      return FishScript(root, names).text();
  }
  return {};
}

Command add_completion(App& root) {
  App* app = add_job<CompletionJob>(
      root, {.name = "completion",
             .summary = "Print a script that completes commands, options and names in a shell",
             .examples = {{"Complete in this bash", "source <(assay completion bash)"},
                          {"Complete in every fish",
                           "assay completion fish > ~/.config/fish/completions/assay.fish"},
                          {"Complete in every zsh, from a folder of $fpath",
                           "assay completion zsh > ~/.zfunc/_assay"}}});
  return {app, [app, &root]() -> Result<int> {
            const auto job = ASSAY_TRY(read_job<CompletionJob>(*app));
            const auto script = completion_script(root.text(), job.shell, names_of_type);
            return print_unchanged(script) ? kNothingViolated : kUsage;
          }};
}

}  // namespace assay::cli
