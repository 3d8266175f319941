// A paper whose statements Assay checks: the data of a citation.
#pragma once

#include <string>
#include <string_view>

namespace assay {

struct Paper {
  std::string_view name;      // short, for lists: "Thompson Sampling"
  std::string_view authors;   // "Tingting Ou, Marco Avella Medina, Rachel Cummings"
  std::string_view surnames;  // "Ou, Avella Medina, Cummings"
  std::string_view title;
  std::string_view venue;  // of the version from which the statements are read
  int year = 0;
  std::string_view arxiv;  // its number, with the version where the text that was read states it

  // "Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially Private"".
  std::string short_citation() const;
  // With all authors, the venue, the year and the number.
  std::string citation() const;
};

namespace papers {

extern const Paper kThompsonSampling;
extern const Paper kExperts;
extern const Paper kBestArm;
extern const Paper kDueling;
extern const Paper kSparse;

}  // namespace papers
}  // namespace assay
