// An entry's result as JSON: one form, in a report's file and in a history.
//
// Infinities are the strings "inf" and "-inf". What may differ between two runs of one request stands in
// an entry's "meta", at its end: its seconds, and its figures of time, which come after the others.
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

// Figures of time last; otherwise as it was. Entries of version 1 are read as well. Errors name the field by
// its JSON pointer: one that is missing, unknown, or of another type.
Result<EntryResult> read_entry(std::string_view json);

// Of a report's text: its name, confidence, run and entries; the rest is for people. Errors: also another
// schema than this version's and the one before, an id twice.
Result<SuiteReport> read_suite_report(std::string_view json);

}  // namespace assay
