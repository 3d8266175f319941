// Writes and reads the result of an entry as JSON, in the same form in a report's file and in a history.
//
// Infinities are the strings "inf" and "-inf". Everything that may differ between two runs of the same request is in
// the "meta" at the end of an entry: its seconds, and its figures of time, which come after the others.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::string_view kSuiteReportSchema = "assay.suite-report/2";

void fields(const EntryFigure& figure, Fields visit);
void fields(const EntryChange& change, Fields visit);

Json entry_json(const EntryResult& entry);

// Figures of time come last; all else is as it was written. Entries of version 1 are read as well. Errors name the
// field by its JSON pointer: one that is missing, unknown, or of another type.
Result<EntryResult> read_entry(std::string_view json);

// Reads the name, confidence, run and entries of a report's text; the rest is for people. Errors: also a schema
// other than this version's and the one before; an id that appears twice.
Result<SuiteReport> read_suite_report(std::string_view json);

}  // namespace assay
