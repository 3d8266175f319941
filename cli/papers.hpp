// The part of the command for papers: claims, figures and faults, with their subcommands (commands.hpp: verify,
// simulate, detect, frontier, check-certificate), lists and explanations. If ASSAY_PAPERS is OFF,
// papers_absent.cpp replaces all of it.
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

// A paragraph with the names of the claims of the paper that this reference cites; empty if it cites none.
std::string claims_of_reference(const std::string& reference);

// The full description of the claim or experiment that is asked for; empty if it is neither. is_asked gets every
// name.
std::string explain_of_papers(const std::function<bool(std::string_view)>& is_asked);

}  // namespace assay::cli
