// What a claim asks of counts: eps at a delta, or mu; and what an event should be chosen for.
#pragma once

#include <cstdint>
#include <string>

#include "assay/auditors/methods/events.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"

namespace assay {

struct Question {
  bool gaussian = false;  // about mu; otherwise about eps at delta
  Epsilon epsilon{0.0};   // claimed; of a claim in mu: the eps of its profile at delta
  Delta delta{0.0};       // of a claim in mu: delta0
  Mu mu{0.0};

  std::string quantity() const;        // what the claim is about
  std::string other_quantity() const;  // what is reported beside it
};

Question question_of(const PrivacyLevel& claim, Delta delta0);

// For a claim in mu: events near the middle, not at delta0.
EventPlan event_plan(const Question& question, double alpha);

}  // namespace assay
