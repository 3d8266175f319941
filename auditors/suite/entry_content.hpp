// What decides the result of an entry, but its seed and its share of the error probability: its options and
// requirements, the bytes of the files that they name, this program itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/suite/suite_file.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The digest (reuse.hpp); empty where nobody can know it: of a bench, which measures this machine, and of a
// program or plug-in whose entry does not say what else it depends on. Errors: a file that cannot be read; a
// pattern of `depends` that no file matches.
Result<std::string> content_of(const SuiteEntry& entry);

// The files of an entry, in the order of its options, those of `depends` last and sorted.
Result<std::vector<std::string>> files_of(const SuiteEntry& entry);

}  // namespace assay
