/* A plug-in in C from one function, with the header assay_target.h:
 *   cc -shared -fPIC -O2 -I<include folder of Assay> -o told_at_random.so told_at_random.c
 *
 * Randomised response: each input, 0 or 1, is reported truthfully with probability 3/4. eps = log 3 for one input. */
#include "assay/policies/external/assay_target.h"

static uint64_t next_word(uint64_t* state) { /* SplitMix64: enough for an example */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void play(const assay_shape_v1* shape, const double* input, uint64_t seed, double* output) {
  int64_t i = 0;
  for (i = 0; i < shape->width; ++i) {
    const int lies = next_word(&seed) >> 62 == 0;
    output[i] = lies ? 1.0 - input[i] : input[i];
  }
}

ASSAY_TARGET("randomised response", "mechanism", 1, play)
