#include "assay/auditors/text/glossary.hpp"

#include "assay/auditors/text/text_layout.hpp"

namespace assay {
namespace {

constexpr std::string_view kDwork =
    "Dwork, Roth, Algorithmic Foundations of Differential Privacy (2014)";
constexpr std::string_view kGdp = "Dong, Roth, Su, Gaussian Differential Privacy (JRSS B 2022)";

constexpr GlossaryWord kWords[] = {
    {"eps", "epsilon pure-dp", "the privacy loss, in nats",
     "Any event is at most e^eps times as likely under one of two neighbouring inputs as under the other, up to "
     "delta. The factor is 1.1 at eps = 0.1, and 148 at eps = 5.",
     "P(E) <= e^eps Q(E) + delta for every event E, both ways around", kDwork},
    {"delta", "approximate-dp", "the probability that eps does not cover",
     "The probability by which an event may exceed the factor e^eps. Each pair has a smallest delta at a given "
     "eps. A pure level has delta = 0: it allows no excess, however improbable the event.",
     "delta(eps) = sup over E of P(E) - e^eps Q(E)", kDwork},
    {"mu", "gdp gaussian-dp", "the privacy loss as the distance of two normal curves",
     "No test distinguishes the two output distributions better than N(0, 1) from N(mu, 1). At mu = 1 the best "
     "test with a type I error of 5% has a type II error of 74%.",
     "delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2)", kGdp},
    {"delta0", "", "the smallest delta that a bound on mu considers",
     "The rarest events decide the smallest mu of a discrete output. \"mu over delta >= delta0\" "
     "ignores them: it is the smallest mu whose profile lies above the pair's profile wherever the "
     "pair's delta is at least delta0.",
     "", ""},
    {"profile", "privacy-profile", "delta as a function of eps",
     "All (eps, delta) of a pair, as one curve. A claim of one (eps, delta) is one point that the curve must not "
     "exceed; a claim of mu is a whole curve.",
     "delta(eps) = sup over E of P(E) - e^eps Q(E)",
     "Balle, Barthe, Gaboardi, Privacy Amplification by Subsampling (NeurIPS 2018)"},
    {"trade-off", "trade-off-curve roc", "the errors of the best test between two inputs",
     "The smallest type II error of a test of D against D', as a function of its type I error. The lower the "
     "curve, the easier it is to distinguish the inputs.",
     "f(x) = inf { 1 - Q(E) : P(E) <= x }", kGdp},
    {"matrix-factorization", "matrix-mechanism dp-ftrl toeplitz",
     "noise that is correlated over the steps of a run",
     "A run with the steps x releases C x + noise for a matrix C, such as a Toeplitz matrix, and what follows from it. Its "
     "privacy loss is that of one Gaussian release at the distance by which a record can move all rows, in all steps "
     "in which it takes part.",
     "distance^2 = max of the sum of <C_i, C_j> over the steps i and j of a record",
     "Denisov, McMahan, Rush, Smith, Thakurta, Improved Differential Privacy for SGD via Optimal Private Linear Operators "
     "(NeurIPS 2022)"},
    {"repeat-and-select", "private-selection hyperparameters negative-binomial",
     "the best output of a random number of private runs",
     "A search that runs a private mechanism several times and releases only the best output. If the number of runs is "
     "random, with a geometric, another negative binomial or a Poisson distribution, the level grows little with the mean "
     "number.",
     "D'(a) <= D(a) + (1 + eta) (1 - 1/b) D(b) + (1 + eta) log(1/gamma)/b + log(E K)/(a - 1)",
     "Papernot, Steinke, Hyperparameter Tuning with Renyi Differential Privacy (ICLR 2022)"},
    {"claim", "", "the level that an audit tests",
     "A statement of a user or a paper about the privacy loss: eps, (eps, delta) or mu, for all "
     "neighbouring inputs. The audit compares it with certified bounds. The claim itself is never "
     "a bound.",
     "", ""},
    {"relation", "neighbours neighbour neighbors neighbor neighboring",
     "the rule that says which inputs are neighbours",
     "It says what one person's data may change: one reward, the rewards of a round, a user's contexts and "
     "rewards, a record. A level means nothing without it.",
     "", kDwork},
    {"pair", "neighbouring-inputs", "two neighbouring inputs, D and D'",
     "A base input D, and D', which differs from it by one edit. Certified numbers describe the pair that the report shows. An audit of "
     "pairs does not show that other pairs leak less.",
     "", ""},
    {"view", "", "the part of the output that the adversary sees",
     "The actions of all rounds, all but that of the changed round, the output of a mechanism, or everything "
     "that is released. A guarantee holds only for its view: an adversary who sees more may learn more.",
     "", ""},
    {"reported-probabilities", "verifiedifreported propensities if-reported",
     "what a target says of the probabilities of its actions",
     "A target may report the probability of each action given its input and past actions alone. Upper bounds that "
     "rest on them hold if they are right: a report says so at each, and the verdict is VerifiedIfReported. Checks by "
     "other seeds and by drawn actions can find that they are wrong, but not prove that they are right.",
     "", ""},
    {"verdict", "violated verified notrefuted inconclusive holds refuted",
     "the conclusion about the claim",
     "Violated: a certified lower bound lies above the claim. Verified: a certified upper bound "
     "lies at or below it, for this pair or for every pair. NotRefuted: neither was shown, by an "
     "audit that would probably have seen a leak of the size that it should see. Weak: neither was "
     "shown, and such a leak may have been missed. Inconclusive: the audit stopped early, or a "
     "check found that the counts prove nothing. For the statement of a paper: Holds is proved, "
     "Refuted has a certificate, Vacuous is true but excludes nothing.",
     "", ""},
    {"bound", "certified lower-bound upper-bound", "a number with the direction of its error",
     "\"At least\" and \"at most\" are certified: the truth lies between them. All bounds of a "
     "report hold simultaneously, with the confidence that it states. They are rounded outward. An "
     "estimate has no such guarantee and is labelled as one.",
     "", ""},
    {"confidence", "alpha", "the probability that a whole report is right",
     "With at least this probability, everything certified in the report holds at once, whatever "
     "is audited. Alpha is the rest, the error probability that the statements of the report "
     "share.",
     "confidence = 1 - alpha", ""},
    {"ledger", "alpha-ledger", "how the error probability is divided",
     "Each statement that rests on samples receives a share of alpha before it looks at them. The shares add up "
     "to at most alpha, so all statements hold together by the union bound. Exact and proven statements need no "
     "share.",
     "P(some statement is false) <= sum of the shares", ""},
    {"e-value", "evalue betting bet bets wealth",
     "evidence against a hypothesis: the wealth of a bettor",
     "A bettor starts with 1 and bets at odds that are fair if the hypothesis holds. Large wealth is evidence "
     "against it: wealth of 1/alpha rejects it with error probability alpha, at any stopping time.",
     "P(e >= 1/alpha) <= alpha where E[e] <= 1",
     "Ville (1939); Vovk, Wang, E-values (Annals of Statistics 2021)"},
    {"p-value", "pvalue", "how often chance alone gives evidence as strong",
     "The probability of evidence at least as strong if the hypothesis holds. A check fails if its "
     "p-value is at or below its level, a share of alpha that was fixed in advance. 1/p is not an "
     "e-value.",
     "P(p <= level) <= level", ""},
    {"total-variation", "tv", "how far two distributions are apart",
     "The largest difference between the probabilities that two distributions give to one event. "
     "Samples bound it only over events that were fixed beforehand, such as all unions of some cells.",
     "TV(P, Q) = sup over E of P(E) - Q(E)", ""},
    {"event", "score evidence", "outputs that are more likely under one input",
     "A score is a number for each output. It is learned from other runs than those that are "
     "counted. The event says that the score lies in an interval. Fresh runs count how often it "
     "happens under D and under D'. A ratio of frequencies that the claim forbids refutes the "
     "claim.",
     "eps >= log((P(E) - delta)/Q(E))",
     "Zanella-Beguelin et al., Bayesian Estimation of DP (ICML 2023)"},
    {"strength", "power see weak", "the leak that an audit would probably have seen",
     "An audit that refutes nothing says how large a leak of its pair it would have seen: by a certified bound, or by "
     "an estimate with the stated probability. If that is more than it should see (--see, or 1.5 times the claim), the "
     "verdict is Weak: the test was too weak to tell.",
     "", ""},
    {"witness", "", "a transcript that shows the loss",
     "In an audit: a transcript, or its beginning, with both of its probabilities, which anyone can check. In a "
     "suite: two inputs and a seed whose runs diverge. This shows where the input takes effect, and certifies "
     "nothing.",
     "", ""},
    {"loss", "privacy-loss", "the log ratio of a transcript's probabilities",
     "The evidence of one transcript for D against D'. Its distribution under either input determines the whole "
     "profile.",
     "L = log P(transcript) - log Q(transcript)", kDwork},
    {"calibration", "probability-check", "do the reported probabilities describe the sampler?",
     "A check that bets on fresh transcripts at the odds that the policy reports. If the bettor wins, the report "
     "withholds all bounds that rest on these probabilities.",
     "", ""},
    {"canaries", "canary", "entries of the input that coins set and the auditor guesses",
     "Fair coins, hidden from the target, decide many entries of one input. The auditor guesses them from the "
     "output. More right guesses than a private target allows refute its claim, with a single run.",
     "", "Steinke, Nasr, Jagielski, Privacy Auditing with One (1) Training Run (NeurIPS 2023)"},
    {"augmented-release", "", "all noisy values that a policy makes",
     "The policy computes the view from it, so its loss is an upper bound on the loss of the view.",
     "", ""},
    {"rho", "zcdp", "the privacy loss as a bound on its Renyi divergences",
     "Zero-concentrated differential privacy: the Renyi divergence of order a between the two output distributions "
     "is at most rho a, for every a > 1. Rho adds up over mechanisms.",
     "D_a(P || Q) <= rho a for all a > 1",
     "Bun, Steinke, Concentrated Differential Privacy (TCC 2016)"},
    {"rdp", "renyi renyi-dp", "a bound on the Renyi divergence at each order",
     "Renyi differential privacy. Divergences of one order add up over mechanisms, and each order gives an eps at "
     "a delta. The report says which order gave the smallest.",
     "D_a(P || Q) = log(E_Q[(P/Q)^a])/(a - 1)", "Mironov, Renyi Differential Privacy (CSF 2017)"},
    {"composition", "compose drv kov", "several releases about the same input, as one",
     "Their privacy losses add up. Basic composition adds eps and delta. Advanced composition and exact accounting "
     "give less, because not every loss is as large as it can be at the same time.",
     "", "Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy (ICML 2015)"},
    {"sensitivity", "", "how far one person's data can move a value",
     "The largest change of a value between neighbouring inputs. Noise hides it if its scale is a suitable "
     "multiple of the sensitivity.",
     "max |f(D) - f(D')| over neighbours", kDwork},
    {"spread", "gap", "how far apart values lie",
     "The distance between the largest value and the others. In `assay bench selection` the scores of the candidates "
     "are drawn from 0 to this. The wider they are spread, the more easily a noisy choice finds the best one.",
     "", ""},
    {"mechanism", "", "one computation with noise",
     "A randomised function of the input: noise added to numbers, or a noisy choice among candidates. A policy "
     "uses mechanisms in many rounds.",
     "", ""},
    {"policy", "", "an algorithm that chooses an action in each round",
     "A bandit, a best-arm search, a dueling recommender, an online learner or a contextual bandit. It sees the "
     "data of earlier rounds, and its actions may reveal them.",
     "", ""},
    {"target", "black-box plug-in", "a program that is audited from outside",
     "A process, a plug-in or recorded runs. Assay sees the outputs and not the code. Such an "
     "audit proves lower bounds, but no upper bound.",
     "", ""},
    {"case", "", "a policy or mechanism that Assay implements",
     "`assay list cases` lists them. Assay knows their code and their probabilities, so an audit "
     "of a case may prove upper bounds too.",
     "", ""},
    {"run", "", "one execution on one input",
     "The unit in which an audit counts: the policy or program starts, reads an input, and ends with an output. "
     "All runs are independent if the target keeps no state.",
     "", ""},
    {"transcript", "", "everything that the adversary sees of one run",
     "The actions in their order and whatever else the view contains. A bound for transcripts also "
     "holds for every part of them.",
     "", ""},
    {"arm", "action expert pull duel", "one of the choices that a policy has in each round",
     "Arms are counted from 0, rounds from 1. Experts and actions are what other papers call them. A pull is a "
     "choice of an arm that shows its reward. A duel compares two arms.",
     "", ""},
    {"round", "horizon", "one step of a policy",
     "The policy chooses an action and sees the data of the round. The horizon T is the number of rounds.",
     "", ""},
    {"epoch", "phase episode", "consecutive rounds between two decisions",
     "Within an epoch a policy follows a choice that it made when the epoch began. Many policies "
     "double the length each time, so that few noisy choices are made. Papers say phase or episode "
     "as well.",
     "", ""},
    {"regret", "pseudo-regret", "the reward lost, compared with the best fixed choice",
     "The reward of the best action, less the reward of the chosen actions, summed over the rounds. The "
     "pseudo-regret takes means in place of the noisy rewards.",
     "sum over t of mu* - mu(a_t)", ""},
    {"ucb1", "ucb", "the usual bandit policy without privacy",
     "It chooses the arm with the largest upper confidence bound of its mean reward. Simulations and regret entries "
     "compare private policies with it: the difference is the price of privacy.",
     "argmax over a of mean(a) + sqrt(2 log t/n(a))",
     "Auer, Cesa-Bianchi, Fischer, Finite-time Analysis of the Multiarmed Bandit Problem (2002)"},
    {"pre-pulls", "pre-pull", "pulls of each arm before a policy begins to choose",
     "They make every count positive. Their rewards are private data, but their order is fixed and reveals "
     "nothing.",
     "", ""},
    {"orientation", "side both-sides", "which input is the numerator",
     "A level must hold both ways: for P against Q and for Q against P. A bound on \"both orientations\" covers "
     "both, and each uses a share of alpha.",
     "", ""},
    {"exhaustive", "enumeration closed-form", "computed, with no sampling error",
     "The probability of every transcript was computed, or a formula gives the number. \"Exhaustive\" adds that "
     "all pairs of inputs were tried. Floating-point error is rounded outward.",
     "", ""},
    {"outward", "rounding", "rounding that keeps a bound true",
     "A lower bound is rounded down and an upper bound up, in every operation and in print, so that the printed "
     "number is still a bound.",
     "", ""},
    {"granularity", "grid", "the spacing of the values that noise can take",
     "A sampler that is safe in floating point returns multiples of it. The privacy loss is that of the rounded "
     "values, and a report states it.",
     "", "Mironov, On Significance of the Least Significant Bits for DP (CCS 2012)"},
    {"certificate", "counterexample", "a refutation that anyone can check",
     "A file with a counterexample and its numbers. For a level these are two neighbouring inputs, an event and its "
     "probabilities; for another claim an instance and both sides of the inequality. `assay check-certificate` "
     "computes them again with other code and 50 digits.",
     "", ""},
    {"control", "", "the correct version of a program with a planted fault",
     "Detection is worth something only if the same audit accepts the correct version. `assay detect` runs both.",
     "", ""},
    {"containment", "namespace pid sandbox", "what holds a target back",
     "Where the system allows it, each process of a target has a PID namespace of its own. It sees no other processes, "
     "all processes of the namespace end with the audit, and their memory is limited. In a sandbox (--sandbox) it has "
     "no network and can write no files of yours. SECURITY.md of the source says what protects from what.",
     "", ""},
    {"seed", "seeding", "the number from which all randomness follows",
     "The same command with the same seed prints the same numbers. A report states its seed, and its last lines "
     "are the command that reproduces it.",
     "", ""},
    {"stationary", "autocorrelated drift independent-runs",
     "runs that do not depend on time or on each other",
     "Counting runs is valid if they are independent and alike. Checks look for runs whose distribution changes "
     "and for runs that depend on earlier ones. Bets stay valid in both cases.",
     "", ""},
    {"vacuous", "unknown", "a bound that excludes nothing",
     "An upper bound of infinity, or a lower bound of 0. A report prints \"unknown\" with the reason, for example "
     "that the target is a black box.",
     "", ""},
    {"pre-screen", "guessing", "a fast look for a leak before the search",
     "The auditor guesses canaries with a few hundred runs. If the guesses convict the target, the audit needs no "
     "search for a pair.",
     "", ""},
    {"baseline", "", "the figures that a suite compares itself with",
     "A file that `assay suite update` writes. A later run of the suite fails if a certified figure is "
     "significantly worse.",
     "", ""},
    {"history", "reused", "the results of earlier runs of a suite",
     "Results of unchanged entries are reused, and evidence adds up over runs under one error probability. A "
     "violation stands until the entry changes.",
     "", ""},
    {"severity", "tier tag suppression", "how a suite treats an entry that fails",
     "A failed entry of severity deny fails the run, one of severity warn is only reported, and one of severity "
     "allow is only listed. Tiers and tags select entries. A suppression accepts a known failure until a date.",
     "", ""},
    {"tilted", "tilted-sampling untilted", "sampling in which rare transcripts come up more often",
     "The auditor draws transcripts from another distribution, which favours large losses, and weights each by "
     "its likelihood ratio. This gives tighter bounds from as many runs.",
     "", ""},
    {"ceiling", "", "the best bound that the pair allows",
     "The loss of the best event whose probability is at least a stated value, computed exactly. `assay detect` "
     "compares it with the bound that an audit certified from runs alone.",
     "", ""},
    {"odometer", "filter", "a running total of the privacy loss",
     "It adds up the levels of releases while they are chosen one after another. A filter stops before a budget is "
     "exceeded. Both are valid even if later choices depend on earlier outputs.",
     "", "Rogers et al., Privacy Odometers and Filters (NeurIPS 2016)"},
    {"instance", "", "the problem on which a policy runs",
     "For a bandit, the mean rewards of the arms; for experts, the losses. Regret and error probabilities are "
     "stated for an instance.",
     "", ""},
    {"successive-halving", "structural-pairs", "a search that drops the worse half in each round",
     "Every pair starts with few runs. In each round the half with the smaller scores is dropped, "
     "and the rest share the runs of the round. Structural pairs are the ones that the shape of "
     "the input suggests.",
     "", ""},
};

}  // namespace

std::span<const GlossaryWord> glossary() { return kWords; }

std::string bare_name(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    bare += 'A' <= c && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return bare;
}

const GlossaryWord* find_word(std::string_view id) {
  const std::string bare = bare_name(id);
  for (const auto& word : kWords) {
    if (bare_name(word.id) == bare) return &word;
    for (const auto& alias : detail::words_of(std::string(word.aliases))) {
      if (bare_name(alias) == bare) return &word;
    }
  }
  return nullptr;
}

std::vector<std::string> glossary_names() {
  std::vector<std::string> names;
  for (const auto& word : kWords) {
    names.emplace_back(word.id);
    for (auto& alias : detail::words_of(std::string(word.aliases)))
      names.push_back(std::move(alias));
  }
  return names;
}

}  // namespace assay
