#include "assay/policies/external/internal/plugin_server.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/policies/external/assay_policy_v1.h"
#include "assay/policies/external/internal/descriptors.hpp"

namespace assay::detail {
namespace {

constexpr std::size_t kErrorSize = 512;
// The content of outputs before a run: not an action, so that an entry left out is refused.
constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();
using ErrorText = std::array<char, kErrorSize>;
// An answer's length and kind, and the bytes in which they end, so that the numbers after them are aligned.
constexpr std::size_t kHeader = sizeof(std::uint64_t) + 1;
constexpr std::size_t kPreface = 16;

std::string reason(const std::string& text) { return text.empty() ? "(no reason given)" : text; }
std::string text_of(const ErrorText& error) {
  return reason({error.begin(), std::find(error.begin(), error.end(), 0)});
}

// The texts to which a described shape points.
struct ShapeTexts {
  explicit ShapeTexts(const InputShape& shape)
      : kind(value_text(shape.kind)),
        domain(shape.domain ? shape.domain->text() : ""),
        neighbours(shape.neighbours ? shape.neighbours->text() : "") {}
  std::string kind, domain, neighbours;
};

assay_shape_v1 shape_of(const InputShape& shape, const ShapeTexts& texts) {
  const InputKindTraits& kind = shape.traits();
  return {texts.kind.c_str(),
          kind.has_rounds() ? shape.arms : 0,
          kind.has_rounds() ? shape.horizon : 0,
          kind.has_contexts() ? shape.dimension : 0,
          kind.has_rounds() ? 0 : shape.inputs,
          kind.has_rounds() ? 0 : shape.outputs,
          shape.rows(),
          shape.columns(),
          shape.width(),
          shape.stops ? 1 : 0,
          shape.numbers,
          shape.estimates,
          shape.domain ? texts.domain.c_str() : nullptr,
          shape.neighbours ? texts.neighbours.c_str() : nullptr};
}

// Keeps only these ends, at numbers where no plug-in would look for them; 0 and 1 lead nowhere.
void settle(int& in, int& out, int err) {
  constexpr int kFar = 200;
  dup2(err, STDERR_FILENO);
  const int far_in = fcntl(in, F_DUPFD_CLOEXEC, kFar);
  const int far_out = fcntl(out, F_DUPFD_CLOEXEC, kFar);
  if (far_in >= 0 && far_out >= 0) {
    in = far_in;
    out = far_out;
  }
  const auto [low, high] = std::minmax(in, out);
  close_between(STDERR_FILENO + 1, low);
  close_between(low + 1, high);
  closefrom(high + 1);
}

// Limits memory to the present size of the process and `more`: the reservations of sanitizers are
// not the plug-in's.
void limit_memory(std::size_t more) {
  unsigned long long size = 0, data = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu %*u %*u %*u %*u %llu", &size, &data) != 2) data = 0;
    std::fclose(file);
  }
  if (data == 0) return;
  const auto page = static_cast<unsigned long long>(sysconf(_SC_PAGESIZE));
  const rlimit limit{data * page + more, data * page + more};
  setrlimit(RLIMIT_DATA, &limit);
}

class PluginServer {
 public:
  PluginServer(const InputShape& shape, int in, int out)
      : shape_(shape), in_(in), out_(out), process_(getpid()) {}

  [[noreturn]] void serve(const std::string& path) {
    bool greeted = false;
    while (receive(sizeof(PluginRequest))) {
      PluginRequest request;
      std::memcpy(&request, message_.data(), sizeof request);
      if (std::exchange(greeted, true)) {
        if (request.actions < 0) {
          play(request.count);
        } else {
          walk(request);
        }
      } else {
        greet(path);
        forget(sizeof request);
      }
    }
    guarded([&] { policy_->destroy(instance_); });
    _exit(0);
  }

