#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/text/csv_text.hpp"

namespace assay {
namespace {

using detail::csv_cell;
using detail::csv_comment;

std::string text_of(const std::optional<double>& value) {
  return value ? number_text(*value) : std::string();
}

struct Row {
  std::string record;
  std::string name;
  const char* given;
  double at;
  const char* quantity;
  std::optional<double> lower;
  std::optional<double> upper;
};

std::string line(const Row& row) {
  return row.record + "," + csv_cell(row.name) + "," + row.given + "," + number_text(row.at) + "," +
         row.quantity + "," + text_of(row.lower) + "," + text_of(row.upper) + "\n";
}

void add(const AccountReport& report, const AccountAnswer& answer, std::string& out) {
  const bool epsilon = answer.target.asks_epsilon();
  Row row{"answer",
          "certified",
          epsilon ? "delta" : "epsilon",
          answer.target.given,
          epsilon ? "epsilon" : "delta",
          answer.lower,
          answer.upper};
  out += line(row);
  if (answer.closed) {
    row.name = "closed form";
    row.lower = answer.closed->lower;
    row.upper = answer.closed->upper;
    out += line(row);
  }
  row.lower.reset();
  for (const OtherAccounting& other : answer.others) {
    row.name = other.name;
    row.upper = other.upper;
    out += line(row);
  }
  row.record = "without";
  for (const WithoutStep& one : answer.without) {
    row.name = chain_text(report.chain[one.step]);
    row.lower = one.lower;
    row.upper = one.upper;
    out += line(row);
  }
}

void add(const AccountCurves& curves, std::string& out) {
  const auto if_known = [&](double value) {
    return curves.two_sided ? std::optional<double>(value) : std::nullopt;
  };
  for (const ProfileBand& p : curves.profile) {
    out += line({"profile", "", "epsilon", p.epsilon, "delta", if_known(p.lower), p.upper});
  }
  for (const TradeOffBand& p : curves.trade_off) {
    out += line({"trade-off", "", "type_one", p.type_one, "type_two", p.lower, if_known(p.upper)});
  }
  for (const TradeOffBand& p : curves.rates) {
    const RateBand rate = rate_of(p);
    out += line({"rates", "", "false_positive_rate", rate.false_positive, "true_positive_rate",
                 if_known(rate.lower), rate.upper});
  }
}

}  // namespace

std::string to_csv(const AccountReport& report) {
  std::string out;
  for (const std::string& text : chain_lines(report)) out += csv_comment(text);
  out += csv_comment(report.reproduce);
  out += "record,name,given,at,quantity,lower,upper\n";
  for (const AccountAnswer& answer : report.answers) add(report, answer, out);
  if (report.curves) add(*report.curves, out);
  return out;
}

}  // namespace assay
