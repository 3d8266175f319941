/* Defines the interface of a policy or mechanism that is a shared library, written in C or in any language
 * that exports C functions.
 *
 * Export one function, assay_policy_v1_get, which returns a description with static lifetime. Build it
 * with  cc -shared -fPIC -o policy.so policy.c  and audit it with  assay audit --plugin ./policy.so ...
 *
 * A plug-in runs in processes that Assay forks, one for each instance, with the same limits as a program
 * that --exec runs. Shapes are those of docs/protocol.md. Actions count from 0. */
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
  const char* kind;  /* "bandit", "best-arm", "dueling", "experts", "contextual", "mechanism" */
  int64_t arms;      /* number of actions K; 0 for a mechanism */
  int64_t horizon;   /* number of rounds T; 0 for a mechanism */
  int64_t dimension; /* of a context; 0 except for "contextual" */
  int64_t inputs;    /* values in the input of a mechanism; 0 for other kinds */
  int64_t outputs;   /* numbers in the output of a mechanism; 0 for other kinds */
  int64_t rows;      /* of the input table; this and the next two follow from the rest */
  int64_t columns;   /* of the input table */
  int64_t width;     /* numbers in one output */

  /* The parts of an output other than the actions; 0 unless they are requested. For each round of the horizon (for
   * each output of a mechanism), an output has the action (two for a duel, none for a mechanism) and `numbers` numbers
   * (one for a mechanism). Then come the recommendation (best-arm only), `estimates` numbers and, if the shape `stops`,
   * the number of rounds before the run stopped: outputs[run][width - 1]. Entries of later rounds are ignored. A
   * plug-in that does not support these parts must reject a shape in which they are not 0. */
  int64_t stops;
  int64_t numbers;
  int64_t estimates;

  /* The options --domain and --neighbours as the user wrote them, or NULL. With neighbours "add-remove" an input may
   * have one value fewer than `columns`: the last of them is then NaN. */
  const char* domain;
  const char* neighbours;
} assay_shape_v1;

typedef struct assay_policy_v1 {
  uint32_t abi;     /* ASSAY_POLICY_ABI */
  const char* name; /* one line */
  int seeded;       /* 1 if all randomness comes from the seeds */

  /* Makes the instance of a process; NULL rejects the shape, with a sentence in `error`. */
  void* (*create)(const assay_shape_v1* shape, char* error, size_t error_size);

  /* Makes `count` independent runs on input[rows][columns], one for each seed, and writes their outputs to
   * outputs[count][width]. Assay fills the outputs with NaN first, so that it notices a missing action. A run with two
   * generators needs two seeds: assay_seed_for in assay_target.h makes them. Returns 0 on success. Any other value,
   * with a sentence in `error`, means that a run failed; like an exception or a crash, this is an output
   * (docs/protocol.md). If one of several runs failed, Assay repeats them one by one. */
  int (*play)(void* self, const double* input, const uint64_t* seeds, int64_t count,
              double* outputs, char* error, size_t error_size);

  void (*destroy)(void* self);
} assay_policy_v1;

/* The exported function. */
const assay_policy_v1* assay_policy_v1_get(void);

/* A policy that also exports this function reports its probabilities (docs/protocol.md, "Probabilities"), and Assay
 * can certify upper bounds; kinds bandit, experts and dueling. The first `count` actions of a run on the input are
 * forced to be `actions`; of a duel, first * arms + second. Writes the probabilities of all K actions (K * K duels) in
 * rounds from + 1 to count + 1, at most the last round, to probabilities[round][action]: each given the input and the
 * actions before alone, averaged over all internal randomness. They sum to 1 within 1e-9, and the seed changes no bit
 * of them. Returns 0 on success, as play. */
int assay_policy_v1_probabilities(void* self, const double* input, uint64_t seed,
                                  const int64_t* actions, int64_t count, int64_t from,
                                  double* probabilities, char* error, size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
