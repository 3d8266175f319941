/* An example plug-in: a bandit that plays arm 1 whenever a noisy count of its rewards is high.
 *
 *   cc -shared -fPIC -O2 -I<include folder of Assay> -o leaky_counter.so leaky_counter.c
 *
 * The count gets new Laplace noise of scale 1 in every round, so one reward costs privacy again and
 * again. The policy claims eps = 1, which is the cost of one round only. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/policies/external/assay_policy_v1.h"

typedef struct {
  int64_t horizon;
} Counter;

/* SplitMix64: enough for an example. */
static uint64_t next_word(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double uniform(uint64_t* state) {
  return ((double)(next_word(state) >> 12) + 0.5) / 4503599627370496.0;
}

static double laplace(uint64_t* state) { return log(uniform(state)) - log(uniform(state)); }

static void* create(const assay_shape_v1* shape, char* error, size_t error_size) {
  Counter* self = NULL;
  if (strcmp(shape->kind, "bandit") != 0 || shape->arms != 2) {
    snprintf(error, error_size, "this policy is a bandit with 2 arms");
    return NULL;
  }
  self = malloc(sizeof *self);
  if (self != NULL) self->horizon = shape->horizon;
  return self;
}

static int play(void* instance, const double* input, const uint64_t* seeds, int64_t count,
                double* outputs, char* error, size_t error_size) {
  const Counter* self = instance;
  int64_t i, t;
  (void)error;
  (void)error_size;
  for (i = 0; i < count; ++i) {
    uint64_t state = seeds[i];
    double sum = 0.0;
    for (t = 0; t < self->horizon; ++t) {
      const double threshold = (double)t / 2.0;
      outputs[i * self->horizon + t] = sum + laplace(&state) > threshold ? 1.0 : 0.0;
      sum += input[t];
    }
  }
  return 0;
}

static void destroy(void* instance) { free(instance); }

const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "leaky counter", 1, create, play,
                                         destroy};
  return &policy;
}
