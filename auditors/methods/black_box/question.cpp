#include "assay/auditors/methods/black_box/question.hpp"

#include <variant>

#include "assay/auditors/report/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"

namespace assay {

std::string Question::quantity() const {
  return gaussian ? "mu" : "eps at delta = " + rounded(delta.value, 6);
}
std::string Question::other_quantity() const {
  return gaussian ? "eps at delta = " + rounded(delta.value, 6) : "mu";
}

Question question_of(const PrivacyLevel& claim, Delta delta0) {
  Question question;
  if (const auto* pure = std::get_if<PureDp>(&claim)) {
    question.epsilon = pure->epsilon;
  } else if (const auto* approximate = std::get_if<ApproximateDp>(&claim)) {
    question.epsilon = approximate->epsilon;
    question.delta = approximate->delta;
  } else {
    question.gaussian = true;
    question.mu = std::get<GaussianDp>(claim).mu;
    question.delta = delta0;
    question.epsilon = gdp_epsilon(question.mu, question.delta);
  }
  return question;
}

EventPlan event_plan(const Question& question, double alpha) {
  EventPlan plan;
  plan.alpha = alpha;
  plan.delta = question.gaussian ? Delta{0.0} : question.delta;
  return plan;
}

}  // namespace assay
