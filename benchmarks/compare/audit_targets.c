/* Ten small targets that leak. audit_targets.py prints what black-box audits certify of the first seven,
 * few_runs.py how few runs convict the last four. The macro TARGET names the one to play, for example
 * -DTARGET='"gauss"'.
 *
 *   count   mechanism: one small answer 24 times, each with the noise that a single one needs
 *   rare    bandit, 3 arms: the one play in 27 with three of arm 3 in a row ends with an arm that tells
 *           the first reward
 *   max     mechanism: the index of the largest of 5 values, eight times, the noise that of one or two
 *   bits    mechanism: two values with Laplace noise of the right scale, in double precision
 *   race    bandit, 2 arms: pulls in turn until the noisy sums are apart, with fresh noise each round
 *   signs   mechanism: the sign of a small answer 20 times, each with its own noise; eps = 8.997
 *   gauss   mechanism: one value with Gaussian noise, mu = 1; eps = 4.377 at delta = 1e-5
 *   laplace-pair  mechanism: one value with Laplace noise of scale 1; eps = 1
 *   rare-event    mechanism: 1 with probability 0.02 or 0.0005, else 0; eps = 3.689
 *   no-privacy    mechanism: N(0, 2/LEVEL) on inputs of at least 1/2, else N(1/2, 1/LEVEL), by deviations; the
 *                 macro LEVEL is a claimed eps; eps is infinite, and 28 to 30 at delta = 1e-5 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/policies/external/assay_policy_v1.h"
#include "splitmix.h"

#ifndef LEVEL
#define LEVEL 1.0
#endif

typedef struct {
  int64_t width; /* rounds, or inputs */
  int64_t outputs;
} Target;

static double exponential(uint64_t* state) { return -log(uniform(state)); }

static double laplace(uint64_t* state) { return exponential(state) - exponential(state); }

static double normal(uint64_t* state) {
  return sqrt(2.0 * exponential(state)) * cos(6.283185307179586 * uniform(state));
}

static void count(const Target* self, const double* input, uint64_t* state, double* out) {
  int64_t i;
  for (i = 0; i < self->outputs; ++i) out[i] = 0.15 * input[0] + laplace(state);
}

static void signs(const Target* self, const double* input, uint64_t* state, double* out) {
  int64_t i;
  for (i = 0; i < self->outputs; ++i) out[i] = 0.5 * input[0] - 0.25 + laplace(state) > 0.0;
}

static void gauss(const Target* self, const double* input, uint64_t* state, double* out) {
  (void)self;
  out[0] = input[0] + normal(state);
}

static void laplace_pair(const Target* self, const double* input, uint64_t* state, double* out) {
  (void)self;
  out[0] = input[0] + laplace(state);
}

static void rare_event(const Target* self, const double* input, uint64_t* state, double* out) {
  (void)self;
  out[0] = uniform(state) < (input[0] >= 0.5 ? 0.02 : 0.0005);
}

static void no_privacy(const Target* self, const double* input, uint64_t* state, double* out) {
  const double noise = normal(state) / LEVEL;
  (void)self;
  out[0] = input[0] >= 0.5 ? 2.0 * noise : 0.5 + noise;
}

static void rare(const Target* self, const double* input, uint64_t* state, double* out) {
  int64_t t;
  for (t = 0; t < self->width; ++t) out[t] = floor(3.0 * uniform(state));
  if (out[1] == 2.0 && out[2] == 2.0 && out[3] == 2.0) {
    out[self->width - 1] = input[0] >= 0.5 ? 2.0 : 0.0;
  }
}

static void noisy_max(const Target* self, const double* input, uint64_t* state, double* out) {
  int64_t i, k;
  for (k = 0; k < self->outputs; ++k) {
    double best = -HUGE_VAL;
    for (i = 0; i < self->width; ++i) {
      const double value = input[i] + 2.0 * exponential(state);
      if (value > best) {
        best = value;
        out[k] = (double)i;
      }
    }
  }
}

static void bits(const Target* self, const double* input, uint64_t* state, double* out) {
  int64_t i;
  for (i = 0; i < self->width; ++i) out[i] = input[i] + laplace(state);
}

static void race(const Target* self, const double* input, uint64_t* state, double* out) {
  double lead = 0.0; /* of arm 2 */
  int winner = -1;
  int64_t t;
  for (t = 0; t < self->width; ++t) {
    const int arm = winner >= 0 ? winner : (int)(next_word(state) >> 63);
    out[t] = (double)arm;
    if (winner >= 0) continue;
    lead += arm == 1 ? input[t] : -input[t];
    if (fabs(lead + laplace(state)) > 3.0) winner = lead > 0.0;
  }
}

static void* create(const assay_shape_v1* shape, char* error, size_t error_size) {
  Target* self = malloc(sizeof *self);
  (void)error;
  (void)error_size;
  if (self == NULL) return NULL;
  memset(self, 0, sizeof *self);
  self->width = strcmp(shape->kind, "mechanism") == 0 ? shape->inputs : shape->horizon;
  self->outputs = strcmp(shape->kind, "mechanism") == 0 ? shape->outputs : shape->horizon;
  return self;
}

static int play(void* instance, const double* input, const uint64_t* seeds, int64_t count_of_plays,
                double* outputs, char* error, size_t error_size) {
  const Target* self = instance;
  int64_t i;
  for (i = 0; i < count_of_plays; ++i) {
    uint64_t state = seeds[i];
    double* out = outputs + i * self->outputs;
    if (strcmp(TARGET, "count") == 0) {
      count(self, input, &state, out);
    } else if (strcmp(TARGET, "rare") == 0) {
      rare(self, input, &state, out);
    } else if (strcmp(TARGET, "max") == 0) {
      noisy_max(self, input, &state, out);
    } else if (strcmp(TARGET, "bits") == 0) {
      bits(self, input, &state, out);
    } else if (strcmp(TARGET, "race") == 0) {
      race(self, input, &state, out);
    } else if (strcmp(TARGET, "signs") == 0) {
      signs(self, input, &state, out);
    } else if (strcmp(TARGET, "gauss") == 0) {
      gauss(self, input, &state, out);
    } else if (strcmp(TARGET, "laplace-pair") == 0) {
      laplace_pair(self, input, &state, out);
    } else if (strcmp(TARGET, "rare-event") == 0) {
      rare_event(self, input, &state, out);
    } else if (strcmp(TARGET, "no-privacy") == 0) {
      no_privacy(self, input, &state, out);
    } else {
      snprintf(error, error_size, "TARGET names none of the targets");
      return 1;
    }
  }
  return 0;
}

static void destroy(void* instance) { free(instance); }

const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "audit target", 1,
                                         create,           play,           destroy};
  return &policy;
}
