#include "assay/auditors/sampler/stated_distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/option_values.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using Parts = StatedDistribution::Parts;

constexpr Range kScales{1e-12, 1e12};
constexpr Range kLocations{-1e12, 1e12};
// A scale that is not given is out of range.
struct LaplaceStated {
  static constexpr std::string_view kName = "laplace", kExample = "laplace:scale=1";
  double location = 0.0, scale = 0.0;
  static void fields(auto&& visit) {
    visit(field("location", &LaplaceStated::location, kLocations, "", "the median"));
    visit(field("scale", &LaplaceStated::scale, kScales, "", "the mean distance from it"));
  }
};
struct GaussianStated {
  static constexpr std::string_view kName = "gaussian", kExample = "gaussian:sigma=1";
  double location = 0.0, scale = 0.0;
  static void fields(auto&& visit) {
    visit(field("location", &GaussianStated::location, kLocations, "", "the mean"));
    visit(field("sigma", &GaussianStated::scale, kScales, "", "the standard deviation"));
  }
};
struct GumbelStated {
  static constexpr std::string_view kName = "gumbel", kExample = "gumbel:scale=1";
  double location = 0.0, scale = 0.0;
  static void fields(auto&& visit) {
    visit(field("location", &GumbelStated::location, kLocations, "", "the mode"));
    visit(field("scale", &GumbelStated::scale, kScales, "", "the scale"));
  }
};
struct ExponentialStated {
  static constexpr std::string_view kName = "exponential", kExample = "exponential:scale=1";
  double scale = 0.0;
  static void fields(auto&& visit) {
    visit(field("scale", &ExponentialStated::scale, kScales, "", "the mean"));
  }
};
struct UniformStated {
  static constexpr std::string_view kName = "uniform", kExample = "uniform:low=0,high=1";
  double low = 0.0, high = 1.0;
  static void fields(auto&& visit) {
    visit(field("low", &UniformStated::low, kLocations, "", "the least value"));
    visit(field("high", &UniformStated::high, kLocations, "", "the largest value"));
  }
  Status check() const {
    if (high - low >= 1e-12) return {};
    return fail(ErrorCode::kInvalidArgument,
                "high must be above low = " + number_text(low) + ", not " + number_text(high),
                "/high");
  }
};
struct DiscreteLaplaceStated {
  static constexpr std::string_view kName = "discrete-laplace",
                                    kExample = "discrete-laplace:scale=2";
  double scale = 0.0;
  static void fields(auto&& visit) {
    visit(field("scale", &DiscreteLaplaceStated::scale, Range{1e-2, 1e12}, "", "the scale"));
  }
};
struct DiscreteGaussianStated {
  static constexpr std::string_view kName = "discrete-gaussian",
                                    kExample = "discrete-gaussian:sigma=2";
  double scale = 0.0;
  static void fields(auto&& visit) {
    visit(field("sigma", &DiscreteGaussianStated::scale, Range{0.05, 1e5}, "",
                "the sigma of the weights e^(-k^2/(2 sigma^2))"));
  }
};
struct GeometricStated {
  static constexpr std::string_view kName = "geometric", kExample = "geometric:p=0.5";
  double p = 0.0;
  static void fields(auto&& visit) {
    visit(field("p", &GeometricStated::p, Range{1e-9, 1.0 - 1e-9}, "",
                "the probability of success; the values are failures before the first one"));
  }
};
struct BernoulliStated {
  static constexpr std::string_view kName = "bernoulli", kExample = "bernoulli:p=0.5";
  double p = 0.0;
  static void fields(auto&& visit) {
    visit(field("p", &BernoulliStated::p, Range{1e-9, 1.0 - 1e-9}, "", "the probability of 1"));
  }
};

Result<Parts> parts_of(const auto& config);

template <class Config>
Parts named_parts(const Config& config) {
  Parts parts;
  parts.name = Config::kName;
  parts.parameters = field_values(config);
  if constexpr (requires { config.scale; }) {
    parts.scaled = [config](double factor) -> Result<StatedDistribution> {
      Config other = config;
      other.scale *= factor;
      auto scaled_parts = ASSAY_TRY(parts_of(other));
      return StatedDistribution(std::move(scaled_parts));
    };
  }
  return parts;
}

