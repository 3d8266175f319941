// The primitive of every long loop: chunks that return values, which come back in order.
//
// Chunk i does the same work wherever it runs, so values do not depend on the number of threads or processes. Where the
// control has no engine, chunks run on threads of this process. With an engine (chunk_engine.hpp) all its processes
// call this with the same count and share the chunks; values travel in their byte form (byte_form.hpp), and each process
// gets all of them. A call inside a chunk, or in work that all processes repeat, stays in its process.
// A chunk may write only into its value. It polls the control, and returns an empty value once that has stopped; after
// the call, the control says the same in all processes.
// If a chunk throws, so does the call, after all threads have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/byte_form.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

namespace detail {

template <class Value>
Value value_from(std::string_view bytes) {
  Value value{};
  if (!from_bytes(bytes, value)) throw std::logic_error("the processes do not run one program");
  return value;
}

}  // namespace detail

// Whether other processes take part in a loop that starts here.
inline bool is_shared(const RunControl& control) {
  return control.engine != nullptr && detail::place_of_thread == detail::Place::kTop;
}

// The values of chunk(0), ..., chunk(count - 1). As they come, in any order, the first process calls done(i, value), once
// at a time, from any thread.
template <class Chunk, class Done>
auto map_chunks(const RunControl& control, std::size_t count, Chunk&& chunk, Done&& done) {
  using Value = std::invoke_result_t<Chunk&, std::size_t>;
  static_assert(!std::is_same_v<Value, bool>, "threads cannot write to bits of one byte");
  constexpr bool kReports = !std::is_null_pointer_v<std::remove_cvref_t<Done>>;
  std::vector<Value> values(count);
  if (!is_shared(control)) {
    std::mutex mutex;
    parallel_for(control.threads, count, [&](std::size_t i) {
      values[i] = chunk(i);
      if constexpr (kReports) {
        const std::lock_guard lock(mutex);
        done(i, std::as_const(values[i]));
      }
    });
    return values;
  }
  std::function<void(std::size_t, std::string_view)> report;
  if constexpr (kReports) {
    report = [&](std::size_t i, std::string_view bytes) {
      const auto value = detail::value_from<Value>(bytes);
      done(i, value);
    };
  }
  auto bytes = control.engine->run(
      control.threads, count, [&](std::size_t i) { return to_bytes(chunk(i)); }, report);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = detail::value_from<Value>(std::exchange(bytes[i], {}));
  }
  return values;
}
template <class Chunk>
auto map_chunks(const RunControl& control, std::size_t count, Chunk&& chunk) {
  return map_chunks(control, count, std::forward<Chunk>(chunk), nullptr);
}

// done() of a loop that only reports its progress, from the thread that started it.
inline auto reporting(const RunControl& control, std::string_view stage, std::size_t count) {
  return [&control, stage, count, done = std::size_t{0}, starter = std::this_thread::get_id()](
             std::size_t, const auto&) mutable {
    const auto fraction = static_cast<double>(++done) / static_cast<double>(count);
    if (std::this_thread::get_id() == starter) control.report(stage, fraction);
  };
}

// What the first process finds, in all of them: for measured times, and what others may change meanwhile.
template <class Find>
auto found_by_first(const RunControl& control, Find&& find) {
  using Value = std::invoke_result_t<Find&>;
  if (!is_shared(control)) return find();
  std::string bytes;
  if (control.engine->is_first()) {
    const detail::InPlace inside(detail::Place::kChunk);
    bytes = to_bytes(find());
  }
  return detail::value_from<Value>(control.engine->agree(std::move(bytes)));
}
// The same where no control is at hand.
template <class Find>
auto found_by_first(Find&& find) {
  RunControl control;
  control.engine = detail::engine_of_process;
  return found_by_first(control, find);
}

// The sum over the processes, each of which counts what it did.
inline std::int64_t total_of(const RunControl& control, std::int64_t number) {
  return is_shared(control) ? control.engine->total(number) : number;
}

}  // namespace assay
