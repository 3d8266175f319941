// How a counterexample lists its fields: once, for the writer and the reader of its files, for the
// rules of what they may hold, and for the test of the schema.
//
//   struct LawMismatch {
//     static constexpr std::string_view kKind = "law";  // in files
//     static constexpr std::array<std::string_view, 1> kRefutes{"ts-eq27"};  // ids of claims
//     int arm = 0;
//     double probability = 0.0;
//     static void fields(auto& self, auto input, auto number) {
//       input("arm", self.arm, counted(kMostCertificateArms));
//       number("probability", self.probability);
//     }
//     Status check() const;  // the rules between fields, where there are any
//   };
//   Result<CertificateCheck> recompute(const LawMismatch& found);  // check_certificate.hpp
//
// What `input` visits stands under "counterexample" in a file, what `number` visits under
// "numbers". A field is a double, a whole number, an enum with enum_names, or a list of these or of
// structs with `fields(self, visit)`. A counterexample lies in its family's folder, and
// registry/certificates.cpp lists it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct CertificateCheck;

// Where its fields stand in a file.
inline const std::string kCounterexampleRoot = "/counterexample";

// They keep a check short and its 50 digits enough; no refutation needs more.
constexpr int kMostCertificateArms = 16;
constexpr std::size_t kMostHistoryEntries = 10'000;
constexpr std::int64_t kMostTimes = 1'000'000'000;

// What a field may hold; as it stands, any finite number.
struct Limits {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool from_one = false;  // an index: from 0 here, from 1 in files
  std::size_t least = 0;  // entries of a list
  std::size_t most = 0;
  static constexpr std::string_view kTooFew = "must be a whole number {} to {}, not {}";
  std::string_view too_few = kTooFew;  // least, most, entries

  constexpr Limits entries(std::size_t at_least, std::size_t at_most,
                           std::string_view message = kTooFew) const {
    Limits out = *this;
    out.least = at_least;
    out.most = at_most;
    out.too_few = message;
    return out;
  }
};
constexpr Limits within(double low, double high) {
  Limits out;
  out.low = low;
  out.high = high;
  return out;
}
constexpr Limits counted(double most) {
  Limits out = within(1.0, most);
  out.from_one = true;
  return out;
}

// ---- for the rules between fields: `path` is a JSON pointer into the file ------------------------

tl::unexpected<Error> out_of_range(std::string path, std::string message);
// An index among `size` entries, both counted from 1 in the message.
Status counted_in(std::int64_t index, std::size_t size, const std::string& path);

}  // namespace assay
