// Checks a certificate from scratch, in 50 digits, by code that shares nothing with the search.
//
// The check tests that the inputs are allowed and are neighbours. From them it recomputes the level
// that the claim states (by a second implementation of the formula) and the probabilities of the event.
// For a round with two arms it uses the closed form. For more arms it uses the trapezoid rule on an
// analytic integrand; recompute.cpp bounds the error.
//
// The claim is refuted if true_delta = p - e^eps q exceeds delta by more than 1e-20 plus the errors of p
// and of e^eps q. recompute.cpp bounds these errors: 1e-24 for a quadrature, 1e-30 of the value for two
// arms. The numbers that the certificate carries decide nothing, but must agree with the recomputed ones:
// to 1e-9 of their size, probabilities also to 1e-20, and true_delta to 1e-13 of p + e^eps q, since it is
// computed in doubles.
// Threads: pure functions.
// Cost: 1 ms for two arms. The first quadrature of a process takes 10 ms. Later ones grow in
// proportion to the number of arms and to the ratio of the scales: 30 ms for 16 equal arms, 0.3 s
// for 16 arms at a ratio of 100. A quadrature of more than 2e6 nodes times arms (about 6 s) is an
// error.
#pragma once

#include <string>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct Certificate;
class CounterexampleKind;
using CounterexampleKinds = std::vector<const CounterexampleKind*>;

struct CertificateCheck {
  bool refutes = false;            // whether this counterexample shows that the claim is false
  std::string conclusion;          // one sentence
  std::vector<std::string> steps;  // the recomputation line by line, for a reader
  // The numbers of the certificate by their names in its file. They agree with the recomputed ones, to the tolerances
  // above.
  std::vector<KeyValue> numbers;
  // The recomputed numbers, rounded to the nearest double. For a DistributionMismatch, p and q are the two
  // probabilities, true_delta is their difference and epsilon is 0.
  double epsilon = 0.0;
  double p = 0.0;
  double q = 0.0;
  double true_delta = 0.0;
};

// Errors: a claim that none of these kinds can refute (registry/certificates.hpp has all kinds), inputs that are not
// allowed or not neighbours, carried numbers that differ from the recomputed ones. The error names the field as a JSON
// pointer.
Result<CertificateCheck> check_certificate(const Certificate& certificate,
                                           const CounterexampleKinds& kinds);
// The same check by the certificate's own kind alone.
Result<CertificateCheck> check_by_its_kind(const Certificate& certificate);

}  // namespace assay
