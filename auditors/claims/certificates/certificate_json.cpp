#include "assay/auditors/claims/certificates/certificate_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "assay/auditors/claims/certificates/certificate_rules.hpp"
#include "assay/auditors/writers/json_text.hpp"
#include "assay/auditors/writers/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order in which fields are written
using Tree = nlohmann::json;          // finds a key in logarithmic time, however many there are

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kDeepest = 8;

// ---- writing ------------------------------------------------------------------------------------

Json history_json(const std::vector<ArmPlays>& history) {
  Json out = Json::array();
  for (const ArmPlays& plays : history) {
    out.push_back({{"arm", plays.arm + 1}, {"reward", plays.reward}, {"times", plays.times}});
  }
  return out;
}

Json numbers_json(const EventNumbers& numbers) {
  Json event = Json::array();
  for (const int arm : numbers.event) event.push_back(arm + 1);
  return {{"event", event},         {"epsilon", numbers.epsilon},
          {"delta", numbers.delta}, {"p", numbers.p},
          {"q", numbers.q},         {"true_delta", numbers.true_delta}};
}

// Adds "counterexample" and "numbers".
struct Writer {
  Json& out;

  void operator()(const RoundCounterexample& round) const {
    out["counterexample"] = {{"kind", "round"},
                             {"arms", round.arms},
                             {"history", history_json(round.history)},
                             {"changed", round.changed + 1},
                             {"new_reward", round.new_reward}};
    out["numbers"] = numbers_json(round.numbers);
  }
  void operator()(const NoisyMaxCounterexample& max) const {
    out["counterexample"] = {{"kind", "noisy-max"},
                             {"values", Json(max.values)},
                             {"deviations", Json(max.deviations)},
                             {"sensitivities", Json(max.sensitivities)},
                             {"changed", max.changed + 1},
                             {"new_value", max.new_value}};
    out["numbers"] = numbers_json(max.numbers);
  }
  void operator()(const LawMismatch& law) const {
    out["counterexample"] = {{"kind", "law"},
                             {"arms", law.arms},
                             {"history", history_json(law.history)},
                             {"arm", law.arm + 1}};
    out["numbers"] = {{"probability", law.probability},
                      {"printed_probability", law.printed_probability}};
  }
  void operator()(const EpochCounterexample& epoch) const {
    out["counterexample"] = {{"kind", "epoch"},
                             {"noise", detail::value_text(epoch.noise)},
                             {"epsilon", epoch.epsilon},
                             {"others", Json(epoch.others)},
                             {"before", Json(epoch.before)},
                             {"after", Json(epoch.after)},
                             {"action", epoch.action + 1}};
    out["numbers"] = {{"p", epoch.p}, {"q", epoch.q}, {"loss", epoch.loss}};
  }
  void operator()(const RegretCounterexample& regret) const {
    Json gaps = Json::array();
    for (const GapGroup& group : regret.gaps) {
      gaps.push_back({{"gap", group.gap}, {"times", group.times}});
    }
    out["counterexample"] = {
        {"kind", "regret"}, {"epsilon", regret.epsilon}, {"epochs", regret.epochs}, {"gaps", gaps}};
    out["numbers"] = {{"regret", regret.regret}, {"bound", regret.bound}};
  }
  void operator()(const IntegralMismatch& mismatch) const {
    out["counterexample"] = {{"kind", "integral"}, {"levels", Json(mismatch.levels)}};
    out["numbers"] = {{"integral", mismatch.integral}, {"printed", mismatch.printed}};
  }
  void operator()(const GrowthCounterexample& growth) const {
    out["counterexample"] = {{"kind", "growth"},
                             {"noise", detail::value_text(growth.noise)},
                             {"epsilon", growth.epsilon},
                             {"gap", growth.gap},
                             {"split", growth.split}};
    out["numbers"] = {{"rate_below", growth.rate_below}, {"rate_above", growth.rate_above}};
  }
};

// ---- JSON at all --------------------------------------------------------------------------------

