#include "assay/auditors/best_arm/best_arm_cases.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "assay/auditors/best_arm/best_arm_pair.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/policies/linear/linear_algebra.hpp"

namespace assay {
namespace {

constexpr std::string_view kBestArmPaper =
    "Z. Chen, P. N. Karthik, Y. M. Chee, V. Y. F. Tan, \"Fixed-Budget Differentially Private Best "
    "Arm Identification\" (ICLR 2024)";
constexpr std::size_t kMostPairs = 128;
constexpr std::int64_t kMostListed = 1 << 22;      // numbers in all listed tables
constexpr std::int64_t kLongestTranscript = 4096;  // actions of a transcript in a report

template <class P>
constexpr bool kHasFeatures = !std::is_same_v<P, SequentialHalving>;
template <class P>
constexpr bool kIsPrivate = kHasFeatures<P> && !std::is_same_v<P, OdLinBai>;

// The policy's fields and the index of its table.
template <class P>
struct CaseConfig : P::Config {
  TableIndex table = TableIndex::kPull;

  static void fields(auto&& visit) {
    visit_base_fields<CaseConfig, typename P::Config>(visit);
    visit(field("table", &CaseConfig::table, Range{}, "",
                "how rewards are indexed: neighbours differ in one cell (pull) or in all rewards "
                "of a round (time)"));
  }
};

// The proved levels of all pairs, which hold for the release.
struct ProvedLevel {
  std::optional<Guarantee> guarantee;
  double largest_loss = kInfinity;
};

template <class P>
ProvedLevel proved_level(const P& policy) {
  return {policy.guarantee(), policy.config().epsilon};
}

ProvedLevel proved_level(const OdLinBai&) { return {}; }
ProvedLevel proved_level(const SequentialHalving&) { return {}; }

// (2)
ProvedLevel proved_level(const DpOd& policy) {
  Guarantee proved = policy.guarantee();
  double& epsilon = std::get<PureDp>(proved.level).epsilon.value;
  if (policy.config().norm == MomentNorm::kL2 && policy.config().dimension > 1) {
    epsilon *= std::sqrt(static_cast<double>(policy.config().dimension));
    proved.source =
        "the l1 sensitivity of the moments, at most sqrt(d) times the l2 norm of an arm";
  }
  return {proved, epsilon};
}

// (1)
ProvedLevel proved_level(const DpBaiGauss& policy) {
  const auto plan = policy.planner().plan(0, all_arms(policy.arms()));
  const double unit = plan->scales[0] * static_cast<double>(plan->pulls[0]);
  Guarantee proved = policy.guarantee();
  if (policy.config().calibration == Calibration::kPaper) {
    proved.level = GaussianDp{Mu{(1.0 + 1e-14) / unit}};
    proved.source = "one Gaussian mean reads each reward: mu = 1/c for noise c/n";
  }
  return {proved, kInfinity};
}

// Between two arms with equal pulls, argmax over two Gaussian means is mu-GDP at best,
// mu = 1/(sqrt(2) c). delta(eps) is largest if the arms differ by eps/mu + mu/2 deviations of the
// difference, sqrt(2) scales each.
template <class P>
std::vector<double> worst_shifts(const P& policy) {
  if constexpr (std::is_same_v<P, DpBaiGauss>) {
    const auto plan = policy.planner().plan(0, all_arms(policy.arms()));
    const double mu =
        1.0 / (std::sqrt(2.0) * plan->scales[0] * static_cast<double>(plan->pulls[0]));
    return {std::sqrt(2.0) * (policy.config().epsilon / mu + 0.5 * mu)};
  }
  return {};
}

// The distributions of pairs, by pair, since the choice of a method, the bounds, the checks and the
// witness all use them.
class KnownDistributions {
 public:
  explicit KnownDistributions(PhasedSubject subject) : subject_(std::move(subject)) {}

