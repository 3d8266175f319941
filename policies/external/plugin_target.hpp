// A target in a shared library, by the C interface of assay_policy_v1.h.
//
// It runs in this process: answers are checked like a child's, a crash is not survived.
#pragma once

#include <memory>
#include <string>

#include "assay/policies/external/target.hpp"

namespace assay {

class PluginTarget final : public Target {
 public:
  // path: of the library; with a '/', or it is looked for beside the system's. Errors: a library that
  // cannot be loaded, lacks the function, has another ABI or refuses the shape.
  static Result<std::unique_ptr<PluginTarget>> load(const std::string& path,
                                                    const TargetShape& shape);
  ~PluginTarget() override;

  const TargetShape& shape() const override { return shape_; }
  std::string name() const override;
  bool seeded() const;
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override;
  Result<std::unique_ptr<Target>> clone() const override;

 private:
  struct Library;
  PluginTarget(std::shared_ptr<const Library> library, const TargetShape& shape, void* instance);
  static Result<std::unique_ptr<PluginTarget>> create(std::shared_ptr<const Library> library,
                                                      const TargetShape& shape);

  std::shared_ptr<const Library> library_;  // unloaded with its last instance
  TargetShape shape_;
  void* instance_;
};

}  // namespace assay
