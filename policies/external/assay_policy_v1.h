/* A policy or mechanism as a shared library for Assay, in C or anything that exports C functions.
 *
 * Export one function, assay_policy_v1_get, that returns a description with static lifetime. Build
 * with  cc -shared -fPIC -o policy.so policy.c  and audit with  assay audit --plugin ./policy.so ...
 *
 * A plug-in runs in processes that Assay forks, one for each instance, within the limits that a
 * program given with --exec has. Shapes are those of docs/protocol.md; actions count from 0. */
#ifndef ASSAY_POLICY_V1_H
#define ASSAY_POLICY_V1_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_POLICY_ABI 1u

/* play returns this, with a sentence in `error`, for an input that the policy does not accept. */
#define ASSAY_INVALID_INPUT 12001

typedef struct assay_shape_v1 {
  const char* kind; /* "bandit", "best-arm", "dueling", "experts", "contextual", "mechanism" */
  int64_t arms;     /* K, and T below; 0 for a mechanism */
  int64_t horizon;
  int64_t dimension; /* of a context; 0 except for "contextual" */
  int64_t inputs;    /* of a mechanism; 0 for the others */
  int64_t outputs;
  int64_t rows; /* of the input table; these three follow from the kind */
  int64_t columns;
  int64_t width; /* numbers of one output */

  /* The parts of an output besides the actions; 0 unless requested. An output has, for each round of the horizon (for
   * each output of a mechanism), the action (two of a duel, none of a mechanism) and `numbers` numbers (one of a
   * mechanism); then the recommendation of a best-arm; then `estimates` numbers; then, if the shape `stops`, the
   * number of rounds before it stopped: outputs[run][width - 1]. Entries of later rounds are ignored. A plug-in
   * that does not support these must reject a shape in which they are not 0. */
  int64_t stops;
  int64_t numbers;
  int64_t estimates;

  /* --domain and --neighbours as given, or NULL. With neighbours "add-remove" an input may have
   * one value fewer than `columns`: the last of them is then NaN. */
  const char* domain;
  const char* neighbours;
} assay_shape_v1;

typedef struct assay_policy_v1 {
  uint32_t abi;     /* ASSAY_POLICY_ABI */
  const char* name; /* one line */
  int seeded;       /* 1: all randomness comes from the seeds */

  /* Makes the instance of a process; NULL rejects the shape, with a sentence in `error`. */
  void* (*create)(const assay_shape_v1* shape, char* error, size_t error_size);

  /* Performs `count` independent runs on input[rows][columns], one per seed, and writes them to
   * outputs[count][width]. Assay fills these with NaN before, so that it notices a missing action. Two generators
   * need two seeds: assay_seed_for in assay_target.h makes them. Returns 0. Any other value, with a sentence in
   * `error`, means that the run failed; like an exception or a crash, this is an output (docs/protocol.md). If one
   * of several runs failed, Assay repeats them one by one. */
  int (*play)(void* self, const double* input, const uint64_t* seeds, int64_t count,
              double* outputs, char* error, size_t error_size);

  void (*destroy)(void* self);
} assay_policy_v1;

/* The exported function. */
const assay_policy_v1* assay_policy_v1_get(void);

#ifdef __cplusplus
}
#endif

#endif
