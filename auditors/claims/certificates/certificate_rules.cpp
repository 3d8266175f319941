#include "assay/auditors/claims/certificates/certificate_rules.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "assay/auditors/writers/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

struct ClaimRule {
  std::string_view claim;
  std::size_t alternative;  // of Counterexample
};
constexpr std::array<ClaimRule, 9> kRules = {{{"ts-step-dp", 0},
                                              {"rnm-hetero-gauss", 1},
                                              {"ts-eq27", 2},
                                              {"ftnl-dp-laplace", 3},
                                              {"ftnl-dp-exponential", 3},
                                              {"ftnl-dp-gumbel", 3},
                                              {"ftnl-det-regret-printed", 4},
                                              {"softmax-integral", 5},
                                              {"ftnl-conjecture", 6}}};
constexpr std::array<std::string_view, 7> kKinds = {"round",  "noisy-max", "law",   "epoch",
                                                    "regret", "integral",  "growth"};

Status out_of_range(std::string path, std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), std::move(path));
}

Status in_range(double value, double low, double high, const std::string& path) {
  if (value >= low && value <= high) return {};  // false for NaN
  return out_of_range(path, fmt::format("must be a number from {} to {}, not {}", number_text(low),
                                        number_text(high), number_text(value)));
}

Status whole_in_range(std::int64_t value, std::int64_t low, std::int64_t high,
                      const std::string& path) {
  if (value >= low && value <= high) return {};
  return out_of_range(path,
                      fmt::format("must be a whole number {} to {}, not {}", low, high, value));
}

// As in the file: arms and entries count from 1.
Status counted(std::int64_t index, std::size_t size, const std::string& path) {
  return whole_in_range(index + 1, 1, static_cast<std::int64_t>(size), path);
}

Status history_rules(int arms, const std::vector<ArmPlays>& history) {
  const std::string root = "/counterexample";
  if (auto s = whole_in_range(arms, 2, kMostCertificateArms, root + "/arms"); !s) return s;
  if (history.size() > kMostHistoryEntries) {
    return out_of_range(root + "/history", fmt::format("must have at most {} entries, not {}",
                                                       kMostHistoryEntries, history.size()));
  }
  for (std::size_t i = 0; i < history.size(); ++i) {
    const std::string entry = fmt::format("{}/history/{}", root, i);
    const ArmPlays& plays = history[i];
    if (auto s = counted(plays.arm, static_cast<std::size_t>(arms), entry + "/arm"); !s) return s;
    if (auto s = in_range(plays.reward, 0.0, 1.0, entry + "/reward"); !s) return s;
    if (auto s = whole_in_range(plays.times, 1, kMostTimes, entry + "/times"); !s) return s;
  }
  return {};
}

Status finite(double value, const std::string& path) {
  if (std::isfinite(value)) return {};
  return out_of_range(path, "must be a finite number");
}

Status number_rules(const EventNumbers& numbers, std::size_t arms) {
  if (numbers.event.empty()) return out_of_range("/numbers/event", "must name at least one arm");
  std::set<int> seen;
  for (std::size_t i = 0; i < numbers.event.size(); ++i) {
    const std::string path = fmt::format("/numbers/event/{}", i);
    if (auto s = counted(numbers.event[i], arms, path); !s) return s;
    if (!seen.insert(numbers.event[i]).second) {
      return out_of_range(path, fmt::format("names arm {} twice", numbers.event[i] + 1));
    }
  }
  const double delta = numbers.delta;
  if (!(delta > 0.0 && delta < 1.0)) {
    return out_of_range("/numbers/delta",
                        "must lie between 0 and 1, both excluded, not " + number_text(delta));
  }
  const double largest = 0.5 * static_cast<double>(arms - 1);
  if (delta > largest) {
    return out_of_range("/numbers/delta",
                        fmt::format("must be at most {}, where the claimed eps is 0, not {}",
                                    number_text(largest), number_text(delta)));
  }
  if (auto s = finite(numbers.epsilon, "/numbers/epsilon"); !s) return s;
  if (auto s = finite(numbers.p, "/numbers/p"); !s) return s;
  if (auto s = finite(numbers.q, "/numbers/q"); !s) return s;
  return finite(numbers.true_delta, "/numbers/true_delta");
}

