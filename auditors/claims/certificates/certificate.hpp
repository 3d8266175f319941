// A certificate is a counterexample to a published claim, small enough to check by hand, as a plain value.
//
// A certificate carries the counterexample itself (inputs, their neighbours, an event) and the
// numbers that its finder computed. A check (check_certificate.hpp) recomputes every number from
// the inputs alone. Arms count from 0.
//
// A counterexample is a struct in its family's folder (certificate_fields.hpp). registry/certificates.cpp lists the
// struct. This makes its kind, an object that reads, writes and checks counterexamples of that struct.
#pragma once

#include <any>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/text/json.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct Certificate;
struct CertificateCheck;  // check_certificate.hpp
namespace detail {
struct CertificateTree;
struct FieldType;
}  // namespace detail

// The operations on the counterexamples of one kind. `found` must hold a counterexample of this kind.
class CounterexampleKind {
 public:
  virtual ~CounterexampleKind() = default;

  virtual std::string_view name() const = 0;                      // its name in files: "round"
  virtual std::span<const std::string_view> refutes() const = 0;  // ids of the claims it can refute

  virtual Status check(const std::any& found) const = 0;  // the rules between fields
  // Computes every number from the inputs alone.
  virtual Result<CertificateCheck> recheck(const std::any& found) const = 0;

  virtual Json write(const Certificate& certificate) const = 0;
  virtual Result<Certificate> read(const detail::CertificateTree& file) const = 0;
  virtual const detail::FieldType& file() const = 0;  // the fields of a file
  virtual bool equal(const std::any& a, const std::any& b) const = 0;
};
using CounterexampleKinds = std::vector<const CounterexampleKind*>;

// The kind of a struct C, instantiated in registry/certificates.cpp. [[gnu::used]] keeps the function for callers in
// other files, even if the compiler inlines every call in that file.
template <class C>
[[gnu::used]] const CounterexampleKind& kind_of();

// A counterexample of any kind.
class Counterexample {
 public:
  Counterexample() = default;  // holds nothing
  template <class C>
  requires requires { C::kKind; }
  Counterexample(C found)  // NOLINT(google-explicit-constructor): every C is a counterexample
      : kind_(&kind_of<C>()), found_(std::move(found)) {}
  Counterexample(const CounterexampleKind& kind, std::any found)
      : kind_(&kind), found_(std::move(found)) {}

  const CounterexampleKind* kind() const { return kind_; }
  std::string_view kind_name() const { return kind_ == nullptr ? "" : kind_->name(); }
  const std::any& found() const { return found_; }

  // The counterexample as a C; throws std::bad_any_cast if it is of another kind.
  template <class C>
  C& as() {
    return std::any_cast<C&>(found_);
  }
  template <class C>
  const C& as() const {
    return std::any_cast<const C&>(found_);
  }

  friend bool operator==(const Counterexample& a, const Counterexample& b) {
    return a.kind_ == b.kind_ && (a.kind_ == nullptr || a.kind_->equal(a.found_, b.found_));
  }

 private:
  const CounterexampleKind* kind_ = nullptr;
  std::any found_;
};

struct Certificate {
  std::string claim;  // the id of the refuted claim
  Counterexample counterexample;
  std::string paper = {};  // the citation of its paper, for people; may be empty
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

}  // namespace assay
