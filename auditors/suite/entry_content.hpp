// The content of an entry is everything that determines its result, except its seed and its share of the error
// probability.
// It consists of the entry's options and requirements, the bytes of the files that they name, the environment
// that a target is given, and this program.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/suite/suite_file.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The digest of an entry's content (reuse.hpp). It is empty if the content cannot be known: for a bench, which measures
// this machine, and for a program or plug-in if its entry does not declare its other files. Errors: a file that cannot
// be read; a pattern of `depends` that no file matches.
Result<std::string> content_of(const SuiteEntry& entry);

// What a violation belongs to. It does not include the effort of an audit (runs, method, the pair), the version of
// Assay that runs a target, or a program that PATH finds, because a change of these does not change the target.
struct EntryIdentity {
  std::string target;  // a digest of the options that name the target
  std::string
      audited;        // digest of these and the bytes of their files; empty if they cannot be known
  std::string claim;  // as the entry writes it
  // Whose bytes `audited` has; for people. A history does not keep them.
  std::vector<std::string> files = {};
};
// Only the variables that the entry names count, since HOME differs from machine to machine. Errors: as above.
Result<EntryIdentity> identity_of(const SuiteEntry& entry);

// The files of an entry, in the order of its options. Those of `depends` come last and are sorted.
Result<std::vector<std::string>> files_of(const SuiteEntry& entry);

}  // namespace assay
