// How a paper's file writes its list of claims: an entry a claim.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

inline RegisteredClaim paper_claim(std::string_view paper, std::string_view id, ClaimKind kind,
                                   std::string_view theorem, std::string_view statement,
                                   ClaimCheck check, ClaimVerdict expected, std::string_view cost) {
  RegisteredClaim c;
  c.id = id;
  c.paper = paper;
  c.theorem = theorem;
  c.statement = statement;
  c.kind = kind;
  c.check = check;
  c.expected = expected;
  c.cost = cost;
  return c;
}

inline RegisteredClaim with_comment(RegisteredClaim c, std::string_view comment,
                                    std::vector<std::string_view> rests_on = {}) {
  c.comment = comment;
  c.rests_on = std::move(rests_on);
  return c;
}

inline RegisteredClaim with_figure(std::string_view experiment, RegisteredClaim c) {
  c.figure = experiment;
  return c;
}

inline RegisteredClaim that_reads(ClaimReads reads, RegisteredClaim c) {
  c.reads = reads;
  return c;
}

}  // namespace assay