Status list_rules(const std::vector<double>& list, std::size_t arms, double low,
                  const std::string& path) {
  if (list.size() != arms) {
    return out_of_range(
        path,
        fmt::format("must have {} numbers, one for each of the values, not {}", arms, list.size()));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string item = fmt::format("{}/{}", path, i);
    if (auto s = in_range(list[i], low, kLargestValue, item); !s) return s;
  }
  return {};
}

struct Rules {
  Status operator()(const RoundCounterexample& round) const {
    if (auto s = history_rules(round.arms, round.history); !s) return s;
    const std::string root = "/counterexample";
    if (round.history.empty()) return out_of_range(root + "/history", "must not be empty");
    if (round.changed >= round.history.size()) {
      return out_of_range(root + "/changed", fmt::format("must be an entry of the history, 1 to {}",
                                                         round.history.size()));
    }
    const std::int64_t times = round.history[round.changed].times;
    if (times != 1) {
      return out_of_range(fmt::format("{}/history/{}/times", root, round.changed),
                          fmt::format("must be 1, not {}: neighbours differ in the reward of one "
                                      "play, and this is the changed entry",
                                      times));
    }
    if (auto s = in_range(round.new_reward, 0.0, 1.0, root + "/new_reward"); !s) return s;
    return number_rules(round.numbers, static_cast<std::size_t>(round.arms));
  }

  Status operator()(const NoisyMaxCounterexample& max) const {
    const std::string root = "/counterexample";
    const std::size_t arms = max.values.size();
    if (arms < 2 || arms > kMostCertificateArms) {
      return out_of_range(root + "/values", fmt::format("must have 2 to {} numbers, not {}",
                                                        kMostCertificateArms, arms));
    }
    if (auto s = list_rules(max.values, arms, -kLargestValue, root + "/values"); !s) return s;
    if (auto s = list_rules(max.deviations, arms, kLeastDeviation, root + "/deviations"); !s) {
      return s;
    }
    if (auto s = list_rules(max.sensitivities, arms, 0.0, root + "/sensitivities"); !s) return s;
    if (max.changed >= arms) {
      return out_of_range(root + "/changed",
                          fmt::format("must be one of the values, 1 to {}", arms));
    }
    if (auto s = in_range(max.new_value, -kLargestValue, kLargestValue, root + "/new_value"); !s) {
      return s;
    }
    return number_rules(max.numbers, arms);
  }

  Status operator()(const LawMismatch& law) const {
    if (auto s = history_rules(law.arms, law.history); !s) return s;
    if (auto s = counted(law.arm, static_cast<std::size_t>(law.arms), "/counterexample/arm"); !s) {
      return s;
    }
    if (auto s = finite(law.probability, "/numbers/probability"); !s) return s;
    return finite(law.printed_probability, "/numbers/printed_probability");
  }

  Status operator()(const EpochCounterexample& epoch) const {
    const std::string root = "/counterexample";
    const std::size_t actions = epoch.others.size();
    if (auto s = in_range(epoch.epsilon, 1e-3, 100.0, root + "/epsilon"); !s) return s;
    if (auto s = whole_in_range(static_cast<std::int64_t>(actions), 2, kMostCertificateArms,
                                root + "/others");
        !s) {
      return s;
    }
    for (std::size_t i = 0; i < actions; ++i) {
      if (auto s = in_range(epoch.others[i], 0.0, 1e3, fmt::format("{}/others/{}", root, i)); !s) {
        return s;
      }
    }
    for (const auto& [vector, name] :
         {std::pair{&epoch.before, "/before"}, std::pair{&epoch.after, "/after"}}) {
      if (vector->size() != actions) {
        return out_of_range(root + name,
                            fmt::format("must have {} losses, one for each action, not {}", actions,
                                        vector->size()));
      }
      for (std::size_t i = 0; i < actions; ++i) {
        const std::string path = fmt::format("{}{}/{}", root, name, i);
        if (auto s = in_range((*vector)[i], 0.0, 1.0, path); !s) return s;
      }
    }
    if (auto s = counted(epoch.action, actions, root + "/action"); !s) return s;
    if (auto s = finite(epoch.p, "/numbers/p"); !s) return s;
    if (auto s = finite(epoch.q, "/numbers/q"); !s) return s;
    return finite(epoch.loss, "/numbers/loss");
  }

