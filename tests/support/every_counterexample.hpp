// The structs behind the kinds of registry/certificates.hpp, for tests that look into their fields.
#pragma once

#include "assay/auditors/bandits/claims/counterexamples.hpp"
#include "assay/auditors/best_arm/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/counterexamples.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"
