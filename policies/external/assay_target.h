/* Makes a plug-in from one function, in C or C++: `assay audit --plugin` (docs/protocol.md, "Adapters").
 *
 *   #include "assay/policies/external/assay_target.h"
 *
 *   static void play(const assay_shape_v1* shape, const double* input, uint64_t seed, double* output) {
 *     ... one run: input[rows][columns], output[width], random only by the seed ...
 *   }
 *   ASSAY_TARGET("my policy", "bandit", 1, play)
 *
 *   cc -shared -fPIC -I<include folder of Assay> -o my_policy.so my_policy.c
 *
 * ASSAY_TARGET(name, kind, seeded, play): kind is the kind of the policy; seeded is 1 if all randomness comes from the
 * seeds. Two generators with the same seed may produce the same stream, and noise that should be independent is then
 * identical: seed each with assay_seed_for(seed, "its name"). The macro works in C (from gnu89) and C++ (from 11). In
 * C++20, for classes that choose and learn round by round,
 *
 *   ASSAY_POLICY("my policy", "bandit", 1, [](const assay_shape_v1& shape, uint64_t seed) {
 *     return MyBandit(shape.arms, seed);
 *   })
 *
 * makes a policy for each run and calls its methods by kind. Actions count from 0:
 *   bandit     int choose(); update(int arm, double reward)
 *   best-arm   the same; int recommend() at the end
 *   experts    int choose(); update(const double* losses)
 *   dueling    a std::pair of arms choose(); update(int first, int second, bool first_won)
 *   contextual int choose(const double* contexts), arm by arm; update(int arm, double reward)
 * ASSAY_POLICY_WITH_PROBABILITIES(...) is the same for a class whose method probabilities(double* of_actions) writes the
 * probability of each action of the next round (of each pair, row by row, for duels), given the input and the actions so
 * far alone, averaged over all randomness of the object: docs/protocol.md, "Probabilities". On forced actions Assay calls
 * update and not choose. ASSAY_PROBABILITIES(walk) after ASSAY_TARGET does it by a function.
 *
 * An action that does not exist ends the audit, and Assay reports it. An exception is a failure of the run, and a
 * failure is an output. The macros reject a shape whose outputs have more than actions (for a mechanism: its numbers);
 * implement assay_policy_v1.h for such a shape. */
#ifndef ASSAY_TARGET_H
#define ASSAY_TARGET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/policies/external/assay_policy_v1.h"

#if defined(__GNUC__)
#define ASSAY_EXPORTED __attribute__((visibility("default")))
#else
#define ASSAY_EXPORTED
#endif

typedef void (*assay_play_v1)(const assay_shape_v1* shape, const double* input, uint64_t seed,
                              double* output);

/* Makes a seed for the generator of that name; the seeds of two names are unrelated. */
static inline uint64_t assay_seed_for(uint64_t seed, const char* name) {
  uint64_t key = seed ^ 0x6a09e667f3bcc908u;
  int step = 0, last = 0;
  while (
      !last) { /* mixes the seed before the first byte joins it, and after each byte and the end */
    for (step = 0; step < 3; ++step) key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93u;
    key ^= key >> 32;
    last = *name == 0;
    if (!last) key ^= (unsigned char)*name++;
  }
  return key;
}

/* The width of an output with only the actions, or numbers, of the kind. */
static inline int64_t assay_target_width(const assay_shape_v1* shape) {
  if (strcmp(shape->kind, "mechanism") == 0) return shape->outputs;
  if (strcmp(shape->kind, "dueling") == 0) return 2 * shape->horizon;
  return shape->horizon + (strcmp(shape->kind, "best-arm") == 0 ? 1 : 0);
}

