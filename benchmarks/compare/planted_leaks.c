/* One small program with a planted leak. planted_leaks.py builds it once for each leak, derives the level of the leak,
 * and counts which of the leaks an audit finds.
 *
 * Of every row of the input the program uses one number v from 0 to 1. It has one of three bodies:
 *
 *   RESPOND  slot i + 1 of the output answers row i by randomised response with eps = BASE
 *   COUNT    a number, the count of rows with v >= 1/2 with discrete Laplace noise of BASE a row. A policy plays at
 *            random for half of its rounds, and then the arm 1 if the noisy count is above CUT, else the arm 0.
 *   ANSWERS  every value with Laplace noise of its own
 *
 * A slot is an action of a policy, or a number of a mechanism. It depends on earlier rows alone. FAULT names the fault,
 * which the table FAULTS in planted_leaks.py describes. The other macros are its parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/policies/external/assay_policy_v1.h"
#include "splitmix.h"

enum { RESPOND, COUNT, ANSWERS };
enum { NONE, NOISE, POSITION, VALUE, FLAG, CHANGES, DISTINCT, LATE, ECHO, SPREAD, RARE, STOP, STOP_AT_COUNT, FAIL,
       FAIL_AT_VALUE, FAIL_IF_EQUAL, SHARED, HASHED };
enum { EQUAL, BOTH, DUPLICATES, ABOVE_HALF, ALL_ONES, PARITY, SORTED, RUN };

#ifndef BODY
#define BODY RESPOND
#endif
#ifndef FAULT
#define FAULT NONE
#endif
#ifndef BASE
#define BASE 0.5 /* eps of a row by the body alone */
#endif
#ifndef LEVEL
#define LEVEL BASE /* eps that the fault adds, or that a row has by it */
#endif
#ifndef ROWS
#define ROWS 0ull /* the rows of the fault, a bit for each */
#endif
#ifndef ROW
#define ROW 0
#endif
#ifndef OTHER
#define OTHER 0 /* a second row, or a slot */
#endif
#ifndef LEAST
#define LEAST 2.0 /* the values of the fault, from LEAST to MOST */
#endif
#ifndef MOST
#define MOST 2.0
#endif
#ifndef FAR
#define FAR 1 /* the ordinary value that is answered least like these */
#endif
#ifndef TEST
#define TEST EQUAL /* what the flag says */
#endif
#ifndef RATE
#define RATE 0.0 /* of a rare event or a failure */
#endif
#ifndef CUT
#define CUT 0
#endif
#ifndef COLUMN
#define COLUMN 0 /* of the row */
#endif
#ifndef LOW
#define LOW 0.0 /* this column has numbers from LOW to HIGH */
#endif
#ifndef HIGH
#define HIGH 1.0
#endif

typedef struct {
  int is_mechanism, is_duel, is_best_arm, stops;
  int64_t rows, columns, slots, width;
  double* v;
} Program;

/* The number of failures before a success: P(at least k) = exp(-eps k). */
static double geometric(uint64_t* state, double eps) { return floor(-log(uniform(state)) / eps); }

static double discrete_laplace(uint64_t* state, double eps) {
  const double up = geometric(state, eps);
  return up - geometric(state, eps);
}

/* P(1) of randomised response, linear in v, with odds of e^eps at v = 1 and of e^-eps at 0. */
static double one(double v, double eps) {
  const double least = 1.0 / (1.0 + exp(eps));
  return least + v * (1.0 - 2.0 * least);
}

static int is_special(double v) { return v >= LEAST && v <= MOST; }

/* The flag's test of the rows before the last slot. */
static int flag(const double* v, int64_t rows) {
  int64_t i, j, ones = 0, run = 0, longest = 0, rises = 1;
  for (i = 0; i < rows; ++i) {
    const int is_one = v[i] >= 0.5;
    ones += is_one;
    run = is_one ? run + 1 : 0;
    if (run > longest) longest = run;
    if (i > 0 && v[i] < v[i - 1]) rises = 0;
  }
  switch (TEST) {
    case EQUAL:
      return v[ROW] == v[OTHER];
    case BOTH:
      return v[ROW] >= 0.5 && v[OTHER] >= 0.5;
    case DUPLICATES:
      for (i = 0; i < rows; ++i) {
        for (j = 0; j < i; ++j) {
          if (v[i] == v[j]) return 1;
        }
      }
      return 0;
    case ABOVE_HALF:
      return 2 * ones > rows;
    case ALL_ONES:
      return ones == rows;
    case PARITY:
      return (int)(ones % 2);
    case SORTED:
      return (int)rises;
    case RUN:
      return longest >= 4;
  }
  return 0;
}

