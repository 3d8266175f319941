// The configuration from which a mechanism or policy was made: the base class of each.
#pragma once

namespace assay {

template <class C>
class Configured {
 public:
  using Config = C;

  const C& config() const { return config_; }

 protected:
  explicit Configured(const C& config) : config_(config) {}

  C config_;
};

}  // namespace assay
