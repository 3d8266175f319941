/* SplitMix64, from which the targets of this folder draw: enough for an example. */
#ifndef ASSAY_SPLITMIX_H
#define ASSAY_SPLITMIX_H

#include <stdint.h>

static uint64_t next_word(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double uniform(uint64_t* state) {
  return ((double)(next_word(state) >> 12) + 0.5) / 4503599627370496.0;
}

#endif
