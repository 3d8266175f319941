// The privacy loss of local answers that are shuffled: n users each randomise a value of their own, and only the counts of
// the answers are seen. One user's value is replaced.
//
//   auto pairs = loss_of::shuffled_response(2.0, 2, 1000);
//   auto eps = pld_epsilon(std::vector{PldTerm{pairs->dominating, 1}}, Delta{1e-6});  // .3233
//
// shuffled_response: every user gives the true one of k answers with probability e p and each other with p,
// p = 1/(e + k - 1), e = e^eps. shuffled_pure: any randomisers of eps-DP, also those that see earlier answers.
//
// With i users who answer x and j who answer y, the pairs give the user's value x under P and y under Q:
//   k = 2    m1 of the others have x and m2 have y. The counts of m1 in lo..hi are a function of those of lo and n - 1 - hi
//            others and the values of the rest, so pairs for intervals of m1 bound all data sets; `dominating` is the least
//            pair above all of them in both orders                                              (1)
//   k >= 3   above: others answer at random with probability k p, and otherwise truly, which is revealed:
//            u = (N + (e - 1) i)/n, v = (N + (e - 1) j)/n, N the answers at random and the user's         (2)
//            below: the others all have a third value, r of them answer it:
//            u = (e i + j + m + r/e)/n, v = (i + e j + m + r/e)/n, m all other answers            (3)
//   pure     above: each other user is a copy of the user's answer to x or y with probability e^-eps, either alike:
//            s users in all, u = (e i + j)/(s (e + 1)/2), v = (i + e j)/(s (e + 1)/2)             (4)
//            below: (1) for one data set
//
// Privacy: `dominating` bounds every data set, also of questions that depend on earlier outputs. The attained pairs are
// those of one data set, the same in every release. They differ for all but a single release with k = 2.
// Accuracy: for one release and k = 2 the two meet within about 3e-4 of eps near `delta`. All errors are rounded outward.
// Reference: docs/proofs/shuffling.md; Balle, Bell, Gascon, Nissim (CRYPTO 2019) for the revealed true answers of (2);
// Feldman, McMillan, Talwar (FOCS 2021), theorem 3.1, for (4), without the later, partly withdrawn, improvement.
// Errors: /epsilon outside 1e-6..100, /answers outside 2..1e9, /users outside 2..1e6, /delta; kInterrupted.
// Threads: pure functions. Cost: 0.05 to 1 s, growing with the square root of n (k = 2) or with n.
#pragma once

#include <atomic>
#include <cstdint>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct ShuffledLosses {
  PrivacyLoss dominating;       // the same in both orders
  PrivacyLoss attained;         // x against y
  PrivacyLoss attained_mirror;  // y against x
};

struct ShuffleOptions {
  double delta = 1e-6;  // 1e-100 to 1: the bounds are tight around the eps of one release at it
  const std::atomic<bool>* cancel = nullptr;
};

namespace loss_of {

Result<ShuffledLosses> shuffled_response(double epsilon, std::int64_t answers, std::int64_t users,
                                         const ShuffleOptions& options = {});
Result<ShuffledLosses> shuffled_pure(double epsilon, std::int64_t users,
                                     const ShuffleOptions& options = {});

}  // namespace loss_of
}  // namespace assay
