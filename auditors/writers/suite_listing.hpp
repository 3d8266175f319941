// What a run of a suite would do, as text: a row an entry, then what does not fit.
#pragma once

#include <string>

#include "assay/auditors/jobs/suite.hpp"
#include "assay/auditors/writers/text_layout.hpp"

namespace assay {

std::string to_text(const SuiteListing& listing, TextStyle style = {});

}  // namespace assay