static inline void* assay_target_create(const char* kind, const assay_shape_v1* shape, char* error,
                                        size_t error_size) {
  assay_shape_v1* self = NULL;
  if (strcmp(shape->kind, kind) != 0) {
    snprintf(error, error_size, "it is of --kind %s, not %s", kind, shape->kind);
    return NULL;
  }
  if (shape->width != assay_target_width(shape)) {
    snprintf(error, error_size, "its outputs have only actions (or numbers, if a mechanism)");
    return NULL;
  }
  self = (assay_shape_v1*)malloc(sizeof *self);
  if (self == NULL) {
    snprintf(error, error_size, "no memory");
  } else {
    *self = *shape;
    self->kind = kind; /* the caller's string ends with the call */
  }
  return self;
}

static inline int assay_target_play(assay_play_v1 play, const assay_shape_v1* shape,
                                    const double* input, const uint64_t* seeds, int64_t count,
                                    double* outputs) {
  int64_t i = 0;
  for (i = 0; i < count; ++i) play(shape, input, seeds[i], outputs + i * shape->width);
  return 0;
}

#ifdef __cplusplus
#define ASSAY_TARGET_EXTERN extern "C" ASSAY_EXPORTED
#else
#define ASSAY_TARGET_EXTERN ASSAY_EXPORTED
#endif

/* The names in the macro must not hide those of the arguments. */
#define ASSAY_TARGET(name, kind, seeded, play_once)                                               \
  static void* assay_target_create_own(const assay_shape_v1* assay_shape, char* assay_error,      \
                                       size_t assay_size) {                                       \
    return assay_target_create(kind, assay_shape, assay_error, assay_size);                       \
  }                                                                                               \
  static int assay_target_play_own(void* assay_self, const double* assay_input,                   \
                                   const uint64_t* assay_seeds, int64_t assay_count,              \
                                   double* assay_outputs, char* assay_error, size_t assay_size) { \
    (void)assay_error;                                                                            \
    (void)assay_size;                                                                             \
    return assay_target_play(play_once, (const assay_shape_v1*)assay_self, assay_input,           \
                             assay_seeds, assay_count, assay_outputs);                            \
  }                                                                                               \
  ASSAY_TARGET_EXTERN const assay_policy_v1* assay_policy_v1_get(void) {                          \
    static const assay_policy_v1 assay_policy = {                                                 \
        ASSAY_POLICY_ABI, name, seeded, assay_target_create_own, assay_target_play_own, free};    \
    return &assay_policy;                                                                         \
  }

/* Writes the probabilities of rounds from + 1 to count + 1, at most the last, after `count` forced actions. */
typedef void (*assay_walk_v1)(const assay_shape_v1* shape, const double* input, uint64_t seed,
                              const int64_t* actions, int64_t count, int64_t from,
                              double* probabilities);

#define ASSAY_PROBABILITIES(walk)                                                         \
  ASSAY_TARGET_EXTERN int assay_policy_v1_probabilities(                                  \
      void* assay_self, const double* assay_input, uint64_t assay_seed,                   \
      const int64_t* assay_actions, int64_t assay_count, int64_t assay_from,              \
      double* assay_probabilities, char* assay_error, size_t assay_size) {                \
    const assay_walk_v1 assay_walk = walk;                                                \
    (void)assay_error;                                                                    \
    (void)assay_size;                                                                     \
    assay_walk((const assay_shape_v1*)assay_self, assay_input, assay_seed, assay_actions, \
               assay_count, assay_from, assay_probabilities);                             \
    return 0;                                                                             \
  }

#if defined(__cplusplus) && __cplusplus >= 202002L

#include <cstdint>
#include <cstring>
#include <string_view>

