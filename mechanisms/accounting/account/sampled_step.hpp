// A step that adds noise to a sum over a random sample of the records, with the sampler as it is coded; or that shuffles
// the local answers of users.
//
// sampler             how the records of a release are drawn              pairs (docs/proofs/sampling.md)
//   poisson             each by itself, with the same probability; a      exact
//                       `group` of records is added, removed or replaced
//   truncated-poisson   so, but at most `batch`: the rest is dropped      between two pairs
//   fixed-size          `batch` of them, without replacement              exact to add or remove; between two
//   random-allocation   each in one of `batches`; a release is a pass     pairs to replace, or for several
//                       over them all                                     participations
//   with-replacement    `batch` draws, each of any record                 between two pairs, to replace only
//   cyclic-poisson      Poisson from the `parts` of a fixed partition,    exact
//                       in turn; a release is a cycle over the parts
//   shuffle             every user answers, only the counts are seen      between two pairs, which meet for one
//                                                                         release with two answers
// The relation states the neighbours: one record more or less, or one record with another value. A record moves the
// sum by at most the sensitivity, so two records are at most twice that apart, or `distance` where that is less.
// With truncated-poisson and fixed-size one record that enters a full batch pushes another out, which is why these
// need the distance under either relation. Each step of cyclic-poisson adds noise to the steps of the last `bands` <= `parts`
// rounds, weighted by a matrix whose columns have norm 1 (docs/proofs/sampling.md); 1 is noise alone.
//
// Noise: gaussian, laplace, discrete-gaussian, discrete-laplace. A level, eps-DP or mu-GDP, can take its place for
// poisson, fixed-size and with-replacement: it then holds for one record more or less (poisson) or replaced (the others).
// What shuffle takes: randomized-response, or pure for local answers of any other kind; one user's value is replaced.
//
// Errors name the parameter and its range, or the combination that has no theorem and the nearest that has one.
// Threads: values. Cost: at most 10 ms; truncated-poisson as many steps as the sample has standard deviations;
// random-allocation 0.2 to 2 s (allocation_loss.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

inline constexpr Range kSampling{1e-9, 1.0 - 1e-9};
inline constexpr Range kRecords{2, 1e9};
inline constexpr Range kBatch{1, 1e9};
inline constexpr Range kDistance{0.0, 1e12};
inline constexpr const char* kRecordsHelp =
    "the number of records: of the larger data set (truncated-poisson), or the least that a data "
    "set can have (fixed-size), or of each (with-replacement)";
inline constexpr const char* kBatchHelp =
    "the number of records in a sample, or the most of them, or of draws";
inline constexpr const char* kDistanceHelp =
    "how far apart the contributions of two records can be; 0 stands for twice the sensitivity";

struct PoissonSampler {
  static constexpr std::string_view kName = "poisson";
  static constexpr std::string_view kTitle = "every record by itself, with one probability";
  double sampling = 0.0;
  std::int64_t group = 1;
  static void fields(auto&& visit) {
    using C = PoissonSampler;
    visit(field("sampling", &C::sampling, kSampling, "",
                "the probability that a record is in the sample"));
    visit(
        field("group", &C::group, Range{1, 1000}, "",
              "the number of records, such as those of one person, that neighbours differ by; in a "
              "sample each is by itself, for gaussian and gdp alone"));
  }
};

struct TruncatedPoissonSampler {
  static constexpr std::string_view kName = "truncated-poisson";
  static constexpr std::string_view kTitle =
      "so, but at most `batch`; the surplus is dropped at random";
  double sampling = 0.0;
  std::int64_t records = 0;
  std::int64_t batch = 0;
  double distance = 0.0;
  static void fields(auto&& visit) {
    using C = TruncatedPoissonSampler;
    visit(field("sampling", &C::sampling, kSampling, "",
                "the probability that a record is in the sample"));
    visit(field("records", &C::records, kRecords, "", kRecordsHelp));
    visit(field("batch", &C::batch, kBatch, "", kBatchHelp));
    visit(field("distance", &C::distance, kDistance, "", kDistanceHelp));
  }
};

struct FixedSizeSampler {
  static constexpr std::string_view kName = "fixed-size";
  static constexpr std::string_view kTitle = "`batch` records, without replacement";
  std::int64_t records = 0;
  std::int64_t batch = 0;
  double distance = 0.0;
  static void fields(auto&& visit) {
    using C = FixedSizeSampler;
    visit(field("records", &C::records, kRecords, "", kRecordsHelp));
    visit(field("batch", &C::batch, kBatch, "", kBatchHelp));
    visit(field("distance", &C::distance, kDistance, "", kDistanceHelp));
  }
};

