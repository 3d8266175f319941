// Reads a chain of releases from a TOML file.
//
//     delta = [1e-6, 1e-9]            # report eps at these; at_epsilon = [1.0] asks for delta; both optional
//     relation = "add-or-remove"      # or "replace-one"; optional, also in a step
//     view = "output"                 # optional, also in a step
//
//     [[step]]
//     label = "nightly counts"        # optional
//     mechanism = "gaussian"          # a name of `assay account --help`
//     sigma = 20.0                    # its parameters
//     sampler = "poisson"             # optional, with its parameters
//     sampling = 0.01
//     compose = 365                   # optional; default 1
//     moves = 3                       # optional: one record moves 3 answers of a release; default 1
//     group = 2                       # optional: neighbours differ by 2 records; default 1
//
// Errors name the file, the line, the step and the field: text that is not TOML, unknown keys, a parameter that
// is missing, out of range or of another mechanism, and steps whose relations or views differ (a
// sampler implies the relation add-or-remove unless another is stated).
#pragma once

#include <string>
#include <vector>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct ChainFile {
  std::vector<ChainStep> chain;
  std::vector<AccountTarget> targets;
  std::string relation;  // empty if nothing states it
  std::string view;
};

Result<ChainFile> read_chain(const std::string& path);

}  // namespace assay