 private:
  // Sends `size` bytes of content, which the caller has put behind kPreface bytes.
  void answer(PluginAnswer kind, char* preface, std::size_t size) {
    // A forked copy of the plug-in that returns here must not answer.
    if (getpid() != process_) _exit(0);
    const std::uint64_t length = 1 + size;
    char* from = preface + kPreface - kHeader;
    std::memcpy(from, &length, sizeof length);
    from[sizeof length] = static_cast<char>(kind);
    send(from, kHeader + size);
  }
  void answer(PluginAnswer kind, std::string_view text) {
    std::array<char, kPreface + kPluginTextBytes> bytes;
    text = text.substr(0, kPluginTextBytes);
    std::copy(text.begin(), text.end(), bytes.begin() + kPreface);
    answer(kind, bytes.data(), text.size());
  }

  // Calls the plug-in. An exception ends this process.
  template <class Call>
  std::invoke_result_t<Call> guarded(Call&& call) {
    try {
      return call();
    } catch (const std::bad_alloc& error) {
      answer(PluginAnswer::kMemory, std::string("threw an exception: ") + error.what());
    } catch (const std::exception& error) {
      answer(PluginAnswer::kThrew, "threw an exception: " + reason(error.what()));
    } catch (...) {
      answer(PluginAnswer::kThrew, "threw something that is not a std::exception");
    }
    _exit(0);
  }

  void greet(const std::string& path) {
    const std::string trouble = guarded([&] { return load(path); });
    if (!trouble.empty()) {
      answer(PluginAnswer::kRefused, trouble);
      _exit(0);
    }
    std::string name = policy_->name != nullptr ? policy_->name : path;
    name.resize(std::min(name.size(), std::size_t{200}));
    const int promises = (policy_->seeded != 0 ? 1 : 0) + (probabilities_ != nullptr ? 2 : 0);
    answer(PluginAnswer::kReady, static_cast<char>(promises) + name);
  }

  // Returns the fault of the library or its refusal; an empty text once there is an instance.
  std::string load(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* reason = dlerror();
      return std::string("cannot load the plug-in: ") + (reason != nullptr ? reason : "?");
    }
    using Get = const assay_policy_v1* (*)();
    const auto get = reinterpret_cast<Get>(dlsym(library, "assay_policy_v1_get"));
    if (get == nullptr) return "the plug-in exports no assay_policy_v1_get";
    policy_ = get();
    if (policy_ == nullptr || policy_->abi != ASSAY_POLICY_ABI) {
      return "the plug-in has ABI " +
             (policy_ == nullptr ? std::string("?") : std::to_string(policy_->abi)) +
             ", but this Assay reads ABI " + std::to_string(ASSAY_POLICY_ABI);
    }
    if (policy_->create == nullptr || policy_->play == nullptr || policy_->destroy == nullptr) {
      return "the plug-in lacks create, play or destroy";
    }
    probabilities_ =
        reinterpret_cast<Probabilities>(dlsym(library, "assay_policy_v1_probabilities"));
    ErrorText error{};
    const ShapeTexts texts(shape_);
    const assay_shape_v1 described = shape_of(shape_, texts);
    instance_ = policy_->create(&described, error.data(), error.size());
    if (instance_ == nullptr) return "the plug-in refuses the shape: " + text_of(error);
    return "";
  }

  void play(std::int64_t count) {
    const auto runs = static_cast<std::size_t>(count);
    const auto inputs = static_cast<std::size_t>(shape_.rows() * shape_.columns());
    const std::size_t outputs = runs * static_cast<std::size_t>(shape_.width());
    const std::size_t size =
        sizeof(PluginRequest) + runs * sizeof(std::uint64_t) + inputs * sizeof(double);
    guarded([&] {
      message_.resize(std::max(message_.size(), size));
      answer_.resize(kPreface + outputs * sizeof(double));
    });
    if (!receive(size)) _exit(0);
    const auto* seeds =
        reinterpret_cast<const std::uint64_t*>(message_.data() + sizeof(PluginRequest));
    const auto* input = reinterpret_cast<const double*>(seeds + runs);
    auto* output = reinterpret_cast<double*>(answer_.data() + kPreface);
    std::fill(output, output + outputs, kUnwritten);
    ErrorText error{};
    const int status = guarded([&] {
      return policy_->play(instance_, input, seeds, count, output, error.data(), error.size());
    });
    forget(size);
    tell(status, error, outputs);
  }