struct WithReplacementSampler {
  static constexpr std::string_view kName = "with-replacement";
  static constexpr std::string_view kTitle =
      "`batch` draws, each of any record, so that some may come twice";
  std::int64_t records = 0;
  std::int64_t batch = 0;
  double distance = 0.0;
  static void fields(auto&& visit) {
    using C = WithReplacementSampler;
    visit(field("records", &C::records, kRecords, "", kRecordsHelp));
    visit(field("batch", &C::batch, kBatch, "", kBatchHelp));
    visit(field("distance", &C::distance, kDistance, "", kDistanceHelp));
  }
};

struct AllocationSampler {
  static constexpr std::string_view kName = "random-allocation";
  static constexpr std::string_view kTitle =
      "every record in one of `batches`, or in `participations` of them, with equal chances; one release is a "
      "pass over all batches";
  std::int64_t batches = 0;
  std::int64_t passes = 1;
  std::int64_t participations = 1;
  static void fields(auto&& visit) {
    using C = AllocationSampler;
    visit(field("batches", &C::batches, Range{2, 1e6}, "", "the number of batches of a pass"));
    visit(
        field("passes", &C::passes, Range{1, 1e9}, "",
              "the number of passes with the same batches; only for gaussian and gdp. Batches that "
              "are drawn anew are compositions"));
    visit(field("participations", &C::participations, Range{1, 1e6}, "",
                "the number of batches of a pass that hold a record, all choices of them alike"));
  }
};

struct CyclicPoissonSampler {
  static constexpr std::string_view kName = "cyclic-poisson";
  static constexpr std::string_view kTitle =
      "Poisson samples from the parts of a fixed partition, in turn; one release is a cycle over all parts";
  double sampling = 0.0;
  std::int64_t parts = 0;
  std::int64_t bands = 1;
  static void fields(auto&& visit) {
    using C = CyclicPoissonSampler;
    visit(field("sampling", &C::sampling, kSampling, "",
                "the probability that a record is in the sample"));
    visit(field(
        "parts", &C::parts, Range{1, 1e9}, "",
        "the number of parts, each with the turn in one step of a cycle, into which the records are "
        "divided without a look at them"));
    visit(field(
        "bands", &C::bands, Range{1, 1e9}, "",
        "the number of bands of the matrix that mixes the steps, with columns of norm 1; 1 stands for "
        "none"));
  }
};

struct ShuffleSampler {
  static constexpr std::string_view kName = "shuffle";
  static constexpr std::string_view kTitle =
      "every user answers by the mechanism, and only the counts of the answers are seen";
  std::int64_t users = 0;
  static void fields(auto&& visit) {
    visit(field("users", &ShuffleSampler::users, Range{2, 1e6}, "", "the number of users"));
  }
};

using Sampler =
    std::variant<PoissonSampler, TruncatedPoissonSampler, FixedSizeSampler, WithReplacementSampler,
                 AllocationSampler, CyclicPoissonSampler, ShuffleSampler>;

enum class SampledRelation { kAddOrRemove, kReplaceOne };
constexpr std::array<std::pair<SampledRelation, std::string_view>, 2> enum_names(SampledRelation) {
  return {{{SampledRelation::kAddOrRemove, "add-or-remove"},
           {SampledRelation::kReplaceOne, "replace-one"}}};
}

// The relation of a step that states none.
constexpr SampledRelation default_relation(const Sampler& sampler) {
  const bool only_replaces = std::holds_alternative<ShuffleSampler>(sampler) ||
                             std::holds_alternative<WithReplacementSampler>(sampler);
  return only_replaces ? SampledRelation::kReplaceOne : SampledRelation::kAddOrRemove;
}

// Randomised response only for shuffle.
using SampledNoise = std::variant<GaussianStep, LaplaceStep, DiscreteLaplaceStep,
                                  DiscreteGaussianStep, PureStep, GdpStep, RandomizedResponseStep>;

struct SampledStep {
  SampledNoise noise;
  Sampler sampler;
  SampledRelation relation = SampledRelation::kAddOrRemove;
};

// The step of valid parts, or the reason why they do not fit together. A distance of 0 becomes twice the sensitivity.
Result<SampledStep> make_sampled(const SampledNoise& noise, Sampler sampler,
                                 SampledRelation relation);

Result<StepLosses> sampled_losses(const SampledStep& step, const LossAccuracy& accuracy = {});
// The least upper bound of the loss in this order; infinite where the noise can lose any eps.
detail::Enclosure sampled_largest_loss(const SampledStep& step, SamplingDirection order);
Known<RenyiDp> sampled_renyi(const SampledStep& step);

}  // namespace assay
