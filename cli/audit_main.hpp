// Writes a program that audits your own class. It has the options and exit codes of `assay audit`:
//
//     #include "assay/cli/audit_main.hpp"
//     ... the header of MyPolicy ...
//     int main(int argc, char** argv) {
//       return assay::audit_main<MyPolicy>(argc, argv, {.id = "my-policy"});
//     }
//
// Run it as
//
//     my_audit --claim "eps=1,delta=1e-6" -p horizon=200 --samples 20000 -w report.html
//
// auditors/engine/custom_case.hpp says what a class needs and how it is audited. Link assay::command. In CMake,
// `assay_add_audit(my_audit CLAIM "eps=1")` makes the program a test (docs/ci.md).
// Exit codes: 0 nothing violated, 1 violated, 2 wrong usage, 3 inconclusive, 4 the class failed, 5 internal error.
#pragma once

#include <utility>

#include "assay/auditors/engine/custom_case.hpp"
#include "assay/mechanisms/core/command_line.hpp"

namespace assay {

namespace detail {

int audit_custom_case(const AuditCase& own, int argc, char** argv);

}  // namespace detail

template <Policy P>
int audit_main(int argc, char** argv, CustomCaseWords words = {}) {
  if (words.program.empty() && argc > 0) words.program = shell_quoted(argv[0]);
  return detail::audit_custom_case(*make_custom_case<P>(std::move(words)), argc, argv);
}

}  // namespace assay
