// The progress of work that several threads share: each adds the parts that it has done, and the thread that started the
// work reports the sum (progress.hpp).
//
// Threads: any thread may call add(). Cost: an atomic addition.
#pragma once

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>

#include "assay/mechanisms/core/progress.hpp"

namespace assay {

class SharedProgress {
 public:
  // Neither is copied. Made by the thread that started the work.
  SharedProgress(const RunControl& control, std::string_view stage)
      : control_(control), stage_(stage) {}

  void add(double part) {  // of the whole stage
    const double done = done_.fetch_add(part) + part;
    if (std::this_thread::get_id() == starter_) control_.report(stage_, std::min(done, 1.0));
  }

 private:
  const RunControl& control_;
  std::string_view stage_;
  std::atomic<double> done_{0.0};
  std::thread::id starter_ = std::this_thread::get_id();
};

}  // namespace assay
