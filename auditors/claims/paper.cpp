#include "assay/auditors/claims/paper.hpp"

namespace assay {

std::string Paper::short_citation() const {
  return std::string(surnames) + ", \"" + std::string(title) + "\"";
}

std::string Paper::citation() const {
  std::string text = std::string(authors) + ", \"" + std::string(title) + "\", " +
                     std::string(venue) + ", " + std::to_string(year);
  if (!arxiv.empty()) text += ", arXiv:" + std::string(arxiv);
  return text;
}

namespace papers {

const Paper kThompsonSampling = {.name = "Thompson Sampling",
                                 .authors = "Tingting Ou, Marco Avella Medina, Rachel Cummings",
                                 .surnames = "Ou, Avella Medina, Cummings",
                                 .title = "Thompson Sampling Itself is Differentially Private",
                                 .venue = "preprint",
                                 .year = 2024,
                                 .arxiv = "2407.14879"};

const Paper kExperts = {
    .name = "Decision-Theoretic Online Learning",
    .authors = "Ruihan Wu, Yu-Xiang Wang",
    .surnames = "Wu, Wang",
    .title =
        "Improved Regret in Stochastic Decision-Theoretic Online Learning under Differential "
        "Privacy",
    .venue = "preprint",
    .year = 2025,
    .arxiv = "2502.10997"};

const Paper kBestArm = {.name = "Best Arm Identification",
                        .authors = "Zhirui Chen, P. N. Karthik, Yeow Meng Chee, Vincent Y. F. Tan",
                        .surnames = "Chen, Karthik, Chee, Tan",
                        .title = "Fixed-Budget Differentially Private Best Arm Identification",
                        .venue = "ICLR",
                        .year = 2024,
                        .arxiv = "2401.09073v1"};

const Paper kDueling = {
    .name = "DP-Dueling",
    .authors = "Aadirupa Saha, Hilal Asi",
    .surnames = "Saha, Asi",
    .title = "DP-Dueling: Learning from Preference Feedback without Compromising User Privacy",
    .venue = "preprint",
    .year = 2024,
    .arxiv = "2403.15045v1"};

const Paper kSparse = {
    .name = "FLIPHAT",
    .authors = "Sunrit Chakraborty, Saptarshi Roy, Debabrota Basu",
    .surnames = "Chakraborty, Roy, Basu",
    .title = "FLIPHAT: Joint Differential Privacy for High Dimensional Sparse Linear Bandits",
    .venue = "preprint",
    .year = 2024,
    .arxiv = "2405.14038"};

}  // namespace papers
}  // namespace assay
