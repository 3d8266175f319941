#include "assay/auditors/audit/target_settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "assay/mechanisms/core/options.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

struct Varied {
  std::string name;
  std::vector<double> values;  // of a list
  double low = 0.0, high = 0.0;
  std::int64_t points = 0;  // of a range; 0 for a list

  std::size_t size() const { return points > 0 ? static_cast<std::size_t>(points) : values.size(); }
  double value(std::size_t i) const {
    if (points == 0) return values[i];
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    if (i == 0) return low;
    if (i + 1 == size()) return high;
    const bool by_ratio = low > 0.0 && high >= 10.0 * low;
    return by_ratio ? low * portable_exp(share * portable_log(high / low))
                    : low + share * (high - low);
  }
};

tl::unexpected<Error> refuse(const std::string& message) {
  return fail(ErrorCode::kInvalidArgument, "--vary " + message);
}

std::string placeholder(const std::string& name) { return "{" + name + "}"; }

bool is_name(std::string_view text) {
  TextCursor cursor(text);
  return !text.empty() && cursor.take_name() == text;
}

Result<Varied> read_range(Varied varied, const std::string& text, std::size_t colon) {
  const auto low = parse_number(text.substr(0, colon));
  const auto high = parse_number(text.substr(colon + 1));
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || !(*low < *high)) {
    return refuse(
        fmt::format("{} needs a range LOW:HIGH with LOW below HIGH, not '{}'", varied.name, text));
  }
  varied.low = *low;
  varied.high = *high;
  varied.points = 2;
  return varied;
}

Result<Varied> read_list(Varied varied, const std::string& text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto value = parse_number(text.substr(at, comma - at));
    if (!value || !std::isfinite(*value)) {
      return refuse(
          fmt::format("{} needs numbers, LOW:HIGH or A,B,C, not '{}'", varied.name, text));
    }
    varied.values.push_back(*value);
    at = comma + 1;
  }
  return varied;
}

Result<std::vector<Varied>> read_varied(const std::string& command,
                                        const std::vector<std::string>& words) {
  const auto pairs = split_parameters(words);
  if (!pairs) return refuse(pairs.error().message);
  std::vector<Varied> out;
  for (const auto& [name, text] : *pairs) {
    if (!is_name(name)) return refuse("needs a name of letters, digits and _, not '" + name + "'");
    if (command.find(placeholder(name)) == std::string::npos) {
      return refuse(fmt::format("{0} needs {{{0}}} in the command of --exec", name));
    }
    const std::size_t colon = text.find(':');
    auto varied = ASSAY_TRY(colon == std::string::npos ? read_list({name, {}}, text)
                                                       : read_range({name, {}}, text, colon));
    out.push_back(std::move(varied));
  }
  return out;
}

std::size_t combinations(const std::vector<Varied>& varied) {
  std::size_t product = 1;
  for (const auto& one : varied) product *= one.size();
  return product;
}

// Adds points to the ranges, in turn, while the combinations stay within `most`.
void fill_ranges(std::vector<Varied>& varied, std::size_t most) {
  for (bool grew = true; grew;) {
    grew = false;
    for (auto& one : varied) {
      if (one.points == 0) continue;
      ++one.points;
      if (combinations(varied) > most) {
        --one.points;
      } else {
        grew = true;
      }
    }
  }
}

Setting setting_of(const std::string& command, const std::vector<Varied>& varied,
                   std::size_t index) {
  Setting setting{command, {}, {}};
  for (const auto& one : varied) {
    const double value = one.value(index % one.size());
    index /= one.size();
    const std::string text = number_text(value);
    const std::string place = placeholder(one.name);
    for (std::size_t at = setting.command.find(place); at != std::string::npos;
         at = setting.command.find(place, at + text.size())) {
      setting.command.replace(at, place.size(), text);
    }
    setting.variables.push_back({one.name, "", value});
    setting.parameters.push_back({one.name, text});
  }
  return setting;
}

}  // namespace

Result<std::vector<Setting>> target_settings(const std::string& command,
                                             const std::vector<std::string>& vary,
                                             std::int64_t most) {
  auto varied = ASSAY_TRY(read_varied(command, vary));
  const auto limit = static_cast<std::size_t>(most);
  if (combinations(varied) > limit) {
    return refuse(fmt::format("makes at least {} combinations; --settings allows {} (at most {})",
                              combinations(varied), most, kMostSettings));
  }
  fill_ranges(varied, limit);
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < combinations(varied); ++i) {
    settings.push_back(setting_of(command, varied, i));
  }
  return settings;
}

}  // namespace assay
