// How long work tells the outside where it is, and how the outside asks it to stop.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

namespace assay {

// Called from the thread that started the work, a few times a second at most.
using ProgressCallback = std::function<void(std::string_view stage, double fraction)>;

struct RunControl {
  int threads = 1;
  ProgressCallback progress;                  // may be empty
  const std::atomic<bool>* cancel = nullptr;  // polled at chunk boundaries

  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed); }
  void report(std::string_view stage, double fraction) const {
    if (progress) progress(stage, fraction);
  }
};

}  // namespace assay
