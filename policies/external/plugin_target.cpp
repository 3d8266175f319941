#include "assay/policies/external/plugin_target.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/external/containment.hpp"
#include "assay/policies/external/internal/answers.hpp"
#include "assay/policies/external/internal/plugin_server.hpp"

namespace assay {
namespace {

using detail::PluginRequest;

// A name without a folder means a file here; dlopen would search the system's folders.
Result<std::string> file_of(const std::string& path) {
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (access(file.c_str(), F_OK) == 0) return file;
  return fail(ErrorCode::kTarget,
              "cannot load the plug-in: there is no file " + file +
                  (file == path ? "" : "; the system's folders are not searched"));
}

template <class T>
std::string_view bytes_of(const T* data, std::size_t count) {
  return {reinterpret_cast<const char*>(data), count * sizeof(T)};
}

}  // namespace

PluginTarget::PluginTarget(std::shared_ptr<const ForkServer> server, std::string path,
                           const InputShape& shape, const ChildLimits& limits, ChildProcess child)
    : server_(std::move(server)),
      path_(std::move(path)),
      shape_(shape),
      limits_(limits),
      child_(std::move(child)) {}

PluginTarget::~PluginTarget() { child_.finish(); }

Result<std::unique_ptr<PluginTarget>> PluginTarget::load(const std::string& path,
                                                         const InputShape& shape,
                                                         const ChildLimits& limits) {
  ASSAY_TRY(validate(shape));
  const auto file = file_of(path);
  if (!file) return tl::make_unexpected(file.error());
  auto server = ForkServer::start(
      [file = *file, shape, environment = child_environment(limits.environment),
       data = limits.data_bytes](int in, int out, int err) -> int {
        detail::serve_plugin(file, shape, environment, data, in, out, err);
      },
      {.memory = memory_limit_of(limits), .read_only = ReadOnlyForChildren::all()});
  if (!server) return tl::make_unexpected(server.error());
  return start(std::move(*server), path, shape, limits);
}

Result<std::unique_ptr<PluginTarget>> PluginTarget::start(std::shared_ptr<const ForkServer> server,
                                                          const std::string& path,
                                                          const InputShape& shape,
                                                          const ChildLimits& limits) {
  auto child = ASSAY_TRY(ChildProcess::start(*server, limits));
  std::unique_ptr<PluginTarget> target(
      new PluginTarget(std::move(server), path, shape, limits, std::move(child)));
  ASSAY_TRY(target->greet());
  return target;
}

Result<std::string_view> PluginTarget::ask(std::size_t most,
                                           const std::function<std::string()>& where) {
  auto answer = child_.ask_bytes(message_, 1 + std::max(most, detail::kPluginTextBytes));
  if (!answer && answer.error().code != ErrorCode::kInterrupted) {
    return fail(answer.error().code, where() + ": the plug-in " + answer.error().message, path_);
  }
  return answer;
}

Status PluginTarget::greet() {
  const PluginRequest request;
  message_ = bytes_of(&request, 1);
  auto answer = ask(0, [] { return std::string("greeting"); });
  if (!answer) {
    Error error = answer.error();
    if (error.code == ErrorCode::kTarget) error.message += environment_advice(limits_.environment);
    return tl::make_unexpected(error);
  }
  auto ready = detail::read_plugin_ready(*answer);
  if (!ready) {
    if (!detail::plugin_goes_on(shape_, *answer, 0)) child_.finish();
    return fail(ErrorCode::kTarget, "greeting: " + ready.error().message, path_);
  }
  seeded_ = ready->seeded;
  reports_probabilities_ = ready->probabilities;
  name_ = std::move(ready->name);
  return {};
}

Status PluginTarget::start_again() {
  if (!ended_) return {};
  child_ = ASSAY_TRY(ChildProcess::start(*server_, limits_));
  ended_ = false;
  return greet();
}

void PluginTarget::write_input(const InputTable& input) {
  message_ += bytes_of(input.values.data(), input.values.size());
  if (input.columns < shape_.columns()) {
    constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
    message_ += bytes_of(&kAbsent, 1);
  }
}

Result<std::vector<double>> PluginTarget::probabilities(const InputTable& input, std::uint64_t seed,
                                                        std::span<const int> actions,
                                                        std::int64_t from) {
  const auto shape = ASSAY_TRY(path_shape(shape_));
  ASSAY_TRY(check(input));
  ASSAY_TRY(start_again());
  const std::vector<std::int64_t> forced(actions.begin(), actions.end());
  const auto rounds = shape.answered(static_cast<std::int64_t>(forced.size()), from);
  const PluginRequest request{1, static_cast<std::int64_t>(forced.size()), from};
  message_ = bytes_of(&request, 1);
  message_ += bytes_of(&seed, 1);
  write_input(input);
  message_ += bytes_of(forced.data(), forced.size());
  ++runs_asked_;
  const auto where = [this] { return "message " + std::to_string(runs_asked_); };
  const auto bytes = static_cast<std::size_t>(rounds * shape.actions) * sizeof(double);
  const std::string_view answer = ASSAY_TRY(ask(bytes, where));
  auto values = detail::read_plugin_probabilities(shape, answer, from, rounds);
  if (values) return values;
  child_.finish();
  return fail(values.error().code, where() + ": " + values.error().message, path_);
}

FailingRuns::Answer PluginTarget::ask_runs(const InputTable& input,
                                           std::span<const std::uint64_t> seeds) {
  if (const auto started = start_again(); !started) {
    return {tl::make_unexpected(started.error())};
  }
  const PluginRequest request{static_cast<std::int64_t>(seeds.size())};
  message_ = bytes_of(&request, 1);
  message_ += bytes_of(seeds.data(), seeds.size());
  write_input(input);
  const std::size_t size =
      static_cast<std::size_t>(request.count * shape_.width()) * sizeof(double);
  ++runs_asked_;
  const auto where = [this] { return "message " + std::to_string(runs_asked_); };
  const auto answer = ask(size, where);
  if (!answer) {
    ended_ = detail::is_run_fault(child_.fault(), limits_);
    return {tl::make_unexpected(answer.error()), ended_ ? child_.fault_text() : "", ended_};
  }
  detail::RunFault fault = detail::RunFault::kNone;
  auto batch = detail::read_plugin_runs(shape_, *answer, request.count, &fault);
  if (batch) return {std::move(batch)};
  const bool goes_on = detail::plugin_goes_on(shape_, *answer, request.count);
  const bool fails = detail::is_run_fault(fault, limits_);
  if (!goes_on) child_.finish();
  ended_ = fails && !goes_on;
  return {fail(batch.error().code, where() + ": " + batch.error().message, path_),
          fails ? batch.error().message : "", ended_};
}

Status PluginTarget::check(const InputTable& input) {
  if (std::find(accepted_.begin(), accepted_.end(), input) != accepted_.end()) return {};
  ASSAY_TRY(check_input(shape_, input));
  if (accepted_.size() >= 2) accepted_.erase(accepted_.begin());
  accepted_.push_back(input);
  return {};
}

Result<OutputBatch> PluginTarget::play(const InputTable& input,
                                       std::span<const std::uint64_t> seeds) {
  ASSAY_TRY(check(input));
  return runs_.play(shape_.width(), seeds,
                    [&](std::span<const std::uint64_t> some) { return ask_runs(input, some); });
}

Result<std::unique_ptr<Target>> PluginTarget::clone() const {
  auto counterpart = ASSAY_TRY(start(server_, path_, shape_, limits_));
  counterpart->runs_ = runs_;
  return std::unique_ptr<Target>(std::move(counterpart));
}

void PluginTarget::rest() {
  child_.finish();
  ended_ = true;
}

}  // namespace assay
