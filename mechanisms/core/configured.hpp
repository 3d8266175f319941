// The base class of every mechanism and policy: it holds the configuration that the object was made from.
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
