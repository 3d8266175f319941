#include "assay/mechanisms/accounting/account/convert.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

constexpr std::array<double, 3> kOrders = {2.0, 8.0, 32.0};

constexpr const char* kDrs = "Dong, Roth, Su (2022), corollary 2.13";
constexpr const char* kDrsPure =
    "Dong, Roth, Su (2022), section 2: G_mu through the corner of eps-DP";
constexpr const char* kKov =
    "Kairouz, Oh, Viswanath (2017), section 3: the corner of (eps, delta)-DP";
constexpr const char* kCks = "Canonne, Kamath, Steinke (2020), proposition 12, at the best order";
constexpr const char* kBun =
    "Bun, Steinke (2016), proposition 1.3: eps = rho + 2 sqrt(rho log(1/delta))";
constexpr const char* kDefinition = "the definition";
constexpr const char* kChain =
    "Dong, Roth, Su (2022), theorem 2.14, exact for the level (docs/proofs/groups.md)";

struct LevelParameters {
  const char* name;
  std::vector<std::string> parameters;
};

const std::array<LevelParameters, 5>& level_kinds() {
  static const std::array<LevelParameters, 5> kinds = {{{"pure", {"epsilon"}},
                                                        {"approximate", {"epsilon", "own_delta"}},
                                                        {"gdp", {"mu"}},
                                                        {"zcdp", {"rho"}},
                                                        {"rdp", {"order", "epsilon"}}}};
  return kinds;
}

Result<double> value_of(const std::string& level, const std::string& name,
                        std::span<const KeyValue> parameters) {
  for (const auto& [key, text] : parameters) {
    if (key != name) continue;
    const auto value = parse_number(text);
    if (value) return *value;
    return fail(ErrorCode::kParse, name + " " + value.error().message, "/" + name);
  }
  return fail(ErrorCode::kInvalidArgument, level + " needs " + name, "/" + name);
}

// A level's numbers in the order of its parameters.
Result<std::vector<double>> numbers_of(const LevelParameters& kind,
                                       std::span<const KeyValue> parameters) {
  for (const auto& [key, text] : parameters) {
    if (std::find(kind.parameters.begin(), kind.parameters.end(), key) == kind.parameters.end()) {
      return fail(ErrorCode::kUnknownKey,
                  std::string(kind.name) + " has no parameter '" + key + "', only " +
                      joined(kind.parameters),
                  "/" + key);
    }
  }
  std::vector<double> numbers;
  for (const auto& name : kind.parameters) {
    const auto value = ASSAY_TRY(value_of(kind.name, name, parameters));
    ASSAY_TRY(name == "own_delta" ? detail::check_delta(name, value)
              : name == "order" && value <= 1.0
                  ? detail::out_of_range(name, "above 1", number_text(value))
                  : detail::check_positive(name, value));
    numbers.push_back(value);
  }
  return numbers;
}

// ---- lines --------------------------------------------------------------------------------------

class TableWriter {
 public:
  explicit TableWriter(ConversionTable& table) : lines_(table.lines) {}

  void bound(std::string to, std::string quantity, double upper, std::string source) {
    lines_.push_back({std::move(to), std::move(quantity), upper, {}, std::move(source), {}});
  }
  void nothing(std::string to, std::string quantity, std::string why) {
    lines_.push_back({std::move(to), std::move(quantity), std::nullopt, {}, {}, std::move(why)});
  }
  template <class Q>
  void add(std::string to, std::string quantity, const Result<UpperBound<Q>>& result,
           std::string source) {
    if (result)
      return bound(std::move(to), std::move(quantity), result->value.value, std::move(source));
    nothing(std::move(to), std::move(quantity), result.error().message);
  }

 private:
  std::vector<ConversionLine>& lines_;
};

std::string at_delta(double delta) { return "eps at delta = " + number_text(delta); }
std::string at_epsilon(double eps) { return "delta at eps = " + number_text(eps); }

void add_renyi_orders(const RenyiDp& curve, const std::string& source, TableWriter& out) {
  for (const double order : kOrders) {
    const double upper = curve.at(order).value.value;
    const std::string to = "RDP of order " + number_text(order);
    if (std::isfinite(upper)) {
      out.bound(to, "eps", upper, source);
    } else {
      out.nothing(to, "eps", "the curve is not known at this order");
    }
  }
}

void add_by_renyi(const RenyiDp& curve, const ConversionRequest& request, TableWriter& out) {
  for (const double delta : request.deltas) {
    out.add(at_delta(delta), "eps", renyi_epsilon(curve, Delta{delta}), kCks);
  }
  for (const double eps : request.epsilons) {
    out.add(at_epsilon(eps), "delta", renyi_delta(curve, Epsilon{eps}), kCks);
  }
}

