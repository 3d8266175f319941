// What decides the result of an entry, but its seed and its share of the error probability: its options and
// requirements, the bytes of the files that they name, the environment that a target is given, this program.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/suite/suite_file.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The digest (reuse.hpp); empty where nobody can know it: of a bench, which measures this machine, and of a
// program or plug-in whose entry does not say what else it depends on. Errors: a file that cannot be read; a
// pattern of `depends` that no file matches.
Result<std::string> content_of(const SuiteEntry& entry);

// What a violation is about. How hard an audit looks (plays, method, the pair) and what Assay is made of where
// it plays a target do not belong to it, nor does a program that PATH finds: they are no change of the target.
struct EntryIdentity {
  std::string target;   // digest of the words that say what is audited
  std::string audited;  // of these and the bytes behind them; empty where nobody can know them
  std::string claim;    // as the entry writes it
};
// Of the environment only what the entry names: HOME differs from machine to machine. Errors: as above.
Result<EntryIdentity> identity_of(const SuiteEntry& entry);

// The files of an entry, in the order of its options, those of `depends` last and sorted.
Result<std::vector<std::string>> files_of(const SuiteEntry& entry);

}  // namespace assay
