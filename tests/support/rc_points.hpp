// RapidCheck draws from the very spaces that `assay verify` searches, with the same shrinking.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "assay/auditors/claims/search/parameter_space.hpp"

namespace assay {

inline rc::Gen<Point> points_of(std::vector<Parameter> space) {
  return rc::Gen<Point>([space](const rc::Random& random, int) {
    rc::Random words = random;
    ReplayStream stream({words.next(), hash_purpose("tests/rapidcheck"), 0, 0, Phase::kSearch});
    return rc::shrinkable::shrinkRecur(generate_point(space, stream), [space](const Point& point) {
      return rc::seq::fromContainer(simpler_points(space, point));
    });
  });
}

}  // namespace assay