  Result<std::shared_ptr<const TranscriptDistributions>> of(const InputPair& pair) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, distributions] : distributions_) {
      if (known.base() == pair.base() && known.edit() == pair.edit()) return distributions;
    }
    auto distributions = ASSAY_TRY(transcript_distributions(subject_, pair, memo_));
    auto kept = std::make_shared<const TranscriptDistributions>(std::move(distributions));
    kept_ += kept->transcripts.size();
    if (kept_ > kMostKept) {
      distributions_.clear();
      kept_ = kept->transcripts.size();
    }
    distributions_.emplace_back(pair, kept);
    if (memo_.size() > kMostKept) memo_.clear();
    return kept;
  }

 private:
  static constexpr std::size_t kMostKept = 100'000;  // transcripts of all distributions; sets

  PhasedSubject subject_;
  std::mutex mutex_;
  TopSetMemo memo_;
  std::vector<std::pair<InputPair, std::shared_ptr<const TranscriptDistributions>>> distributions_;
  std::size_t kept_ = 0;  // transcripts of distributions_
};

// The index of a fresh run among the listed transcripts; -1 for none.
int drawn(const PhasedSubject& subject, const TranscriptDistributions& distributions,
          const RewardTable& table, const ReplayStream& random) {
  const auto run = subject.play(table, random);
  if (!run) return -1;
  const auto found = distributions.index.find(seen_actions(*run));
  return found == distributions.index.end() ? -1 : found->second;
}

// Without noise each input has one transcript, so two different transcripts distinguish D and D'
// with certainty.
KnownProfile sure_profile(bool differs) {
  const double loss = differs ? kInfinity : 0.0;
  const Delta delta{differs ? 1.0 : 0.0};
  return {[delta](Epsilon) {
            return Interval<Delta>{{delta}, {delta}};
          },
          {{Epsilon{loss}}, {Epsilon{loss}}},
          Interval<Mu>{{Mu{loss}}, {Mu{loss}}},
          "the actions are a function of the rewards"};
}

void know(AuditedSubject& subject, const PhasedSubject& phased, bool is_private,
          double largest_loss) {
  const auto known = std::make_shared<KnownDistributions>(phased);
  if (is_private) {
    subject.distributions = [known](const InputPair& pair) -> Result<EnumeratedDistributions> {
      const auto distributions = ASSAY_TRY(known->of(pair));
      return distributions->distributions;
    };
  } else {
    subject.profile = [known](const InputPair& pair, const PrivacyLevel&,
                              Delta) -> Result<KnownProfile> {
      const auto distributions = ASSAY_TRY(known->of(pair));
      return sure_profile(distributions->transcripts.size() > 1);
    };
  }
  subject.actions = [known, phased](const InputPair& pair, std::size_t outcome) {
    const auto distributions = known->of(pair);
    if (!distributions || phased.budget >= kLongestTranscript) return std::vector<int>{};
    return whole_transcript(phased, (*distributions)->transcripts[outcome]);
  };
  subject.listed = [known, phased](const InputPair& pair) -> Result<ListedDistribution> {
    const auto distributions = ASSAY_TRY(known->of(pair));
    const auto before = ASSAY_TRY(table_of(phased, pair, Side::kBase));
    const auto after = ASSAY_TRY(table_of(phased, pair, Side::kNeighbour));
    return ListedDistribution{
        distributions->distributions.log_p, distributions->distributions.log_q,
        [=](Side side, const ReplayStream& random) {
          return drawn(phased, *distributions, side == Side::kBase ? before : after, random);
        }};
  };
  // The losses, from the distributions that the exact method has listed.
  subject.losses = [known, phased, is_private](const InputPair& pair) -> Result<ReleaseLoss> {
    const auto distributions = ASSAY_TRY(known->of(pair));
    if (is_private) ASSAY_TRY(ExactLoss::create(distributions->distributions));
    const auto before = ASSAY_TRY(table_of(phased, pair, Side::kBase));
    const auto after = ASSAY_TRY(table_of(phased, pair, Side::kNeighbour));
    return ReleaseLoss([=](Side side, const ReplayStream& random) {
      const int i = drawn(phased, *distributions, side == Side::kBase ? before : after, random);
      if (i < 0) return kNaN;
      const auto at = static_cast<std::size_t>(i);
      const double own = side == Side::kBase ? distributions->distributions.log_p[at]
                                             : distributions->distributions.log_q[at];
      return own == -kInfinity
                 ? kNaN
                 : distributions->distributions.log_p[at] - distributions->distributions.log_q[at];
    });
  };
  subject.release = [phased, largest_loss](const InputPair& pair) {
    return best_arm_release(phased, pair, largest_loss);
  };
  subject.play = [phased](std::span<const double> input, ReplayStream& random,
                          std::vector<double>& out) {
    auto table = std::make_shared<InputTable>(
        InputTable{phased.budget, phased.arms, {input.begin(), input.end()}});
    const auto run =
        phased.play(RewardTable::create(std::move(table), phased.index).value(), random);
    out.insert(out.end(), run->transcript.begin(), run->transcript.end());
  };
  // Runs are checked against inputs of the whole shape.
  if (phased.rows < phased.budget) subject.play = nullptr;
}