void add_approximate(const PrivacyLevel& level, const std::string& source,
                     const ConversionRequest& request, TableWriter& out) {
  for (const double delta : request.deltas) {
    const auto converted = approximate_at_delta(level, Delta{delta});
    if (converted) {
      out.bound(at_delta(delta), "eps", converted->epsilon.value, source);
    } else {
      out.nothing(at_delta(delta), "eps", converted.error().message);
    }
  }
  for (const double eps : request.epsilons) {
    out.bound(at_epsilon(eps), "delta", approximate_at_epsilon(level, Epsilon{eps}).delta.value,
              source);
  }
}

void fill(const PureDp& level, const ConversionRequest& request, TableWriter& out) {
  out.bound("eps-DP", "eps", level.epsilon.value, kDefinition);
  out.bound("mu-GDP", "mu", to_gaussian(level)->mu.value, kDrsPure);
  out.add("rho-zCDP", "rho", zcdp_rho(level),
          "Bun, Steinke (2016), proposition 3.3, sharpened (zcdp.hpp): rho = eps tanh(eps/2)");
  add_renyi_orders(*to_renyi(level), "Renyi divergence of randomised response", out);
  add_approximate(level, kKov, request, out);
}

void fill(const ApproximateDp& level, const ConversionRequest& request, TableWriter& out) {
  if (level.delta.value == 0.0) return fill(PureDp{level.epsilon}, request, out);
  const char* why = "with delta > 0 an event may have probability 0 on one input only";
  out.nothing("eps-DP", "eps", why);
  out.nothing("mu-GDP", "mu", why);
  out.nothing("rho-zCDP", "rho", why);
  out.nothing("RDP of any order", "eps", why);
  add_approximate(level, kKov, request, out);
}

void fill(const GaussianDp& level, const ConversionRequest& request, TableWriter& out) {
  out.nothing("eps-DP", "eps", "Gaussian noise can lose any eps, with small probability");
  out.bound("mu-GDP", "mu", level.mu.value, kDefinition);
  out.add("rho-zCDP", "rho", zcdp_rho(level), "Bun, Steinke (2016), lemma 2.4: rho = mu^2/2");
  add_renyi_orders(*to_renyi(level), "Mironov (2017), proposition 7: alpha mu^2/2", out);
  add_approximate(level, kDrs, request, out);
}

void fill(const ZeroConcentratedDp& level, const ConversionRequest& request, TableWriter& out) {
  out.nothing("eps-DP", "eps", "Gaussian noise has this level but no finite eps");
  out.nothing("mu-GDP", "mu", "no closed form; see the lines of eps at a delta");
  out.bound("rho-zCDP", "rho", level.rho.value, kDefinition);
  const auto curve = *to_renyi(level);
  add_renyi_orders(curve, "the definition: rho alpha", out);
  add_by_renyi(curve, request, out);
  for (const double delta : request.deltas) {
    out.add(at_delta(delta) + ", closed form", "eps",
            zcdp_epsilon_closed_form(level.rho, Delta{delta}), kBun);
  }
}

void fill_curve(const RenyiDp& curve, const ConversionRequest& request, TableWriter& out) {
  const char* why = "a bound at one order implies none at higher orders";
  out.nothing("eps-DP", "eps", why);
  out.nothing("mu-GDP", "mu", why);
  out.nothing("rho-zCDP", "rho", why);
  add_renyi_orders(curve, "convexity of (alpha - 1) D_alpha", out);
  add_by_renyi(curve, request, out);
}

// The step that stands for every mechanism of the level, where the cost of a group is less than the group's level.
std::optional<StepMechanism> step_of_level(const PureDp& level) {
  return PureStep{level.epsilon.value};
}
std::optional<StepMechanism> step_of_level(const ApproximateDp& level) {
  return ApproximateStep{level.epsilon.value, level.delta.value};
}
template <class Level>
std::optional<StepMechanism> step_of_level(const Level& /*level*/) {
  return std::nullopt;
}

