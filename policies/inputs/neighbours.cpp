#include "assay/policies/inputs/neighbours.hpp"

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

constexpr double kLargestValue = 1e100;  // so that sums and squares of derived values stay finite

}  // namespace

std::string Domain::text() const {
  return integers ? "integers" : number_text(low) + ":" + number_text(high);
}

std::string Domain::range() const {
  return integers ? "an integer" : "in [" + number_text(low) + ", " + number_text(high) + "]";
}

std::string Neighbours::text() const {
  return kind == NeighbourKind::kL2 ? "l2:" + number_text(distance) : detail::value_text(kind);
}

Result<Domain> parse_domain(std::string_view text) {
  if (text == "integers") return Domain{.integers = true};
  const auto bad = [&](const std::string& what) {
    return fail(
        ErrorCode::kInvalidArgument,
        "domain must be integers or LOW:HIGH, as in 0:1, not '" + std::string(text) + "'" + what);
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad("");
  const auto low = parse_number(text.substr(0, colon));
  const auto high = parse_number(text.substr(colon + 1));
  if (!low || !high) return bad("");
  if (!(std::fabs(*low) <= kLargestValue && std::fabs(*high) <= kLargestValue)) {
    return bad(": both ends must lie within -1e100 and 1e100");
  }
  if (!(*low < *high)) return bad(": LOW must be below HIGH");
  return Domain{*low, *high, false};
}

Result<Neighbours> parse_neighbours(std::string_view text) {
  if (text == "one") return Neighbours{NeighbourKind::kOne};
  if (text == "all") return Neighbours{NeighbourKind::kAll};
  if (text == "add-remove") return Neighbours{NeighbourKind::kAddRemove};
  if (text.substr(0, 3) == "l2:") {
    const auto distance = parse_number(text.substr(3));
    if (distance && *distance > 0.0 && *distance <= kLargestValue) {
      return Neighbours{NeighbourKind::kL2, *distance};
    }
    return fail(ErrorCode::kInvalidArgument,
                "neighbours l2:S needs a distance S above 0 and at most 1e100, not '" +
                    std::string(text.substr(3)) + "'");
  }
  return fail(ErrorCode::kInvalidArgument,
              "neighbours must be one, all, l2:S or add-remove, not '" + std::string(text) + "'");
}

}  // namespace assay
