#include "assay/policies/external/plugin_target.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>

#include "assay/policies/external/assay_policy_v1.h"

namespace assay {
namespace {

constexpr std::size_t kErrorSize = 512;
using ErrorText = std::array<char, kErrorSize>;

std::string text_of(const ErrorText& error) {
  const std::string text(error.begin(), std::find(error.begin(), error.end(), 0));
  return text.empty() ? "(no reason given)" : text;
}

assay_shape_v1 shape_of(const TargetShape& shape, const std::string& kind) {
  const bool mechanism = shape.kind == TargetKind::kMechanism;
  return {kind.c_str(),
          mechanism ? 0 : shape.arms,
          mechanism ? 0 : shape.horizon,
          shape.kind == TargetKind::kContextual ? shape.dimension : 0,
          mechanism ? shape.inputs : 0,
          mechanism ? shape.outputs : 0,
          shape.rows(),
          shape.columns(),
          shape.width()};
}

}  // namespace

struct PluginTarget::Library {
  void* handle = nullptr;
  const assay_policy_v1* policy = nullptr;
  std::string path;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle != nullptr) dlclose(handle);
  }
};

PluginTarget::PluginTarget(std::shared_ptr<const Library> library, const TargetShape& shape,
                           void* instance)
    : library_(std::move(library)), shape_(shape), instance_(instance) {}

PluginTarget::~PluginTarget() { library_->policy->destroy(instance_); }

std::string PluginTarget::name() const {
  return library_->policy->name != nullptr ? library_->policy->name : library_->path;
}

bool PluginTarget::seeded() const { return library_->policy->seeded != 0; }

Result<std::unique_ptr<PluginTarget>> PluginTarget::create(std::shared_ptr<const Library> library,
                                                           const TargetShape& shape) {
  ErrorText error{};
  const std::string kind = detail::value_text(shape.kind);
  const assay_shape_v1 described = shape_of(shape, kind);
  void* instance = library->policy->create(&described, error.data(), error.size());
  if (instance == nullptr) {
    return fail(ErrorCode::kTarget, "the plug-in refuses the shape: " + text_of(error),
                library->path);
  }
  return std::unique_ptr<PluginTarget>(new PluginTarget(std::move(library), shape, instance));
}

Result<std::unique_ptr<PluginTarget>> PluginTarget::load(const std::string& path,
                                                         const TargetShape& shape) {
  if (const auto status = validate(shape); !status) return tl::make_unexpected(status.error());
  auto library = std::make_shared<Library>();
  library->path = path;
  library->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    const char* reason = dlerror();
    return fail(ErrorCode::kTarget,
                std::string("cannot load the plug-in: ") + (reason != nullptr ? reason : "?"));
  }
  using Get = const assay_policy_v1* (*)();
  const auto get = reinterpret_cast<Get>(dlsym(library->handle, "assay_policy_v1_get"));
  if (get == nullptr) {
    return fail(ErrorCode::kTarget, "the plug-in exports no assay_policy_v1_get", path);
  }
  library->policy = get();
  const assay_policy_v1* policy = library->policy;
  if (policy == nullptr || policy->abi != ASSAY_POLICY_ABI) {
    return fail(ErrorCode::kTarget,
                "the plug-in has ABI " +
                    (policy == nullptr ? std::string("?") : std::to_string(policy->abi)) +
                    ", this Assay reads " + std::to_string(ASSAY_POLICY_ABI),
                path);
  }
  if (policy->create == nullptr || policy->play == nullptr || policy->destroy == nullptr) {
    return fail(ErrorCode::kTarget, "the plug-in lacks create, play or destroy", path);
  }
  return create(std::move(library), shape);
}

Result<OutputBatch> PluginTarget::play(const InputTable& input,
                                       std::span<const std::uint64_t> seeds) {
  if (const auto status = check_input(shape_, input); !status) {
    return tl::make_unexpected(status.error());
  }
  OutputBatch batch{static_cast<std::int64_t>(seeds.size()), shape_.width(), {}};
  batch.values.resize(static_cast<std::size_t>(batch.count * batch.width));
  ErrorText error{};
  const int status =
      library_->policy->play(instance_, input.values.data(), seeds.data(), batch.count,
                             batch.values.data(), error.data(), error.size());
  if (status != 0) {
    return fail(ErrorCode::kTarget, "the plug-in reports an error: " + text_of(error),
                library_->path);
  }
  for (std::int64_t i = 0; i < batch.count; ++i) {
    if (const auto checked = check_output(shape_, batch.play(i)); !checked) {
      return fail(ErrorCode::kTarget,
                  "output " + std::to_string(i + 1) + " " + checked.error().message,
                  library_->path);
    }
  }
  return batch;
}

Result<std::unique_ptr<Target>> PluginTarget::clone() const {
  auto twin = create(library_, shape_);
  if (!twin) return tl::make_unexpected(twin.error());
  return std::unique_ptr<Target>(std::move(*twin));
}

}  // namespace assay