static double statistic(const double* v, int64_t rows) {
  double sum = 0.0;
  int64_t i, j;
  for (i = 0; i < rows; ++i) {
    const int is_one = v[i] >= 0.5;
    if (FAULT == CHANGES) {
      sum += i > 0 && is_one != (v[i - 1] >= 0.5);
    } else if (FAULT == DISTINCT) {
      int is_new = 1;
      for (j = 0; j < i; ++j) is_new &= v[i] != v[j];
      sum += is_new;
    } else if (FAULT == VALUE && is_special(v[i])) {
      sum += LEVEL / BASE;
    } else {
      sum += is_one * (FAULT == POSITION && (ROWS >> i & 1) ? LEVEL / BASE : 1.0);
    }
  }
  return sum;
}

static void count(const Program* self, int64_t rows, uint64_t* state, double* slot) {
  const double eps = FAULT == NOISE || FAULT == DISTINCT ? LEVEL : FAULT == CHANGES ? 0.5 * LEVEL : BASE;
  const int64_t half = self->is_mechanism ? 0 : self->slots / 2;
  const double noisy = statistic(self->v, self->is_mechanism ? rows : half) + discrete_laplace(state, eps);
  int64_t s;
  for (s = 0; s < self->slots; ++s) {
    slot[s] = self->is_mechanism ? noisy : s < half ? uniform(state) < 0.5 : noisy > CUT;
  }
}

static void respond(const Program* self, int64_t rows, uint64_t* state, double* slot) {
  const double* v = self->v;
  const int64_t last = self->slots - 1;
  double shared = 0.0;
  int64_t i;
  slot[0] = uniform(state) < 0.5;
  for (i = 0; i < last; ++i) {
    double u = uniform(state), p = one(v[i], BASE);
    if (FAULT == NOISE || (FAULT == POSITION && (ROWS >> i & 1))) p = one(v[i], LEVEL);
    if (FAULT == VALUE && is_special(v[i])) {
      const double far = one(1.0, BASE) * exp(-LEVEL); /* the probability of the answer FAR */
      p = FAR ? far : 1.0 - far;
    }
    if (FAULT == ECHO && i >= ROW && i < ROW + OTHER) p = one(v[ROW], BASE);
    if (FAULT == SPREAD && i >= ROW) p = one(v[ROW], LEVEL / (double)(last - ROW));
    if (FAULT == SHARED && i == ROW) shared = u;
    if (FAULT == SHARED && i == ROW + 1) u = shared;
    if (FAULT == LATE && i + 1 == OTHER) p = one(v[ROW], LEVEL);
    if (FAULT == FLAG && i + 1 == last) p = one(flag(v, rows < last ? rows : last), LEVEL);
    slot[i + 1] = u < p;
  }
  if (FAULT == RARE && uniform(state) < RATE * (v[ROW] >= 0.5 ? 1.0 : exp(-LEVEL))) slot[last] = 2.0;
}

static void answers(const Program* self, uint64_t* state, double* slot) {
  double sum = 0.0;
  int64_t i;
  for (i = 0; i < self->rows; ++i) {
    const double eps = FAULT == NOISE || (FAULT == POSITION && (ROWS >> i & 1)) ? LEVEL : BASE;
    const double up = -log(uniform(state));
    slot[i] = self->v[i] + (up + log(uniform(state))) / eps;
    sum += self->v[i];
  }
  if (FAULT == FLAG) slot[self->slots - 1] = uniform(state) < one(sum > 0.0, LEVEL);
}

