// How the audit runs a custom policy: the kind of its input, the sizes of the input, and one run.
//
// The types of the class determine the kind of its private input (policies/inputs/input_table.hpp):
//   Context       Action           Feedback                  kind
//   NoContext     a whole number   double                    bandit; best-arm if it has recommendation()
//   NoContext     a whole number   std::span<const double>   experts
//   NoContext     Duel             bool                      dueling
//   ContextSet    a whole number   double                    contextual
// The fields arms (or actions), horizon (or budget) and dimension of the Config give the sizes.
// The input of a best-arm policy is a table by time: row t holds the rewards of all arms in round t.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/duels.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/policies/sparse/contexts.hpp"

namespace assay::detail {

template <class P>
constexpr InputKind own_kind() {
  using Feedback = std::remove_cvref_t<typename P::Feedback>;
  if constexpr (std::same_as<typename P::Action, Duel>) {
    static_assert(std::same_as<Feedback, bool>,
                  "the Feedback of a Duel must be a bool: whether the first arm won");
    return Duel::kInput;
  } else {
    static_assert(std::integral<typename P::Action>, "an Action must be a whole number or a Duel");
    if constexpr (std::same_as<typename P::Context, ContextSet>) {
      static_assert(std::same_as<Feedback, double>, "the Feedback of an arm must be a double");
      return InputKind::kContextual;
    } else {
      static_assert(std::same_as<typename P::Context, NoContext>,
                    "a Context must be NoContext or ContextSet (policies/sparse/contexts.hpp)");
      if constexpr (std::same_as<Feedback, std::span<const double>>) return InputKind::kExperts;
      static_assert(
          std::same_as<Feedback, std::span<const double>> || std::same_as<Feedback, double>,
          "a Feedback must be a double, or a std::span of the losses of all experts");
      if constexpr (requires(const P& policy) { policy.recommendation(); }) {
        return InputKind::kBestArm;
      }
      return InputKind::kBandit;
    }
  }
}

// Makes one run and appends its outputs to `out`. After an action that does not exist, it repeats that action to the
// end.
template <class P>
void play_own(P policy, const InputShape& shape, std::span<const double> input,
              ReplayStream& random, std::vector<double>& out) {
  const auto columns = static_cast<std::size_t>(shape.columns());
  const auto arms = static_cast<std::size_t>(shape.arms);
  const std::size_t end = out.size() + static_cast<std::size_t>(shape.width());
  // Converts an action to an index; false if it is not an arm.
  const auto index_of = [&](auto action, std::size_t& index) {
    out.push_back(static_cast<double>(action));
    index = static_cast<std::size_t>(action);
    return action >= 0 && index < arms;
  };
  std::size_t first = 0;
  std::size_t second = 0;
  for (std::size_t at = 0; at < input.size(); at += columns) {
    const auto row = input.subspan(at, columns);
    if constexpr (std::same_as<typename P::Action, Duel>) {
      const Duel duel = policy.choose(random);
      const bool known = index_of(duel.first, first) && index_of(duel.second, second);
      if (!known) return out.resize(end, out.back());
      observe(policy, row[first * arms + second] == 1.0, random);
    } else if constexpr (own_kind<P>() == InputKind::kContextual) {
      const ContextSet context{shape.arms, shape.dimension, row.subspan(arms)};
      if (!index_of(policy.choose(context, random), first)) return out.resize(end, out.back());
      observe(policy, row[first], random);
    } else {
      if (!index_of(policy.choose(random), first)) return out.resize(end, out.back());
      if constexpr (own_kind<P>() == InputKind::kExperts) {
        observe(policy, row, random);
      } else {
        observe(policy, row[own_kind<P>() == InputKind::kBestArm ? first : 0], random);
      }
    }
  }
  if constexpr (own_kind<P>() == InputKind::kBestArm) index_of(policy.recommendation(), first);
}

// Calls visit(name, size in the shape, pointer to that size in the Config or nothing) for each size of a kind.
template <class Config>
void visit_sizes(Config& config, auto& shape, auto&& visit) {
  constexpr struct {
  } kNone;
  if constexpr (requires { config.arms; }) {
    visit("arms", shape.arms, config.arms);
  } else if constexpr (requires { config.actions; }) {
    visit("arms", shape.arms, config.actions);
  } else {
    visit("arms", shape.arms, kNone);
  }
  if constexpr (requires { config.horizon; }) {
    visit("horizon", shape.horizon, config.horizon);
  } else if constexpr (requires { config.budget; }) {
    visit("horizon", shape.horizon, config.budget);
  } else {
    visit("horizon", shape.horizon, kNone);
  }
  if (!shape.traits().has_contexts()) return;
  if constexpr (requires { config.dimension; }) {
    visit("dimension", shape.dimension, config.dimension);
  } else {
    visit("dimension", shape.dimension, kNone);
  }
}

// Reads the sizes that the Config has into the shape, and returns the names of the other sizes.
template <class Config>
std::vector<std::string_view> take_sizes(const Config& config, InputShape& shape) {
  std::vector<std::string_view> missing;
  visit_sizes(config, shape, [&](std::string_view name, std::int64_t& size, const auto& own) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(own)>>) {
      size = own;
    } else {
      missing.push_back(name);
    }
  });
  return missing;
}
template <class Config>
void put_sizes(const InputShape& shape, Config& config) {
  visit_sizes(config, shape, [](std::string_view, std::int64_t size, auto& own) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(own)>>) own = size;
  });
}

}  // namespace assay::detail