std::string escaped(std::string key) {  // RFC 6901
  for (std::size_t at = 0; (at = key.find_first_of("~/", at)) != std::string::npos; at += 2) {
    key.replace(at, 1, key[at] == '~' ? "~0" : "~1");
  }
  return plain_text(key);
}

// Sees every token of a text once and stops at the first fault. What passes is valid JSON without
// repeated keys, which a tree of values would no longer show.
class Scan : public nlohmann::json_sax<Tree> {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  const Error& error() const { return error_; }

  bool null() override { return next(); }
  bool boolean(bool) override { return next(); }
  bool number_integer(number_integer_t) override { return next(); }
  bool number_unsigned(number_unsigned_t) override { return next(); }
  bool number_float(number_float_t, const string_t&) override { return next(); }
  bool string(string_t&) override { return next(); }
  bool binary(binary_t&) override { return next(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (level.keys.insert(name).second) return true;
    error_ = {ErrorCode::kParse, "appears twice", pointer(), 0};
    return false;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& fault) override {
    const std::size_t read = std::min(position == 0 ? 0 : position - 1, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(read), '\n');
    error_ = {ErrorCode::kParse, "is not JSON: " + reason(fault.what()), "",
              static_cast<long>(line)};
    return false;
  }

 private:
  struct Level {
    bool array = false;
    std::size_t items = 0;
    std::string key;
    std::set<std::string> keys;
  };

  // Without the parser's own name and position of the fault.
  static std::string reason(const std::string& what) {
    const auto column = what.find("column ");
    const auto colon = what.find(": ", column == std::string::npos ? 0 : column);
    const auto bracket = what.find("] ");
    if (column != std::string::npos && colon != std::string::npos) {
      return plain_text(what.substr(colon + 2));
    }
    return plain_text(bracket == std::string::npos ? what : what.substr(bracket + 2));
  }

  std::string pointer() const {
    std::string out;
    for (const Level& level : levels_) {
      out += "/" + (level.array ? std::to_string(level.items - 1) : escaped(level.key));
    }
    return out;
  }

  bool next() {
    if (!levels_.empty()) ++levels_.back().items;
    return true;
  }
  bool open(bool array) {
    next();
    if (levels_.size() == kDeepest) {
      error_ = {ErrorCode::kParse, fmt::format("is nested more than {} deep", kDeepest), pointer(),
                0};
      return false;
    }
    levels_.push_back({array, 0, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  std::vector<Level> levels_;
  Error error_;
};

// ---- reading ------------------------------------------------------------------------------------

std::string type_text(const Tree& value) {
  if (value.is_number()) return number_text(value.get<double>());
  if (value.is_string()) return "a text";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return value.dump();  // true, false, null
}

// Reads fields until the first fault, which it keeps; after it, every read gives a default.
class Reader {
 public:
  Error error;
  bool failed = false;

  void stop(ErrorCode code, std::string message, std::string path) {
    if (!failed) error = {code, std::move(message), std::move(path), 0};
    failed = true;
  }
  void mistyped(const std::string& wanted, const Tree& value, const std::string& path) {
    stop(ErrorCode::kInvalidArgument, fmt::format("must be {}, not {}", wanted, type_text(value)),
         path);
  }

  // An object with exactly these keys.
  bool object(const Tree& value, const std::string& path, std::initializer_list<const char*> keys) {
    if (!value.is_object()) {
      mistyped("an object", value, path);
      return false;
    }
    const std::vector<std::string> known(keys.begin(), keys.end());
    for (const auto& item : value.items()) {
      if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
        stop(ErrorCode::kUnknownKey,
             fmt::format("is unknown here{}; allowed: {}", nearest_hint(item.key(), known),
                         fmt::join(known, ", ")),
             path + "/" + escaped(item.key()));
        return false;
      }
    }
    for (const auto& key : known) {
      if (!value.contains(key)) stop(ErrorCode::kParse, "is missing", path + "/" + key);
    }
    return !failed;
  }

  double number(const Tree& value, const std::string& path) {
    if (value.is_number()) return value.get<double>();
    mistyped("a number", value, path);
    return 0.0;
  }

  std::int64_t whole(const Tree& value, std::int64_t low, std::int64_t high,
                     const std::string& path) {
    const double read = value.is_number() ? value.get<double>() : std::nan("");
    if (read == std::floor(read) && read >= static_cast<double>(low) &&
        read <= static_cast<double>(high)) {
      return static_cast<std::int64_t>(read);
    }
    mistyped(fmt::format("a whole number {} to {}", low, high), value, path);
    return low;
  }

  // Arms and entries: from 1 in the file, from 0 here.
  std::int64_t index(const Tree& value, std::int64_t size, const std::string& path) {
    return whole(value, 1, size, path) - 1;
  }

  template <class T, class ReadItem>
  std::vector<T> list(const Tree& value, std::size_t most, const std::string& path,
                      ReadItem read_item) {
    std::vector<T> out;
    if (!value.is_array()) {
      mistyped("a list", value, path);
    } else if (value.size() > most) {
      stop(ErrorCode::kLimit,
           fmt::format("must have at most {} entries, not {}", most, value.size()), path);
    } else {
      for (std::size_t i = 0; i < value.size() && !failed; ++i) {
        out.push_back(read_item(value[i], fmt::format("{}/{}", path, i)));
      }
    }
    return out;
  }
};

constexpr std::int64_t kArms = kMostCertificateArms;
constexpr std::int64_t kEntries = kMostHistoryEntries;

std::vector<double> read_numbers(Reader& reader, const Tree& value, const std::string& path) {
  return reader.list<double>(
      value, kMostCertificateArms, path,
      [&](const Tree& item, const std::string& where) { return reader.number(item, where); });
}

std::vector<ArmPlays> read_history(Reader& reader, const Tree& value) {
  return reader.list<ArmPlays>(
      value, kMostHistoryEntries, "/counterexample/history",
      [&](const Tree& item, const std::string& where) {
        ArmPlays plays;
        if (!reader.object(item, where, {"arm", "reward", "times"})) return plays;
        plays.arm = static_cast<int>(reader.index(item["arm"], kArms, where + "/arm"));
        plays.reward = reader.number(item["reward"], where + "/reward");
        plays.times = reader.whole(item["times"], 1, kMostTimes, where + "/times");
        return plays;
      });
}

EventNumbers read_event_numbers(Reader& reader, const Tree& value) {
  EventNumbers numbers;
  if (!reader.object(value, "/numbers", {"event", "epsilon", "delta", "p", "q", "true_delta"})) {
    return numbers;
  }
  numbers.event = reader.list<int>(value["event"], kMostCertificateArms, "/numbers/event",
                                   [&](const Tree& item, const std::string& where) {
                                     return static_cast<int>(reader.index(item, kArms, where));
                                   });
  numbers.epsilon = reader.number(value["epsilon"], "/numbers/epsilon");
  numbers.delta = reader.number(value["delta"], "/numbers/delta");
  numbers.p = reader.number(value["p"], "/numbers/p");
  numbers.q = reader.number(value["q"], "/numbers/q");
  numbers.true_delta = reader.number(value["true_delta"], "/numbers/true_delta");
  return numbers;
}

const std::string kRoot = "/counterexample";

int read_arms(Reader& reader, const Tree& value) {
  return static_cast<int>(reader.whole(value["arms"], 2, kArms, kRoot + "/arms"));
}

RoundCounterexample read_round(Reader& reader, const Tree& value, const Tree& numbers) {
  RoundCounterexample round;
  if (!reader.object(value, kRoot, {"kind", "arms", "history", "changed", "new_reward"})) {
    return round;
  }
  round.arms = read_arms(reader, value);
  round.history = read_history(reader, value["history"]);
  round.changed =
      static_cast<std::size_t>(reader.index(value["changed"], kEntries, kRoot + "/changed"));
  round.new_reward = reader.number(value["new_reward"], kRoot + "/new_reward");
  round.numbers = read_event_numbers(reader, numbers);
  return round;
}

NoisyMaxCounterexample read_noisy_max(Reader& reader, const Tree& value, const Tree& numbers) {
  NoisyMaxCounterexample max;
  if (!reader.object(value, kRoot,
                     {"kind", "values", "deviations", "sensitivities", "changed", "new_value"})) {
    return max;
  }
  max.values = read_numbers(reader, value["values"], kRoot + "/values");
  max.deviations = read_numbers(reader, value["deviations"], kRoot + "/deviations");
  max.sensitivities = read_numbers(reader, value["sensitivities"], kRoot + "/sensitivities");
  max.changed = static_cast<std::size_t>(reader.index(value["changed"], kArms, kRoot + "/changed"));
  max.new_value = reader.number(value["new_value"], kRoot + "/new_value");
  max.numbers = read_event_numbers(reader, numbers);
  return max;
}

LawMismatch read_law(Reader& reader, const Tree& value, const Tree& numbers) {
  LawMismatch law;
  if (!reader.object(value, kRoot, {"kind", "arms", "history", "arm"})) return law;
  law.arms = read_arms(reader, value);
  law.history = read_history(reader, value["history"]);
  law.arm = static_cast<int>(reader.index(value["arm"], kArms, kRoot + "/arm"));
  if (!reader.object(numbers, "/numbers", {"probability", "printed_probability"})) return law;
  law.probability = reader.number(numbers["probability"], "/numbers/probability");
  law.printed_probability =
      reader.number(numbers["printed_probability"], "/numbers/printed_probability");
  return law;
}

LeaderNoise read_noise(Reader& reader, const Tree& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  for (const auto& [noise, name] : enum_names(LeaderNoise{})) {
    if (text == name) return noise;
  }
  reader.stop(ErrorCode::kInvalidArgument, "must be laplace, exponential or gumbel",
              kRoot + "/noise");
  return {};
}

EpochCounterexample read_epoch(Reader& reader, const Tree& value, const Tree& numbers) {
  EpochCounterexample epoch;
  if (!reader.object(value, kRoot,
                     {"kind", "noise", "epsilon", "others", "before", "after", "action"})) {
    return epoch;
  }
  epoch.noise = read_noise(reader, value["noise"]);
  epoch.epsilon = reader.number(value["epsilon"], kRoot + "/epsilon");
  epoch.others = read_numbers(reader, value["others"], kRoot + "/others");
  epoch.before = read_numbers(reader, value["before"], kRoot + "/before");
  epoch.after = read_numbers(reader, value["after"], kRoot + "/after");
  epoch.action = static_cast<int>(reader.index(value["action"], kArms, kRoot + "/action"));
  if (!reader.object(numbers, "/numbers", {"p", "q", "loss"})) return epoch;
  epoch.p = reader.number(numbers["p"], "/numbers/p");
  epoch.q = reader.number(numbers["q"], "/numbers/q");
  epoch.loss = reader.number(numbers["loss"], "/numbers/loss");
  return epoch;
}

RegretCounterexample read_regret(Reader& reader, const Tree& value, const Tree& numbers) {
  RegretCounterexample regret;
  if (!reader.object(value, kRoot, {"kind", "epsilon", "epochs", "gaps"})) return regret;
  regret.epsilon = reader.number(value["epsilon"], kRoot + "/epsilon");
  regret.epochs = static_cast<int>(reader.whole(value["epochs"], 1, 60, kRoot + "/epochs"));
  regret.gaps = reader.list<GapGroup>(value["gaps"], kMostCertificateArms, kRoot + "/gaps",
                                      [&](const Tree& item, const std::string& where) {
                                        GapGroup group;
                                        if (!reader.object(item, where, {"gap", "times"}))
                                          return group;
                                        group.gap = reader.number(item["gap"], where + "/gap");
                                        group.times =
                                            reader.number(item["times"], where + "/times");
                                        return group;
                                      });
  if (!reader.object(numbers, "/numbers", {"regret", "bound"})) return regret;
  regret.regret = reader.number(numbers["regret"], "/numbers/regret");
  regret.bound = reader.number(numbers["bound"], "/numbers/bound");
  return regret;
}

IntegralMismatch read_integral(Reader& reader, const Tree& value, const Tree& numbers) {
  IntegralMismatch mismatch;
  if (!reader.object(value, kRoot, {"kind", "levels"})) return mismatch;
  mismatch.levels = read_numbers(reader, value["levels"], kRoot + "/levels");
  if (!reader.object(numbers, "/numbers", {"integral", "printed"})) return mismatch;
  mismatch.integral = reader.number(numbers["integral"], "/numbers/integral");
  mismatch.printed = reader.number(numbers["printed"], "/numbers/printed");
  return mismatch;
}

GrowthCounterexample read_growth(Reader& reader, const Tree& value, const Tree& numbers) {
  GrowthCounterexample growth;
  if (!reader.object(value, kRoot, {"kind", "noise", "epsilon", "gap", "split"})) return growth;
  growth.noise = read_noise(reader, value["noise"]);
  growth.epsilon = reader.number(value["epsilon"], kRoot + "/epsilon");
  growth.gap = reader.number(value["gap"], kRoot + "/gap");
  growth.split = reader.number(value["split"], kRoot + "/split");
  if (!reader.object(numbers, "/numbers", {"rate_below", "rate_above"})) return growth;
  growth.rate_below = reader.number(numbers["rate_below"], "/numbers/rate_below");
  growth.rate_above = reader.number(numbers["rate_above"], "/numbers/rate_above");
  return growth;
}

Counterexample read_counterexample(Reader& reader, const Tree& value, const Tree& numbers) {
  const Tree kind = value.is_object() && value.contains("kind") ? value["kind"] : Tree("");
  if (kind == "round") return read_round(reader, value, numbers);
  if (kind == "noisy-max") return read_noisy_max(reader, value, numbers);
  if (kind == "law") return read_law(reader, value, numbers);
  if (kind == "epoch") return read_epoch(reader, value, numbers);
  if (kind == "regret") return read_regret(reader, value, numbers);
  if (kind == "integral") return read_integral(reader, value, numbers);
  if (kind == "growth") return read_growth(reader, value, numbers);
  if (!value.is_object()) {
    reader.mistyped("an object", value, kRoot);
  } else if (!value.contains("kind")) {
    reader.stop(ErrorCode::kParse, "is missing", kRoot + "/kind");
  } else {
    reader.stop(ErrorCode::kInvalidArgument,
                "must be round, noisy-max, law, epoch, regret, integral or growth",
                kRoot + "/kind");
  }
  return {};
}

void read_version(Reader& reader, const Tree& root) {
  if (!root.is_object() || !root.contains("assay_certificate")) return;
  const Tree& version = root["assay_certificate"];
  if (version != kCertificateVersion) {
    reader.mistyped(fmt::format("{}, the version of the format", kCertificateVersion), version,
                    "/assay_certificate");
  }
}

Certificate read_fields(Reader& reader, const Tree& root) {
  Certificate certificate;
  read_version(reader, root);  // first: the fields of another version may be others
  if (!reader.object(root, "", {"assay_certificate", "claim", "counterexample", "numbers"})) {
    return certificate;
  }
  if (root["claim"].is_string()) {
    certificate.claim = root["claim"].get<std::string>();
  } else {
    reader.mistyped("a text", root["claim"], "/claim");
  }
  certificate.counterexample = read_counterexample(reader, root["counterexample"], root["numbers"]);
  return certificate;
}

}  // namespace

std::string to_json(const Certificate& certificate) {
  Json out;
  out["assay_certificate"] = kCertificateVersion;
  out["claim"] = certificate.claim;
  std::visit(Writer{out}, certificate.counterexample);
  return json_text(out.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

Result<Certificate> read_certificate(std::string_view json) {
  if (json.size() > kMostBytes) {
    return fail(ErrorCode::kLimit, "is larger than 1 MiB, more than any certificate needs");
  }
  Scan scan(json);
  if (!Tree::sax_parse(json, &scan)) return tl::make_unexpected(scan.error());
  Reader reader;
  Certificate certificate = read_fields(reader, Tree::parse(json));
  if (reader.failed) return tl::make_unexpected(reader.error);
  ASSAY_TRY(check_rules(certificate));
  return certificate;
}

}  // namespace assay