Status check_table_fits(const InputShape& shape, const std::string& rows_name,
                        const InputTable& table) {
  if (table.rows == shape.horizon && table.columns == shape.arms) return check_input(shape, table);
  return fail(ErrorCode::kInvalidArgument,
              "has " + std::to_string(table.rows) + " rows of " + std::to_string(table.columns) +
                  " rewards, but " + rows_name + " is " + std::to_string(shape.horizon) +
                  " and arms is " + std::to_string(shape.arms) +
                  "; give one line for each pull, or for each round with table=time");
}

constexpr std::string_view kRows = "rows";

// The rows that tables hold. Errors: a table by time; no more rows than phase 1 pulls an arm,
// because pairs set those.
Result<std::int64_t> held_rows(const std::string& text, const PhasedSubject& phased) {
  const auto refuse = [](const std::string& message) {
    return fail(ErrorCode::kInvalidArgument, message, "/rows");
  };
  if (phased.index == TableIndex::kTime) return refuse("rows needs table=pull");
  const auto rows = parse_integer(text);
  const auto plan = phased.planner->plan(0, all_arms(phased.arms));
  const std::int64_t least = *std::max_element(plan->pulls.begin(), plan->pulls.end()) + 1;
  if (rows && *rows >= least && *rows <= phased.budget) return *rows;
  return refuse("rows must be " + std::to_string(least) +
                " (above the pulls of any arm in phase 1) to " + std::to_string(phased.budget) +
                " (the budget), not " + text);
}

// A table of all rows, or of the rows that it holds.
Status check_size(const InputShape& shape, const PhasedSubject& phased) {
  auto status = shape.check();
  if (status || phased.index == TableIndex::kTime || phased.rows < phased.budget) return status;
  return fail(status.error().code, status.error().message +
                                       "; for a table of fewer rows, past which every pull pays 0, "
                                       "give rows, here at most " +
                                       std::to_string(kMostInputNumbers / phased.arms));
}

template <class P>
Result<AuditedSubject> best_arm_subject(const CaseDescription& described,
                                        std::vector<KeyValue> given) {
  const auto features = kHasFeatures<P> ? take_parameter(given, kFeatureFile) : std::nullopt;
  const auto rows = take_parameter(given, kRows);
  auto config = ASSAY_TRY(read_configuration<CaseConfig<P>>(given));
  const P policy = ASSAY_TRY(create_with_features<P>(config, features));
  const auto asked = field_values(config);
  static_cast<typename P::Config&>(config) = policy.config();
  ASSAY_TRY(check_kept(given, asked, field_values(config)));
  AuditedSubject subject = subject_of(described.id, described.title, policy);
  subject.parameters = field_values(config);
  if (features) subject.parameters.push_back({std::string(kFeatureFile), *features});
  subject.variables = claim_variables(config);
  auto phased = phased_subject(policy, config.arms, config.budget, config.table);
  if (rows) {
    phased.rows = ASSAY_TRY(held_rows(*rows, phased));
    subject.parameters.push_back({std::string(kRows), *rows});
  }
  subject.shape = {.kind = InputKind::kBestArm, .arms = config.arms, .horizon = phased.rows};
  subject.rounds = config.budget;
  ASSAY_TRY(check_size(subject.shape, phased));
  const bool by_pull = config.table == TableIndex::kPull;
  const ProvedLevel proved = proved_level(policy);
  subject.stated.relation = by_pull ? Relation::kReplaceOneCell : Relation::kReplaceOneColumn;
  subject.proved = proved.guarantee;
  if (subject.proved) subject.proved->relation = subject.stated.relation;
  subject.check = [shape = subject.shape, name = rows ? "rows" : "budget"](const InputPair& pair) {
    return check_table_fits(shape, name, pair.base_input());
  };
  const auto listed = static_cast<std::size_t>(
      std::clamp<std::int64_t>(kMostListed / (config.arms * phased.rows), 1, kMostPairs));
  subject.hard_pairs = hard_reward_pairs(phased, listed, worst_shifts(policy));
  subject.beside = [phased](const std::shared_ptr<const InputTable>& base) {
    return reward_pairs_beside(phased, base, kMostPairs);
  };
  know(subject, phased, kIsPrivate<P>, proved.largest_loss);
  return subject;
}