// The lines at a delta or an eps by the chain of `changes`, where these are lower.
void improve_by_chain(const StepMechanism& step, std::int64_t changes,
                      const ConversionRequest& request, ConversionTable& table) {
  const ChainStep whole{step, 1, "", 1, changes};
  const auto improve = [&](const AccountTarget& target, const std::string& to) {
    const auto answers = account_for(std::span(&whole, 1), std::span(&target, 1));
    if (!answers) return;  // out of the range of accounts
    const double upper = answers->front().upper;
    for (ConversionLine& line : table.lines) {
      if (line.to != to || !std::isfinite(upper) || !(upper < line.upper.value_or(kInfinity))) {
        continue;
      }
      line.upper = upper;
      line.source = kChain;
      line.why_not.clear();
    }
  };
  using Asked = AccountTarget::Asked;
  for (const double delta : request.deltas)
    improve({Asked::kEpsilonAtDelta, delta}, at_delta(delta));
  for (const double eps : request.epsilons) improve({Asked::kDeltaAtEpsilon, eps}, at_epsilon(eps));
}

// For `changes` of one record, one after another.
template <class Level>
Result<ConversionTable> table_of(const Level& level, const ConversionRequest& request,
                                 std::int64_t changes) {
  ConversionTable table{level, request.group, request.replaces, {}, {}};
  TableWriter out(table);
  if constexpr (std::is_same_v<Level, RenyiPoint>) {
    const auto curve = ASSAY_TRY(renyi_from_points(std::span(&level, 1)));
    const auto grouped = ASSAY_TRY(for_group(curve, changes));
    if (changes == 1) table.level = to_string(ConvertibleLevel(level));
    fill_curve(grouped, request, out);
  } else {
    const auto grouped = ASSAY_TRY(for_group(level, changes));
    table.level = to_string(ConvertibleLevel(grouped));
    fill(grouped, request, out);
    if (const auto step = step_of_level(level); step && changes > 1) {
      improve_by_chain(*step, changes, request, table);
    }
  }
  return table;
}

void add_originals(const ConversionTable& one, ConversionTable& table) {
  for (ConversionLine& line : table.lines) {
    const auto same =
        std::find_if(one.lines.begin(), one.lines.end(),
                     [&](const ConversionLine& other) { return other.to == line.to; });
    if (line.upper && same != one.lines.end()) line.original = same->upper;
  }
}

}  // namespace

Result<ConvertibleLevel> make_level(const std::string& name, std::span<const KeyValue> parameters) {
  std::vector<std::string> known;
  for (const auto& kind : level_kinds()) known.emplace_back(kind.name);
  const auto at =
      static_cast<std::size_t>(std::find(known.begin(), known.end(), name) - known.begin());
  if (at == known.size()) {
    return fail(ErrorCode::kUnknownKey,
                "no level is called '" + name + "'" + nearest_hint(name, known), "/level");
  }
  const auto numbers = ASSAY_TRY(numbers_of(level_kinds()[at], parameters));
  const auto& x = numbers;
  switch (at) {
    case 0:
      return PureDp{Epsilon{x[0]}};
    case 1:
      return ApproximateDp{Epsilon{x[0]}, Delta{x[1]}};
    case 2:
      return GaussianDp{Mu{x[0]}};
    case 3:
      return ZeroConcentratedDp{Rho{x[0]}};
    default:
      return RenyiPoint{x[0], Epsilon{x[1]}};
  }
}

std::string to_string(const ConvertibleLevel& level) {
  return std::visit(
      []<class Level>(const Level& l) -> std::string {
        if constexpr (std::is_same_v<Level, PureDp>) {
          return "eps = " + number_text(l.epsilon.value);
        } else if constexpr (std::is_same_v<Level, ApproximateDp>) {
          return "eps = " + number_text(l.epsilon.value) +
                 ", delta = " + number_text(l.delta.value);
        } else if constexpr (std::is_same_v<Level, GaussianDp>) {
          return "mu = " + number_text(l.mu.value);
        } else if constexpr (std::is_same_v<Level, ZeroConcentratedDp>) {
          return "rho = " + number_text(l.rho.value);
        } else {
          return "RDP eps = " + number_text(l.epsilon.value) + " of order " + number_text(l.order);
        }
      },
      level);
}

Result<ConversionTable> conversion_table(const ConvertibleLevel& level,
                                         const ConversionRequest& request) {
  for (const double delta : request.deltas) {
    ASSAY_TRY(detail::check_delta("delta", delta));
  }
  for (const double eps : request.epsilons) {
    ASSAY_TRY(detail::check_non_negative("at_epsilon", eps));
  }
  ASSAY_TRY(detail::check_count("group", request.group, std::int64_t{1} << 52));
  const std::int64_t changes = request.group * (request.replaces ? 2 : 1);
  const auto of = [&](std::int64_t n) {
    return std::visit([&](const auto& l) { return table_of(l, request, n); }, level);
  };
  auto table = ASSAY_TRY(of(changes));
  if (changes == 1) return table;
  const auto one = ASSAY_TRY(of(1));
  add_originals(one, table);
  return table;
}

}  // namespace assay
