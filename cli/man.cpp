// Manual pages, from the description of each command, and `assay man FOLDER`, with which the build writes them all.
// That command is for packagers, and help does not list it.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/auditors/session/outputs.hpp"
#include "assay/auditors/suite/entry_options.hpp"
#include "assay/cli/command_text.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/version.hpp"

namespace assay::cli {
namespace {

// Escapes the text for troff, also at the beginning of a line.
std::string literal(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && out.empty()) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + literal(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + literal(text) + "\\fR"; }

// "assay-suite-run".
std::string page_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

// The beginning of a page. It has no date, so that every build writes the same.
std::string title(const std::string& name, int section, const std::string& summary) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".TH \"" + literal(upper) + "\" " + std::to_string(section) + " \"\" \"assay " +
         std::string(build_info().version) + "\" \"Assay\"\n.SH NAME\n" + literal(name) + " \\- " +
         literal(summary) + "\n";
}

std::string item(const std::string& label, const std::string& text) {
  return ".TP\n" + label + "\n" + literal(text) + "\n";
}

std::string label_of(const OptionText& option) {
  if (option.is_positional) return italic(option_label(option));
  std::string label = option.letter != 0 ? bold({'-', option.letter}) + ", " : "";
  label += bold("--" + option.name);
  return option.is_flag ? label : label + " " + italic(option.type);
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string out;
  for (const auto& note : notes) {
    const auto begin = note.find_first_not_of(' ');
    const auto gap = begin == 0 ? 0 : note.find("  ", begin);
    if (gap == std::string::npos) {  // kept as it is, without a column
      out += ".PP\n" + literal(note.substr(begin)) + "\n";
      continue;
    }
    out += begin == 0 ? ".PP\n" + literal(note) + "\n"
                      : item(bold(note.substr(begin, gap - begin)),
                             note.substr(note.find_first_not_of(' ', gap)));
  }
  return out;
}

std::string environment_text(const CommandText& command) {
  std::string out;
  for (const auto& option : command.options) {
    if (option.environment.empty()) continue;
    out += item(bold(std::string(option.environment)),
                "The value of --" + option.name + " if that is not given.");
  }
  return out.empty() ? "" : ".SH ENVIRONMENT\n" + out;
}

// The keys of a table of the suite, or of the suite itself, in alphabetical order.
void add_keys(const nlohmann::json& properties, bool lists, std::string& out) {
  for (const auto& [key, schema] : properties.items()) {
    const bool is_table = schema.contains("items") && schema["items"].contains("properties");
    if (is_table != lists) continue;
    if (!is_table) {
      std::string text = schema.value("description", "");
      if (schema.contains("const")) text = "\"" + schema["const"].get<std::string>() + "\"";
      out += item(bold(key), text);
      continue;
    }
    out += ".SH \"[[" + literal(key) + "]]\"\n";
    add_keys(schema["items"]["properties"], false, out);
  }
}

using Pages = std::vector<std::pair<std::string, std::string>>;  // file and text

void add_pages(const CommandText& command, Pages& pages) {
  if (command.is_hidden) return;
  pages.emplace_back(page_name(command.name) + ".1", man_page(command));
  for (const auto& below : command.commands) add_pages(below, pages);
}

struct ManJob : JobOptions {
  std::string folder;
  static void fields(const VisitOption<ManJob>& visit) {
    visit(option(&ManJob::folder,
                 {.name = "folder",
                  .type = "FOLDER",
                  .help = "Write the pages to the folders man1 and man5 in this folder.",
                  .is_positional = true,
                  .is_required = true}));
  }
};

Result<int> write_pages(const App& app, const CommandText& root) {
  const auto job = ASSAY_TRY(read_job<ManJob>(app));
  Pages pages;
  add_pages(root, pages);
  pages.emplace_back("assay.toml.5", suite_man_page(suite_schema()));
  for (const auto& [file, text] : pages) {
    const auto folder = std::filesystem::path(job.folder) / ("man" + file.substr(file.size() - 1));
    ASSAY_TRY(make_folder(folder.string()));
    ASSAY_TRY(replace_file((folder / file).string(), text));
  }
  return kNothingViolated;
}

}  // namespace

std::string man_page(const CommandText& command) {
  std::string out = title(page_name(command.name), 1, command.summary) + ".SH SYNOPSIS\n";
  for (const auto& usage : usage_lines(command)) {
    const auto words = usage.substr(command.name.size());
    out += bold(command.name) + literal(words) + "\n.br\n";
  }
  out += ".SH DESCRIPTION\n" + literal(command.summary) + ".\n" + notes_text(command.notes);
  if (!command.examples.empty()) out += ".SH EXAMPLES\n";
  for (const auto& example : command.examples) {
    out += ".PP\n" + literal(example.what) + ":\n.PP\n.in +4n\n.nf\n" + literal(example.command) +
           "\n.fi\n.in\n";
  }
  out += ".SH OPTIONS\n";
  for (const auto& section : sections_of(command)) {
    out += ".SS \"" + literal(section.heading) + "\"\n";
    for (const auto& option : section.options) out += item(label_of(option), described(option));
  }
  std::string below;
  for (const auto& one : command.commands) {
    if (!one.is_hidden)
      below += item("\\fB" + literal(page_name(one.name)) + "\\fR(1)", one.summary + ".");
  }
  if (!below.empty()) out += ".SH COMMANDS\n" + below;
  if (!command.exit.empty()) out += ".SH \"EXIT STATUS\"\n";
  for (const auto& [status, text] : command.exit) out += item(bold(std::to_string(status)), text);
  return out + environment_text(command) + ".SH \"SEE ALSO\"\n.BR assay (1),\n.BR assay.toml (5)\n";
}

std::string suite_man_page(const std::string& schema) {
  const auto properties = nlohmann::json::parse(schema).at("properties");
  std::string out =
      title("assay.toml", 5, "a suite of audits for assay suite") +
      ".SH DESCRIPTION\nA suite is a TOML file, with the keys below and any number of the tables in double "
      "brackets. Each entry has the options of its command as keys, without the dashes. ${NAME} stands "
      "for a variable of the environment.\n.SH EXAMPLES\n.PP\n.in +4n\n.nf\n"
      "schema = \"assay.suite/1\"\n\n[[audit]]\nid = \"laplace\"\ncase = \"laplace\"\nclaim = \"eps=1\"\n"
      ".fi\n.in\n.SH KEYS\n";
  add_keys(properties, false, out);
  add_keys(properties, true, out);
  return out + ".SH \"SEE ALSO\"\n.BR assay\\-suite (1),\n.BR assay\\-suite\\-run (1)\n";
}

Command add_man(App& root) {
  App* app = add_job<ManJob>(
      root, {.name = "man", .summary = "Write the manual pages to a folder", .is_hidden = true});
  return {app, [app, &root] { return write_pages(*app, root.text()); }};
}

}  // namespace assay::cli
