#include "assay/auditors/text/glossary.hpp"

#include "assay/auditors/text/text_layout.hpp"

namespace assay {
namespace {

constexpr std::string_view kDwork =
    "Dwork, Roth, Algorithmic Foundations of Differential Privacy (2014)";
constexpr std::string_view kGdp = "Dong, Roth, Su, Gaussian Differential Privacy (JRSS B 2022)";

constexpr GlossaryWord kWords[] = {
    {"eps", "epsilon pure-dp", "the privacy loss, in nats",
     "How much likelier any event may be on one of two neighbouring inputs than on the other: by a factor "
     "e^eps at most, up to delta. At eps = 0.1 hardly, at eps = 5 by 148.",
     "P(E) <= e^eps Q(E) + delta for every event E, both ways around", kDwork},
    {"delta", "approximate-dp", "what eps may miss",
     "Probability by which events may exceed the factor e^eps. At a given eps the smallest such delta is a "
     "property of the pair; a level without delta (pure) allows none, however improbable the event.",
     "delta(eps) = sup over E of P(E) - e^eps Q(E)", kDwork},
    {"mu", "gdp gaussian-dp", "the privacy loss, as the distance of two normal laws",
     "The two laws are at most as easy to tell apart as N(0, 1) and N(mu, 1), by any test. mu = 1 lets the "
     "best test with errors of one kind of 5% err in 74% of the cases of the other kind.",
     "delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2)", kGdp},
    {"delta0", "", "the least delta that a mu is asked of",
     "The smallest mu of outputs that are few is set by their rarest events. \"mu over delta >= delta0\" leaves "
     "those out: it is the smallest mu whose profile lies above the pair's wherever that is at least delta0.",
     "", ""},
    {"profile", "privacy-profile", "delta as a function of eps",
     "All (eps, delta) that a pair needs, as one curve. A claim of one (eps, delta) excludes what lies above "
     "it; a claim of mu is a curve of its own.",
     "delta(eps) = sup over E of P(E) - e^eps Q(E)",
     "Balle, Barthe, Gaboardi, Privacy Amplification by Subsampling (NeurIPS 2018)"},
    {"trade-off", "trade-off-curve roc", "the errors of the best test between two inputs",
     "The smallest type II error of a test of the old input against the new one, by its type I error. The "
     "lower the curve, the easier the inputs are told apart.",
     "f(x) = inf { 1 - Q(E) : P(E) <= x }", kGdp},
    {"claim", "", "the level that is put to the test",
     "What the user, or a paper, says of the privacy loss: eps, (eps, delta) or mu, over all neighbouring "
     "inputs. It is set against certified bounds; it is never a bound itself.",
     "", ""},
    {"relation", "neighbours neighbour neighboring neighbor",
     "which two inputs count as neighbours",
     "What one person's data may change: one reward, the rewards of a round, a user's contexts and rewards, a "
     "record. A level means nothing without it.",
     "", kDwork},
    {"pair", "neighbouring-inputs", "two neighbouring inputs, old and new",
     "A base and one edit of it. Certified numbers are of the pair that the report shows; what an audit of "
     "pairs does not find is not shown to be absent.",
     "", ""},
    {"view", "", "what the adversary sees",
     "The actions of all rounds, all but that of the changed round, the output of a mechanism, or everything "
     "that is released. A guarantee holds for its view alone: seeing more may tell more.",
     "", ""},
    {"verdict", "violated verified notrefuted inconclusive", "what the report says of the claim",
     "Violated: a certified lower bound lies above the claim. Verified: a sound upper bound lies at or below "
     "it, for this pair or for all. NotRefuted: neither; the report says what it would have seen. "
     "Inconclusive: stopped before it was decided, or a check says that the counts prove nothing.",
     "", ""},
    {"bound", "certified lower-bound upper-bound", "a number with the direction of its error",
     "\"At least\" and \"at most\" are certified: the truth lies between them, all of a report's together with "
     "its confidence. Rounding goes outward. An estimate has no such promise and is called one.",
     "", ""},
    {"confidence", "alpha", "how sure all of a report is",
     "With probability at least the confidence everything certified in the report holds at once, whatever is "
     "audited. Alpha is the rest: the error probability that its statements share.",
     "confidence = 1 - alpha", ""},
    {"ledger", "alpha-ledger", "how the error probability was shared out",
     "Each statement that rests on samples draws its own part of the one alpha before it looks. The parts "
     "add up to at most alpha, so that all hold together by the union bound. What is exact or proved draws none.",
     "P(some statement is false) <= sum of the parts", ""},
    {"e-value", "evalue betting", "evidence against a hypothesis, as what a bet came to",
     "A bettor starts with 1 and bets at fair odds if the hypothesis holds. Large wealth is evidence against "
     "it: at 1/alpha it is rejected with error probability alpha, whenever one chooses to stop.",
     "P(e >= 1/alpha) <= alpha where E[e] <= 1",
     "Ville (1939); Vovk, Wang, E-values (Annals of Statistics 2021)"},
    {"p-value", "pvalue", "how often chance alone looks as bad",
     "The probability of evidence at least as strong where the hypothesis holds. Small is bad: at or below its "
     "level, a part of alpha that was fixed before, a check alarms. 1/p is no e-value.",
     "P(p <= level) <= level", ""},
    {"event", "score evidence", "the outputs that one side gives more often",
     "An output is given a score, a number learnt from plays that are not counted; the event is that the score "
     "lies in an interval. Fresh plays count how often it happens on the old and on the new input, and a "
     "ratio of frequencies that the claim forbids refutes it.",
     "eps >= log((P(E) - delta)/Q(E))",
     "Zanella-Beguelin et al., Bayesian Estimation of DP (ICML 2023)"},
    {"power", "would-see smallest-visible", "what a run would have seen, had it been there",
     "The smallest violation that this run would have refuted, with the stated probability, on an event like "
     "the one it counted. A claim that is not refuted with little power has hardly been tested.",
     "", ""},
    {"witness", "", "a transcript on which the loss was seen",
     "Of an audit, a transcript or its beginning with both of its probabilities, for anyone to check. Of an "
     "entry of a suite, two inputs and a seed with which the plays part: it shows where an input enters, and "
     "certifies nothing.",
     "", ""},
    {"loss", "privacy-loss", "the log ratio of a transcript's probabilities",
     "How much one transcript speaks for the old input against the new one. Its distribution under either input "
     "determines the whole profile.",
     "L = log P(transcript) - log Q(transcript)", kDwork},
    {"calibration", "probability-check", "do the reported probabilities describe the sampler?",
     "A check: fresh transcripts are bet on at the odds that the policy reports. Where the bettor wins, bounds "
     "that rest on those probabilities are withheld.",
     "", ""},
    {"canaries", "canary", "entries of the input that coins set, to be guessed",
     "Fair coins, kept from the target, set many entries of one input. Who sees the output guesses them; "
     "more right guesses than a private target allows refute its claim, with a single play.",
     "", "Steinke, Nasr, Jagielski, Privacy Auditing with One (1) Training Run (NeurIPS 2023)"},
    {"augmented-release", "", "all noisy values that a policy makes",
     "What is seen is computed from it, so that its loss bounds that of the view from above.", "",
     ""},
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
