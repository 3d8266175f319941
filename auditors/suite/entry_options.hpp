// What an entry of a suite can say: the options of its job, but those that a run decides for all of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/options.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct EntryOption {
  OptionText text;
  std::string key;  // in the file: the option's name, "parameters" of -p
  // Whether a value reads as one of this option, by its type and range.
  std::function<Status(const WrittenOption&)> check;

  bool is_table() const { return text.type == "KEY=VALUE"; }
};

std::vector<EntryOption> entry_options(EntryKind kind);

// A key that every entry has, or one of a kind.
struct EntryKey {
  std::string_view name;
  std::string_view type;  // "text", "texts", "number"
  std::string_view help;
  std::vector<EntryKind> kinds = {};  // none: all

  bool is_of(EntryKind kind) const;
};
const std::vector<EntryKey>& entry_keys();

// JSON schema of a suite, for editors: schemas/suite.schema.json.
std::string suite_schema();

}  // namespace assay
