// A chain of steps that all have dominating pairs, composed in both orders of the neighbours.
// Answers and curves share it; see account.hpp, (1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay::detail {

struct OrderedTerms {
  std::vector<PldTerm> remove;
  std::vector<PldTerm> add;  // empty where the orders are the same
};
struct PairedChain {
  OrderedTerms dominating;
  std::optional<OrderedTerms> attained;  // none: the same
  std::string sources;  // of both, as words of a route; empty where they are two sides of one pair

  // The terms that lower bounds rest on.
  const OrderedTerms& lower() const { return attained ? *attained : dominating; }
};
// Composes the pairs of the chain. Unknown if a step has no pair. Errors also: kInterrupted.
Result<Known<PairedChain>> paired_chain(std::span<const ChainStep> chain, const RunControl& control,
                                        const LossAccuracy& accuracy = {});

// The pairs that lower bounds rest on, where a step has none above. Unknown if a step has no such pair. Errors also:
// kInterrupted.
Result<Known<OrderedTerms>> attained_chain(std::span<const ChainStep> chain,
                                           const RunControl& control,
                                           const LossAccuracy& accuracy = {});

// Draws with replacement: their two pairs are far apart, and have many components with far losses.
bool is_wide_between_pairs(std::span<const ChainStep> chain);

// The closed form of the whole chain, if there is one and delta is not 0.
std::optional<ClosedForm> closed_form(std::span<const ChainStep> chain,
                                      const AccountTarget& target);

// The event that every release has one particular output: its loss and its log-probability, rounded down.
struct OutputEvent {
  double log_mass = 0.0;
  double loss = 0.0;
};
// From the most frequent outputs to those of the largest losses.
std::vector<OutputEvent> output_events(std::span<const PldTerm> terms);
// A lower bound on the leakage of the terms, by account.hpp, (3).
double event_lower(std::span<const OutputEvent> events, const AccountTarget& target);

// All outputs of terms that have finitely many, few enough to list: bounds on the loss of each and on its probability
// with the record, and on the probability of an infinite loss. The upper one takes in what was cut off.
struct Enumerated {
  struct Output {
    Enclosure loss;
    Enclosure mass;
  };
  std::vector<Output> outputs;
  Enclosure at_infinity;
};
// Nothing if a term has a density, or if there would be more than 10,000 outputs.
std::optional<Enumerated> enumerated(std::span<const PldTerm> terms);
// The sum over the outputs, with no grid: eps at a delta, or delta at an eps.
Enclosure enumerated_bounds(const Enumerated& whole, const AccountTarget& target);

// Whether an error ends the whole computation. Any other error only leaves a bound out.
bool is_interrupted(const Error& error);

// The least of (2): eps at a delta in (0, 1), or delta at an eps. Errors: kInterrupted alone.
struct OneSided {
  double upper = 0.0;
  std::string route;
};
Result<OneSided> one_sided(std::span<const ChainStep> chain, const AccountTarget& target,
                           const RunControl& control);

// The chain with `moves` of each step multiplied into its count, after a check of both, and equal steps merged.
Result<std::vector<ChainStep>> checked_chain(std::span<const ChainStep> chain);

}  // namespace assay::detail
