// Assay as a library: all public headers, by purpose. A source that needs only a few of them includes those.
// The headers that these need in turn are installed in internal/ and may change at any time. Property tests are in
// assay/check.hpp, which is not included here because it needs RapidCheck.
#pragma once

// Audits of your own class: as a case, as a plug-in of the command, as a program that is a test.
#include "assay/auditors/engine/custom_case.hpp"
#include "assay/auditors/engine/custom_plugin.hpp"
#include "assay/auditors/registry/audit_cases.hpp"  // every policy and mechanism that comes with Assay
#include "assay/cli/audit_main.hpp"

// The jobs of the command, each with its report; run_job() of session.hpp runs them. The jobs of papers and
// suites need assay::papers and assay::suite.
#include "assay/auditors/account/account_job.hpp"
#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/audit/try_job.hpp"
#include "assay/auditors/bench/bench_job.hpp"
#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/regret/regret_job.hpp"
#include "assay/auditors/sampler/sampler_job.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/suite/suite_job.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"

// The claims and figures of papers, and planted faults to find.
#include "assay/auditors/detect/detect_job.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/simulate/simulate_job.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/auditors/verify/verify_job.hpp"

// Mechanisms for data, and the requirements on a mechanism.
#include "assay/mechanisms/random/secure_stream.hpp"  // the random numbers for data
#include "assay/mechanisms/registry/mechanisms.hpp"   // all of them, by name
#include "assay/mechanisms/release/above_threshold.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"
#include "assay/mechanisms/release/exponential_mechanism.hpp"
#include "assay/mechanisms/release/gaussian_mechanism.hpp"
#include "assay/mechanisms/release/laplace_mechanism.hpp"
#include "assay/mechanisms/release/randomized_response.hpp"
#include "assay/mechanisms/release/rappor.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/mechanisms/release/snapped_laplace.hpp"
#include "assay/mechanisms/release/top_k.hpp"
#include "assay/mechanisms/release/truncated_geometric.hpp"

// Levels of privacy: conversions, compositions, the smallest noise, the cost of chains of releases.
#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/filters.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/accounting/trade_off.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"

// Policies: the requirements on a policy, those that come with Assay, runs of them, external programs.
#include "assay/policies/concepts.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/external/plugin_target.hpp"
#include "assay/policies/external/process_target.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/inputs/neighbours.hpp"
#include "assay/policies/registry/policies.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/policies/simulation/simulation.hpp"

// Statistics that hold in finite samples.
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/statistics/binomial.hpp"

// Values, errors, settings, random numbers that can be reproduced, work that can be stopped.
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/version.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
