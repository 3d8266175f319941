#include "assay/auditors/methods/pair_process.hpp"

namespace assay {

bool detail::log_probabilities_unless(StopPoll& poll, const PairProcess& process,
                                      ArgmaxPrecision precision, std::span<double> log_p,
                                      std::span<double> log_q) {
  if (poll()) return false;
  if (process.action_count() <= kArmsAtOnce || process.forced()) {
    process.log_probabilities(precision, log_p, log_q);
    return true;
  }
  for (std::size_t a = 0; a < log_p.size(); ++a) {
    if (poll()) return false;
    const auto step = process.log_probability(static_cast<int>(a), precision);
    log_p[a] = step.p;
    log_q[a] = step.q;
  }
  return true;
}

}  // namespace assay
