// How a counterexample lists its fields. One list serves the writer and the reader of its files,
// the ranges of its fields, and the schema (text/record.hpp).
//
//   struct DistributionMismatch {
//     static constexpr std::string_view kKind = "law";  // in files
//     static constexpr std::array<std::string_view, 1> kRefutes{"ts-eq27"};  // ids of claims
//     int arm = 0;
//     double probability = 0.0;
//     static void fields(auto& self, auto input, auto number) {
//       input("arm", self.arm, index_below(kMostCertificateArms));
//       number("probability", self.probability, kFinite, "By Algorithm 1.");
//     }
//     Status check() const;  // the rules between fields, if there are any
//   };
//   Result<CertificateCheck> recompute(const DistributionMismatch& found);  // check_certificate.hpp
//
// A file has the fields that `input` visits under "counterexample", and those that `number` visits
// under "numbers". A counterexample is in its family's folder, and registry/certificates.cpp lists
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct CertificateCheck;

// The place of a counterexample's fields in a file, as a JSON pointer.
inline const std::string kCounterexampleRoot = "/counterexample";

// These limits keep a check short and make its 50 digits enough. No refutation needs more.
constexpr int kMostCertificateArms = 16;
constexpr std::size_t kMostHistoryEntries = 10'000;
constexpr std::int64_t kMostTimes = 1'000'000'000;

// ---- for the rules between fields: `path` is a JSON pointer into the file ------------------------

tl::unexpected<Error> out_of_range(std::string path, std::string message);
// Errors: an index that is not one of `size` entries. Precondition: size is at least 1.
Status index_within(std::int64_t index, std::size_t size, const std::string& path);

namespace detail {
void certificate_head(Fields visit);  // the first fields of a file of any kind
}

}  // namespace assay