template <class P>
ListedCase best_arm_case(CaseDescription d) {
  d.about +=
      " The private input is a table of rewards, with one row for each pull of the budget and one "
      "column for each arm. Neighbouring tables differ in one cell (table=pull: row n is the n-th "
      "pull of each arm) or one row (table=time). The adversary sees every action and the "
      "recommendation.";
  d.relation = Relation::kReplaceOneCell;
  d.input =
      "a reward table: one line for each pull of the budget, with the rewards of all arms in [0, "
      "1], separated by commas";
  d.input_kind = InputKind::kBestArm;
  d.methods = {"exact (every phase pulls all its arms, or releases at most 2 values)", "likelihood",
               "release", "events"};
  d.parameters = describe_fields<CaseConfig<P>>();
  if (kHasFeatures<P>) {
    d.parameters.push_back({std::string(kFeatureFile), "", "text", "", "a file",
                            "features of the arms as CSV, one line for each arm; without it Assay "
                            "draws them"});
  }
  d.parameters.push_back({std::string(kRows), "", "integer", "",
                          "above the pulls of any arm in phase 1",
                          "rows of the table if they are fewer than the budget; pulls past them "
                          "pay 0; only for table=pull"});
  d.reference = kBestArmPaper;
  return {std::move(d), best_arm_subject<P>};
}

}  // namespace

std::vector<ListedCase> best_arm_cases() {
  return {
      best_arm_case<DpBai>(
          {.id = "dp-bai",
           .title = "DP-BAI: best arm by private means",
           .about =
               "Each phase pulls a Max-Det collection of the active arms, or all of them, adds "
               "Laplace noise to their means and keeps the arms that look best.",
           .claims = {"eps=epsilon  (Proposition 4.1)"}}),
      best_arm_case<DpBaiGauss>(
          {.id = "dp-bai-gauss",
           .title = "DP-BAI-Gauss: best arm by means with Gaussian noise",
           .about =
               "This is DP-BAI with Gaussian noise. The noise has the classical constant "
               "(calibration=paper), which is proved only for epsilon below 1, or the smallest "
               "sufficient constant (corrected).",
           .claims =
               {"eps=epsilon,delta=delta  (Proposition D.2: for any epsilon, with calibration=paper)"}}),
      best_arm_case<BaiBaseline>(
          {.id = "bai-baseline",
           .title = "Baseline of DP-BAI: every active arm is pulled",
           .about = "This is DP-BAI without its Max-Det collections: every phase pulls all active "
                    "arms.",
           .claims = {"eps=epsilon  (section 5)"}}),
      best_arm_case<DpOd>(
          {.id = "dp-od",
           .title = "DP-OD: best arm by G-optimal designs and noisy moments",
           .about =
               "This is OD-LinBAI with Laplace noise of scale L/epsilon on every moment. L is the "
               "largest l1 norm of an active arm or, as the paper reads at first sight, the "
               "largest l2 norm. With the l2 norm, arms with several features lose up to sqrt(d) "
               "epsilon.",
           .claims = {"eps=epsilon  (Appendix E.1; norm=l1)",
                      "eps=sqrt(d)*epsilon  (norm=l2, the true level)"}}),
      best_arm_case<OdLinBai>(
          {.id = "od-linbai",
           .title = "OD-LinBAI: best arm by G-optimal designs, not private",
           .about = "It eliminates arms by least squares on G-optimal designs, without noise. It "
                    "promises no privacy and serves for comparison."}),
      best_arm_case<SequentialHalving>(
          {.id = "sequential-halving",
           .title = "Sequential halving, not private",
           .about = "It pulls the active arms evenly and keeps the better half, without noise or "
                    "features. It promises no privacy and serves for comparison."})};
}

}  // namespace assay