/* The slots that the adversary sees before the run stops; or -1 if it fails. */
static int64_t end_of(const Program* self, int64_t rows, uint64_t* state) {
  const double* v = self->v;
  int64_t i, ones = 0;
  double p = 0.0;
  int all_equal = 1;
  if (FAULT == STOP) return uniform(state) < one(v[ROW], LEVEL) ? ROW + 2 : self->slots;
  for (i = 0; i < rows; ++i) {
    ones += v[i] >= 0.5;
    all_equal &= v[i] == v[0];
    if (FAULT == STOP_AT_COUNT && ones == CUT && i + 2 < self->slots - self->is_best_arm) return i + 2;
    if (FAULT == FAIL_AT_VALUE && (BODY == COUNT || i + 1 < self->slots) && is_special(v[i])) p = RATE;
  }
  if (FAULT == FAIL) p = RATE * (exp(-LEVEL) + v[ROW] * (1.0 - exp(-LEVEL)));
  if (FAULT == FAIL_IF_EQUAL && all_equal) p = RATE;
  return p > 0.0 && uniform(state) < p ? -1 : self->slots;
}

static void* create(const assay_shape_v1* shape, char* error, size_t error_size) {
  Program* self = calloc(1, sizeof *self);
  const int is_mechanism = strcmp(shape->kind, "mechanism") == 0;
  (void)error;
  (void)error_size;
  if (self == NULL) return NULL;
  self->is_mechanism = is_mechanism;
  self->is_duel = strcmp(shape->kind, "dueling") == 0;
  self->is_best_arm = strcmp(shape->kind, "best-arm") == 0;
  self->stops = shape->stops != 0;
  self->rows = is_mechanism ? shape->inputs : shape->horizon;
  self->columns = is_mechanism ? 1 : shape->columns;
  self->slots = is_mechanism ? shape->outputs : shape->horizon + self->is_best_arm;
  self->width = shape->width;
  self->v = malloc((size_t)self->rows * sizeof *self->v);
  return self;
}

static int play(void* instance, const double* input, const uint64_t* seeds, int64_t runs, double* outputs, char* error,
                size_t error_size) {
  Program* self = instance;
  double slot[128];
  int64_t i, r, s, rows = 0;
  for (i = 0; i < self->rows; ++i) {
    const double value = input[i * self->columns + COLUMN];
    if (isnan(value)) break; /* a record that is not there */
    self->v[rows++] = (value - LOW) / (HIGH - LOW);
    if (BODY != ANSWERS) self->v[i] = fmin(fmax(self->v[i], 0.0), 1.0);
  }
  for (r = 0; r < runs; ++r) {
    double* out = outputs + r * self->width;
    uint64_t state = seeds[r];
    int64_t end = self->slots;
    if (FAULT == HASHED) { /* noise from the data, and from 6 bits of the seed */
      state = seeds[r] % 64;
      for (i = 0; i < rows && i + 1 < self->slots; ++i) {
        uint64_t bits;
        memcpy(&bits, &self->v[i], sizeof bits);
        state = next_word(&state) ^ bits;
      }
    }
    if (BODY == RESPOND) respond(self, rows, &state, slot);
    if (BODY == COUNT) count(self, rows, &state, slot);
    if (BODY == ANSWERS) answers(self, &state, slot);
    if (FAULT == STOP || FAULT == STOP_AT_COUNT || FAULT == FAIL || FAULT == FAIL_AT_VALUE || FAULT == FAIL_IF_EQUAL) {
      end = end_of(self, rows, &state);
    }
    if (end < 0) {
      snprintf(error, error_size, "division by zero");
      return 1;
    }
    for (s = 0; s < self->slots; ++s) {
      if (self->is_duel) {
        out[2 * s] = slot[s];
        out[2 * s + 1] = slot[s] == 2.0 ? 2.0 : 1.0 - slot[s];
      } else {
        out[s] = slot[s];
      }
    }
    if (self->stops) out[self->width - 1] = (double)(end - (self->is_best_arm && end == self->slots));
  }
  return 0;
}

static void destroy(void* instance) {
  free(((Program*)instance)->v);
  free(instance);
}

const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "planted leak", 1, create, play, destroy};
  return &policy;
}
