// The keys of an entry of a suite: the options of its job, except those that a run decides for all entries.
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
  std::string
      key;  // in the file: the option's name; for -p and other tables its plural, "parameters"
  // Checks that a value has the type and range of this option.
  std::function<Status(const WrittenOption&)> check;

  bool is_table() const { return text.type == "KEY=VALUE"; }
};

std::vector<EntryOption> entry_options(EntryKind kind);

// A key that every entry has, or that entries of some kinds have.
struct EntryKey {
  std::string_view name;
  std::string_view type;  // "text", "texts", "number"
  std::string_view help;
  std::vector<EntryKind> kinds = {};  // empty for all

  bool is_of(EntryKind kind) const;
};
const std::vector<EntryKey>& entry_keys();

// JSON schema of a suite, for editors: schemas/suite.schema.json.
std::string suite_schema();

}  // namespace assay