// `peak`: at least the largest density of the standard form.
template <class Noise, class Config>
Parts continuous_parts(const Config& config, const Noise& noise, double peak) {
  Parts parts = named_parts(config);
  parts.at_most = [noise](double x) { return noise.cdf(x); };
  parts.above = [noise](double x) { return noise.ccdf(x); };
  parts.lower_cut = [noise](double q) { return noise.quantile(q); };
  parts.upper_cut = [noise](double q) { return noise.ccdf_quantile(q); };
  parts.low = -kInfinity;
  parts.high = kInfinity;
  parts.likeliest_value = 0x1p-51 * (1.0 + std::abs(noise.location()) / noise.scale());
  parts.density = peak / noise.scale();
  return parts;
}

// The functions of whole numbers from two: P(X <= k) and P(X >= k). All but a negligible part lies in [first, last].
void set_whole(Parts& parts, std::function<double(std::int64_t)> at_most,
               std::function<double(std::int64_t)> at_least, std::int64_t first,
               std::int64_t last) {
  const auto whole = [](double x) {
    return static_cast<std::int64_t>(std::floor(std::clamp(x, -0x1p60, 0x1p60)));
  };
  parts.at_most = [=](double x) { return at_most(whole(x)); };
  parts.above = [=](double x) { return at_least(whole(x) + 1); };
  const auto first_with = [=](const auto& holds) {  // holds(last) is taken for granted
    std::int64_t low = first, high = last;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (holds(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return static_cast<double>(low);
  };
  parts.lower_cut = [=](double q) {
    return first_with([&](std::int64_t k) { return at_most(k) >= q; });
  };
  parts.upper_cut = [=](double q) {
    return first_with([&](std::int64_t k) { return at_least(k + 1) <= q; });
  };
}

Parts whole_parts(const DiscreteLaplaceStated& config, const DiscreteLaplace& noise) {
  Parts parts = named_parts(config);
  const auto reach = static_cast<std::int64_t>(45.0 * config.scale + 2.0);
  set_whole(
      parts, [noise](std::int64_t k) { return noise.cdf(k); },
      [noise](std::int64_t k) { return noise.ccdf(k); }, -reach, reach);
  parts.residue = [scale = config.scale](int r, int m) {
    const auto power = [&](int k) { return portable_exp(-k / scale); };
    const auto rest = [&](int k) { return -portable_expm1(-k / scale); };
    return (power(r) + power(m - r)) * rest(1) / ((1.0 + power(1)) * rest(m));  // (2)
  };
  parts.low = -kInfinity;
  parts.high = kInfinity;
  parts.likeliest_value = portable_exp(noise.log_pmf(0));
  return parts;
}

Parts whole_parts(const DiscreteGaussianStated& config, const DiscreteGaussian& noise) {
  Parts parts = named_parts(config);
  const auto reach = static_cast<std::int64_t>(11.0 * config.scale + 2.0);  // beyond: e^-60
  // tail[k] = P(X >= k), from the far end
  auto tail = std::make_shared<std::vector<double>>(static_cast<std::size_t>(reach) + 2, 0.0);
  std::array<std::vector<double>, 6> residues;
  for (std::size_t m = 2; m < residues.size(); ++m) residues[m].assign(m, 0.0);
  for (std::int64_t k = reach; k >= 1; --k) {
    const double weight = portable_exp(noise.log_pmf(k));
    const auto i = static_cast<std::size_t>(k);
    (*tail)[i] = (*tail)[i + 1] + weight;
    for (std::size_t m = 2; m < residues.size(); ++m) {
      residues[m][i % m] += weight;
      residues[m][(m - i % m) % m] += weight;
    }
  }
  const double zero = portable_exp(noise.log_pmf(0));
  for (std::size_t m = 2; m < residues.size(); ++m) residues[m][0] += zero;
  const auto at_least = [tail, reach](std::int64_t k) {
    if (k >= 1) return k > reach ? 0.0 : (*tail)[static_cast<std::size_t>(k)];
    const std::int64_t mirrored = 1 - k;
    return mirrored > reach ? 1.0 : 1.0 - (*tail)[static_cast<std::size_t>(mirrored)];
  };
  set_whole(
      parts, [at_least](std::int64_t k) { return at_least(-k); }, at_least, -reach, reach);
  parts.residue = [residues](int r, int m) {
    return residues[static_cast<std::size_t>(m)][static_cast<std::size_t>(r)];
  };
  parts.low = -kInfinity;
  parts.high = kInfinity;
  parts.likeliest_value = zero;
  return parts;
}

Parts whole_parts(const GeometricStated& config) {
  Parts parts = named_parts(config);
  const double log_a = portable_log1p(-config.p);
  const auto reach = static_cast<std::int64_t>(45.0 / -log_a + 2.0);
  set_whole(
      parts,
      [log_a](std::int64_t k) {
        return k < 0 ? 0.0 : -portable_expm1(static_cast<double>(k + 1) * log_a);
      },
      [log_a](std::int64_t k) {
        return k <= 0 ? 1.0 : portable_exp(static_cast<double>(k) * log_a);
      },
      0, reach);
  parts.residue = [p = config.p, log_a](int r, int m) {
    return p * portable_exp(r * log_a) / -portable_expm1(m * log_a);  // (2)
  };
  parts.low = 0.0;
  parts.high = kInfinity;
  parts.likeliest_value = config.p;
  return parts;
}

Parts whole_parts(const BernoulliStated& config) {
  Parts parts = named_parts(config);
  const double p = config.p;
  set_whole(
      parts, [p](std::int64_t k) { return k < 0   ? 0.0
                                          : k < 1 ? 1.0 - p
                                                  : 1.0; },
      [p](std::int64_t k) { return k <= 0   ? 1.0
                                   : k == 1 ? p
                                            : 0.0; }, 0, 1);
  parts.residue = [p](int r, int) { return r == 0 ? 1.0 - p : r == 1 ? p : 0.0; };
  parts.low = 0.0;
  parts.high = 1.0;
  parts.likeliest_value = std::max(p, 1.0 - p);
  return parts;
}

Parts uniform_parts(const UniformStated& config) {
  Parts parts = named_parts(config);
  const double width = config.high - config.low;
  const auto share = [width](double part) { return std::clamp(part / width, 0.0, 1.0); };
  parts.at_most = [=](double x) { return share(x - config.low); };
  parts.above = [=](double x) { return share(config.high - x); };
  parts.lower_cut = [=](double q) { return config.low + q * width; };
  parts.upper_cut = [=](double q) { return config.high - q * width; };
  parts.low = config.low;
  parts.high = config.high;
  parts.likeliest_value =
      0x1p-51 * (1.0 + std::max(std::abs(config.low), std::abs(config.high)) / width);
  parts.density = 1.0 / width;
  return parts;
}

Result<Parts> parts_of(const auto& config) {
  using Config = std::decay_t<decltype(config)>;
  if constexpr (std::is_same_v<Config, LaplaceStated>) {
    const auto noise = ASSAY_TRY(Laplace::create(config.location, config.scale));
    return continuous_parts(config, noise, 0.5);
  } else if constexpr (std::is_same_v<Config, GaussianStated>) {
    const auto noise = ASSAY_TRY(Gaussian::create(config.location, config.scale));
    return continuous_parts(config, noise, 0.4);
  } else if constexpr (std::is_same_v<Config, GumbelStated>) {
    const auto noise = ASSAY_TRY(Gumbel::create(config.location, config.scale));
    return continuous_parts(config, noise, 0.37);
  } else if constexpr (std::is_same_v<Config, ExponentialStated>) {
    const auto noise = ASSAY_TRY(Exponential::create(config.scale));
    Parts parts = continuous_parts(config, noise, 1.0);
    parts.low = 0.0;
    return parts;
  } else if constexpr (std::is_same_v<Config, UniformStated>) {
    return uniform_parts(config);
  } else if constexpr (std::is_same_v<Config, DiscreteLaplaceStated>) {
    const auto noise = ASSAY_TRY(DiscreteLaplace::create(config.scale));
    return whole_parts(config, noise);
  } else if constexpr (std::is_same_v<Config, DiscreteGaussianStated>) {
    const auto noise = ASSAY_TRY(DiscreteGaussian::create(config.scale));
    return whole_parts(config, noise);
  } else {
    return whole_parts(config);
  }
}

template <class Config>
Result<StatedDistribution> read_stated(const std::vector<KeyValue>& given) {
  const auto config = read_configuration<Config>(given);
  if (!config) {
    Error error = config.error();
    const std::string field = error.path.empty() ? "" : error.path.substr(1);
    const bool is_given = std::any_of(given.begin(), given.end(),
                                      [&](const KeyValue& one) { return one.key == field; });
    const std::string name(Config::kName);
    error.message = !is_given && error.code == ErrorCode::kInvalidArgument && !field.empty()
                        ? name + " needs " + field + ", as in " + std::string(Config::kExample)
                        : name + ": " + error.message;
    error.path.clear();
    return tl::make_unexpected(std::move(error));
  }
  auto parts = ASSAY_TRY(parts_of(*config));
  return StatedDistribution(std::move(parts));
}

struct StatedRow {
  std::string_view name, example;
  Result<StatedDistribution> (*read)(const std::vector<KeyValue>& given);
};
template <class... Configs>
std::vector<StatedRow> stated_rows() {
  return {{Configs::kName, Configs::kExample, read_stated<Configs>}...};
}
const std::vector<StatedRow>& all_stated() {
  static const auto rows = stated_rows<LaplaceStated, GaussianStated, GumbelStated,
                                       ExponentialStated, UniformStated, DiscreteLaplaceStated,
                                       DiscreteGaussianStated, GeometricStated, BernoulliStated>();
  return rows;
}

}  // namespace

Result<StatedDistribution> StatedDistribution::parse(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name(text.substr(0, colon));
  std::vector<std::string> words;
  if (colon < text.size()) {
    for (std::size_t at = colon + 1; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      words.emplace_back(text.substr(at, comma - at));
      at = comma + 1;
    }
  }
  for (const auto& row : all_stated()) {
    if (row.name != name) continue;
    const auto given = ASSAY_TRY(split_parameters(words));
    return row.read(given);
  }
  std::vector<std::string> names;
  for (const auto& row : all_stated()) names.emplace_back(row.name);
  return fail(ErrorCode::kUnknownKey, "no distribution is called '" + name + "'" +
                                          nearest_hint(name, names) + "; there are " +
                                          joined(names));
}

std::string StatedDistribution::text() const {
  std::string out = name();
  char before_value = ':';
  for (const auto& [key, value] : parameters()) {
    out += before_value + key + "=" + value;
    before_value = ',';
  }
  return out;
}

double StatedDistribution::between(double low, double high) const {
  if (!(low < high)) return 0.0;
  if (low == -kInfinity) return high == kInfinity ? 1.0 : at_most(high);
  if (high == kInfinity) return above(low);
  const double lower = at_most(high), upper = above(low);
  const double found = lower <= 0.5   ? lower - at_most(low)
                       : upper <= 0.5 ? upper - above(high)
                                      : 1.0 - at_most(low) - above(high);  // (1)
  return std::clamp(found, 0.0, 1.0);
}

std::optional<StatedDistribution> StatedDistribution::scaled(double factor) const {
  if (!parts_->scaled) return std::nullopt;
  auto other = parts_->scaled(factor);
  if (!other) return std::nullopt;
  return std::move(*other);
}

const std::vector<std::string>& stated_examples() {
  static const auto examples = [] {
    std::vector<std::string> out;
    for (const auto& row : all_stated()) out.emplace_back(row.example);
    return out;
  }();
  return examples;
}

}  // namespace assay
