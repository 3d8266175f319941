// Builds a custom policy as a shared library, which `assay audit --plugin` runs, as does an entry `plugin` of a suite.
// One macro implements the C interface assay_policy_v1.h for a class that satisfies Policy (policies/concepts.hpp).
//
//     #include "assay/auditors/engine/custom_plugin.hpp"
//     ... the header of MyPolicy ...
//     ASSAY_OWN_PLUGIN(MyPolicy, "my policy")
//
// custom_run.hpp lists the kinds of input and their sizes. Fields of the Config that are sizes take the values that
// the audit asks for. The other fields keep their defaults. Each run draws all its random numbers from one
// ReplayStream, which the seed of the run determines.
// Errors, as messages of the plug-in: another kind of input; early stops, numbers or estimates, none of which the
// class has; a Config that create() rejects; an exception of the class.
// Link assay::auditors into a CMake MODULE library. The library may hide all its other symbols.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/engine/custom_run.hpp"
#include "assay/policies/external/assay_policy_v1.h"

#define ASSAY_OWN_PLUGIN(Class, name)                                                           \
  extern "C" __attribute__((visibility("default"))) const assay_policy_v1* assay_policy_v1_get( \
      void) {                                                                                   \
    static const assay_policy_v1 kPlugin = assay::detail::CustomPlugin<Class>::table(name);     \
    return &kPlugin;                                                                            \
  }

namespace assay::detail {

template <Policy P>
struct CustomPlugin {
  P policy;
  InputShape shape;

  static Result<CustomPlugin> of(const assay_shape_v1& asked) {
    constexpr InputKind kKind = own_kind<P>();
    if (asked.kind != value_text(kKind)) {
      return fail(ErrorCode::kInvalidArgument,
                  "this policy is of kind " + value_text(kKind) + ", not " + asked.kind);
    }
    if (asked.stops != 0 || asked.numbers > 0 || asked.estimates > 0) {
      return fail(
          ErrorCode::kInvalidArgument,
          "this policy runs every round and outputs its actions alone: it supports no early "
          "stops, numbers or estimates");
    }
    InputShape shape{.kind = kKind, .arms = asked.arms, .horizon = asked.horizon};
    if (asked.dimension > 0) shape.dimension = asked.dimension;
    typename P::Config config;
    put_sizes(shape, config);
    ASSAY_TRY(validate(config));
    P policy = ASSAY_TRY(P::create(config));
    return CustomPlugin{std::move(policy), shape};
  }

  // Turns errors and exceptions into a message. The caller is C, so no exception may reach it.
  template <class Call>
  static int called(char* error, std::size_t error_size, const Call& call) {
    std::string what = "an exception of unknown type";
    try {
      const Status status = call();
      if (status) return 0;
      what = status.error().message;
    } catch (const std::exception& thrown) {
      what = thrown.what();
    } catch (...) {
    }
    if (error_size == 0) return 1;
    const std::size_t size = std::min(what.size(), error_size - 1);
    std::memcpy(error, what.data(), size);
    error[size] = '\0';
    return 1;
  }

  static void* create(const assay_shape_v1* asked, char* error, std::size_t error_size) {
    std::unique_ptr<CustomPlugin> self;
    called(error, error_size, [&]() -> Status {
      auto made = ASSAY_TRY(of(*asked));
      self = std::make_unique<CustomPlugin>(std::move(made));
      return {};
    });
    return self.release();
  }

  static int play(void* self, const double* input, const std::uint64_t* seeds, std::int64_t count,
                  double* outputs, char* error, std::size_t error_size) {
    const auto& [policy, shape] = *static_cast<const CustomPlugin*>(self);
    return called(error, error_size, [&, &own = policy, &sizes = shape]() -> Status {
      const std::span table(input, static_cast<std::size_t>(sizes.rows() * sizes.columns()));
      std::vector<double> out;
      for (const std::uint64_t seed : std::span(seeds, static_cast<std::size_t>(count))) {
        ReplayStream random({seed, hash_purpose("own-plugin/play")});
        out.clear();
        play_own(own, sizes, table, random, out);
        outputs = std::copy(out.begin(), out.end(), outputs);
      }
      return {};
    });
  }

  static void destroy(void* self) { delete static_cast<CustomPlugin*>(self); }

  static assay_policy_v1 table(const char* name) {
    return {ASSAY_POLICY_ABI, name, 1, create, play, destroy};
  }
};

}  // namespace assay::detail