  void walk(const PluginRequest& request) {
    const auto shape = path_shape(shape_);
    if (!shape || probabilities_ == nullptr) _exit(0);  // Assay does not ask then
    const auto inputs = static_cast<std::size_t>(shape_.rows() * shape_.columns());
    const auto outputs =
        static_cast<std::size_t>(shape->answered(request.actions, request.from) * shape->actions);
    const std::size_t size = sizeof request + sizeof(std::uint64_t) + inputs * sizeof(double) +
                             static_cast<std::size_t>(request.actions) * sizeof(std::int64_t);
    guarded([&] {
      message_.resize(std::max(message_.size(), size));
      answer_.resize(kPreface + outputs * sizeof(double));
    });
    if (!receive(size)) _exit(0);
    std::uint64_t seed = 0;
    std::memcpy(&seed, message_.data() + sizeof request, sizeof seed);
    const auto* input =
        reinterpret_cast<const double*>(message_.data() + sizeof request + sizeof seed);
    const auto* actions = reinterpret_cast<const std::int64_t*>(input + inputs);
    auto* output = reinterpret_cast<double*>(answer_.data() + kPreface);
    std::fill(output, output + outputs, kUnwritten);
    ErrorText error{};
    const int status = guarded([&] {
      return probabilities_(instance_, input, seed, actions, request.actions, request.from, output,
                            error.data(), error.size());
    });
    forget(size);
    tell(status, error, outputs);
  }

  // Answers a call that returned `status` and wrote `count` numbers behind the preface.
  void tell(int status, const ErrorText& error, std::size_t count) {
    if (status == ASSAY_INVALID_INPUT) {
      answer(PluginAnswer::kRefusedInput, "the plug-in refuses the input: " + text_of(error));
    } else if (status != 0) {
      answer(PluginAnswer::kRefused, "the plug-in reports an error: " + text_of(error));
    } else {
      answer(PluginAnswer::kRuns, answer_.data(), count * sizeof(double));
    }
  }

  // Waits for the first `size` bytes of a message, and reads what comes with them. Returns false at the end of the
  // requests.
  bool receive(std::size_t size) {
    while (received_ < size) {
      const ssize_t got = read(in_, message_.data() + received_, message_.size() - received_);
      if (got == 0) return false;
      if (got < 0 && errno != EINTR) wait_to_be_ended();
      if (got > 0) received_ += static_cast<std::size_t>(got);
    }
    return true;
  }
  // Drops the bytes of a message. Nothing follows it before its answer.
  void forget(std::size_t size) {
    std::memmove(message_.data(), message_.data() + size, received_ - size);
    received_ -= size;
  }
  void send(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t sent = write(out_, at, size);
      if (sent < 0 && errno != EINTR) wait_to_be_ended();
      if (sent < 0) continue;
      at += sent;
      size -= static_cast<std::size_t>(sent);
    }
  }
  // The plug-in closed descriptors that are not its own. Assay sees its streams end and reports it.
  [[noreturn]] static void wait_to_be_ended() {
    while (true) pause();
  }

  const InputShape& shape_;
  int in_, out_;
  pid_t process_;
  const assay_policy_v1* policy_ = nullptr;
  using Probabilities = decltype(&assay_policy_v1_probabilities);
  Probabilities probabilities_ = nullptr;  // optional
  void* instance_ = nullptr;
  std::vector<char> message_ = std::vector<char>(4096);
  std::size_t received_ = 0;  // bytes of it
  std::vector<char> answer_;
};

}  // namespace

void serve_plugin(const std::string& path, const InputShape& shape,
                  const std::vector<std::string>& environment, std::size_t data_bytes, int in,
                  int out, int err) {
  settle(in, out, err);
  std::vector<char*> entries;  // live as long as the process
  for (const auto& entry : environment) entries.push_back(const_cast<char*>(entry.c_str()));
  entries.push_back(nullptr);
  environ = entries.data();
  limit_memory(data_bytes);
  std::set_terminate(std::abort);  // no report of ours for an exception in a noexcept function
  PluginServer(shape, in, out).serve(path);
}

}  // namespace assay::detail