  Status operator()(const RegretCounterexample& regret) const {
    const std::string root = "/counterexample";
    if (auto s = in_range(regret.epsilon, 1e-3, 100.0, root + "/epsilon"); !s) return s;
    if (auto s = whole_in_range(regret.epochs, 1, 60, root + "/epochs"); !s) return s;
    if (auto s = whole_in_range(static_cast<std::int64_t>(regret.gaps.size()), 1,
                                kMostCertificateArms, root + "/gaps");
        !s) {
      return s;
    }
    for (std::size_t i = 0; i < regret.gaps.size(); ++i) {
      const std::string path = fmt::format("{}/gaps/{}", root, i);
      const GapGroup& group = regret.gaps[i];
      if (auto s = in_range(group.gap, 0.0, 1.0, path + "/gap"); !s) return s;
      if (!(group.times >= 1.0 && group.times <= 1e15 && group.times == std::floor(group.times))) {
        return out_of_range(path + "/times",
                            "must be a whole number 1 to 1e15, not " + number_text(group.times));
      }
    }
    if (auto s = finite(regret.regret, "/numbers/regret"); !s) return s;
    return finite(regret.bound, "/numbers/bound");
  }

  Status operator()(const IntegralMismatch& mismatch) const {
    const std::string root = "/counterexample/levels";
    if (auto s = whole_in_range(static_cast<std::int64_t>(mismatch.levels.size()), 2,
                                kMostCertificateArms, root);
        !s) {
      return s;
    }
    for (std::size_t i = 0; i < mismatch.levels.size(); ++i) {
      const std::string path = fmt::format("{}/{}", root, i);
      if (auto s = in_range(mismatch.levels[i], 0.0, 1e3, path); !s) return s;
      // 0 = a_1 < a_2 <= ...
      const bool ordered = i == 0   ? mismatch.levels[0] == 0.0
                           : i == 1 ? mismatch.levels[1] > 0.0
                                    : mismatch.levels[i] >= mismatch.levels[i - 1];
      if (!ordered) {
        return out_of_range(path, i == 0 ? "must be 0"
                                         : "must not be below the level before it, the "
                                           "second must be positive");
      }
    }
    if (auto s = finite(mismatch.integral, "/numbers/integral"); !s) return s;
    return finite(mismatch.printed, "/numbers/printed");
  }

  Status operator()(const GrowthCounterexample& growth) const {
    const std::string root = "/counterexample";
    if (auto s = in_range(growth.epsilon, 1e-3, 0.999, root + "/epsilon"); !s) return s;
    if (auto s = in_range(growth.gap, 1e-3, 0.999, root + "/gap"); !s) return s;
    if (growth.gap <= growth.epsilon) {
      return out_of_range(root + "/gap",
                          "must be above epsilon: the conjecture speaks of no other");
    }
    if (auto s = in_range(growth.split, 0.1, 1e3, root + "/split"); !s) return s;
    if (auto s = finite(growth.rate_below, "/numbers/rate_below"); !s) return s;
    return finite(growth.rate_above, "/numbers/rate_above");
  }
};

}  // namespace

std::string_view kind_name(const Counterexample& counterexample) {
  return kKinds.at(counterexample.index());
}

Status check_rules(const Certificate& certificate) {
  for (const ClaimRule& rule : kRules) {
    if (rule.claim != certificate.claim) continue;
    if (rule.alternative != certificate.counterexample.index()) {
      return out_of_range("/counterexample/kind",
                          fmt::format("must be {} to refute {}, not {}", kKinds[rule.alternative],
                                      rule.claim, kind_name(certificate.counterexample)));
    }
    return std::visit(Rules{}, certificate.counterexample);
  }
  std::vector<std::string> known;
  for (const ClaimRule& rule : kRules) known.emplace_back(rule.claim);
  return fail(ErrorCode::kUnknownKey,
              fmt::format("must be a claim that a certificate can refute, {}, not '{}'{}",
                          fmt::join(known, " or "), plain_text(certificate.claim),
                          nearest_hint(certificate.claim, known)),
              "/claim");
}

}  // namespace assay