namespace assay_target {

/* One run of a fresh policy. An action that is not an arm goes to the output, where Assay rejects it, and ends the
 * run; it never indexes memory. It is compared as a double, as in Assay: -1 of an unsigned type and NaN are not
 * arms. */
template <class Make>
void play_rounds(Make make, const assay_shape_v1& shape, const double* input, std::uint64_t seed,
                 double* output) {
  auto policy = make(shape, seed);
  const auto next = [&](auto action) {
    const auto arm = static_cast<double>(action);
    *output++ = arm;
    return arm >= 0.0 && arm < static_cast<double>(shape.arms);
  };
  for (std::int64_t t = 0; t < shape.rows; ++t, input += shape.columns) {
    if constexpr (requires { policy.choose(input); }) {
      const auto arm = policy.choose(input + shape.arms);
      if (!next(arm)) return;
      policy.update(arm, input[arm]);
    } else if constexpr (requires { policy.choose().first; }) {
      const auto duel = policy.choose();
      if (!next(duel.first) || !next(duel.second)) return;
      policy.update(duel.first, duel.second, input[duel.first * shape.arms + duel.second] == 1.0);
    } else {
      const auto arm = policy.choose();
      if (!next(arm)) return;
      if constexpr (requires { policy.update(input); }) {
        policy.update(input);
      } else {
        policy.update(arm, shape.columns == 1 ? input[0] : input[arm]);
      }
    }
  }
  if constexpr (requires { policy.recommend(); }) {
    if (std::strcmp(shape.kind, "best-arm") == 0) next(policy.recommend());
  }
}

/* The forced actions of a fresh policy, with the probabilities of the rounds asked for. */
template <class Make>
void walk_rounds(Make make, const assay_shape_v1& shape, const double* input, std::uint64_t seed,
                 const std::int64_t* actions, std::int64_t count, std::int64_t from,
                 double* probabilities) {
  auto policy = make(shape, seed);
  const bool is_duel = std::strcmp(shape.kind, "dueling") == 0;
  for (std::int64_t t = 0; t < shape.horizon; ++t, input += shape.columns) {
    if (t >= from) {
      policy.probabilities(probabilities);
      probabilities += is_duel ? shape.arms * shape.arms : shape.arms;
    }
    if (t == count) return;
    if constexpr (requires { policy.choose().first; }) {
      const auto first = actions[t] / shape.arms, second = actions[t] % shape.arms;
      using Arm = decltype(policy.choose().first);
      policy.update(static_cast<Arm>(first), static_cast<Arm>(second), input[actions[t]] == 1.0);
    } else if constexpr (requires { policy.update(input); }) {
      policy.update(input);
    } else {
      policy.update(static_cast<decltype(policy.choose())>(actions[t]), input[0]);
    }
  }
}

} /* namespace assay_target */

#define ASSAY_POLICY(name, kind, seeded, ...)                                                    \
  static_assert(std::string_view(kind) != "mechanism",                                           \
                "ASSAY_POLICY is for policies: for a mechanism, use ASSAY_TARGET");              \
  static void assay_target_play_rounds(const assay_shape_v1* assay_shape,                        \
                                       const double* assay_input, uint64_t assay_seed,           \
                                       double* assay_output) {                                   \
    assay_target::play_rounds(__VA_ARGS__, *assay_shape, assay_input, assay_seed, assay_output); \
  }                                                                                              \
  ASSAY_TARGET(name, kind, seeded, assay_target_play_rounds)

#define ASSAY_POLICY_WITH_PROBABILITIES(name, kind, seeded, ...)                                 \
  ASSAY_POLICY(name, kind, seeded, __VA_ARGS__)                                                  \
  static void assay_target_walk_rounds(const assay_shape_v1* assay_shape,                        \
                                       const double* assay_input, uint64_t assay_seed,           \
                                       const int64_t* assay_actions, int64_t assay_count,        \
                                       int64_t assay_from, double* assay_probabilities) {        \
    assay_target::walk_rounds(__VA_ARGS__, *assay_shape, assay_input, assay_seed, assay_actions, \
                              assay_count, assay_from, assay_probabilities);                     \
  }                                                                                              \
  ASSAY_PROBABILITIES(assay_target_walk_rounds)

#elif defined(__cplusplus)
#define ASSAY_POLICY(...) \
  static_assert(false, "ASSAY_POLICY is for C++20; ASSAY_TARGET is for C++11 on")
#endif

#endif
