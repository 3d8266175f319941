// What the papers' wing adds to the command: claims, figures and faults, their subcommands (commands.hpp:
// verify, simulate, detect, frontier, check-certificate), lists and explanations. Where ASSAY_PAPERS is OFF,
// papers_absent.cpp stands in for all of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/cli/schema.hpp"

namespace assay::cli {

void list_claims(std::string& out);
void list_experiments(std::string& out);
void list_detection(std::string& out);
void list_sequences(std::string& out);

// The schemas of their reports, and of certificates.
std::vector<NamedSchema> schemas_of_papers();

// The claim or experiment whose name is asked for, in full; empty where none is. Every name is asked.
std::string explain_of_papers(const std::function<bool(std::string_view)>& is_asked);

}  // namespace assay::cli
