#include "assay/auditors/methods/paths.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

struct BeamNode {
  double log_p = 0.0;
  double log_q = 0.0;
  std::int32_t parent = -1;  // index into the previous depth's nodes
  std::int32_t action = -1;
};

enum class BeamScore { kMu, kLoss };

double beam_score(const BeamNode& node, BeamScore score, double direction) {
  const double loss = direction * (node.log_p - node.log_q);
  if (score == BeamScore::kLoss) return loss;
  const double mu = mu_from_event(node.log_p, node.log_q).value;
  return loss < 0.0 ? -mu : mu;
}

// One beam; `direction` is +1 for P >> Q and -1 for Q >> P. Returns the best prefix by mu and the
// best transcript by loss, as far as the beam came, both evaluated again at full precision.
PathSearchResult search_paths_in_beam(const PairProcess& fresh, const PathSearchPlan& plan,
                                      BeamScore score, double direction,
                                      const RunControl& control) {
  StopPoll poll(control);
  const int actions = fresh.action_count();
  std::vector<std::vector<BeamNode>> depths{{BeamNode{}}};
  std::vector<std::unique_ptr<PairProcess>> states;  // of the last depth's nodes, and some spares
  std::vector<std::unique_ptr<PairProcess>> kept_states;
  states.push_back(fresh.clone());
  states.front()->restart();
  double best_mu = 0.0;
  std::size_t best_depth = 0;
  std::int32_t best_node = 0;

  std::vector<double> step_p(static_cast<std::size_t>(actions));
  std::vector<double> step_q(static_cast<std::size_t>(actions));
  const std::int64_t rounds = std::min<std::int64_t>(fresh.horizon(), plan.rounds);
  for (std::int64_t t = 0; t < rounds && !poll.stopped(); ++t) {
    struct Child {
      BeamNode node;
      double score;
    };
    const bool scored_by_mu = score == BeamScore::kMu;
    std::vector<Child> children;
    const auto& nodes = depths.back();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!detail::log_probabilities_unless(poll, *states[i], ArgmaxPrecision::kSampling, step_p,
                                            step_q)) {
        break;
      }
      for (int a = 0; a < actions; ++a) {
        const double lp = nodes[i].log_p + step_p[static_cast<std::size_t>(a)];
        const double lq = nodes[i].log_q + step_q[static_cast<std::size_t>(a)];
        if (lp == -INFINITY && lq == -INFINITY) continue;
        BeamNode node{lp, lq, static_cast<std::int32_t>(i), a};
        children.push_back({node, beam_score(node, score, direction)});
      }
    }
    if (poll.stopped()) break;  // this round is incomplete
    const std::size_t keep = std::min(children.size(), static_cast<std::size_t>(plan.width));
    std::partial_sort(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(keep),
                      children.end(), [](const Child& a, const Child& b) {
                        if (a.score != b.score) return a.score > b.score;
                        if (a.node.log_p != b.node.log_p) return a.node.log_p > b.node.log_p;
                        if (a.node.parent != b.node.parent) return a.node.parent < b.node.parent;
                        return a.node.action < b.node.action;
                      });
    std::vector<BeamNode> kept;
    for (std::size_t i = 0; i < keep; ++i) {
      const BeamNode& node = children[i].node;
      kept.push_back(node);
      const PairProcess& parent = *states[static_cast<std::size_t>(node.parent)];
      if (kept_states.size() == i) {
        kept_states.push_back(parent.clone());
      } else {
        kept_states[i]->assign(parent);
      }
      kept_states[i]->advance(node.action);
      const double mu =
          scored_by_mu ? children[i].score : beam_score(node, BeamScore::kMu, direction);
      if (mu > best_mu) {
        best_mu = mu;
        best_depth = depths.size();
        best_node = static_cast<std::int32_t>(i);
      }
    }
    depths.push_back(std::move(kept));
    std::swap(states, kept_states);
  }

  const auto actions_to = [&](std::size_t depth, std::int32_t node) {
    std::vector<int> path;
    for (; depth > 0; --depth) {
      const BeamNode& n = depths[depth][static_cast<std::size_t>(node)];
      path.push_back(n.action);
      node = n.parent;
    }
    std::reverse(path.begin(), path.end());
    return path;
  };
  std::int32_t best_leaf = 0;
  for (std::size_t i = 1; i < depths.back().size(); ++i) {
    const auto loss = [&](std::size_t k) {
      return beam_score(depths.back()[k], BeamScore::kLoss, direction);
    };
    if (loss(i) > loss(static_cast<std::size_t>(best_leaf)))
      best_leaf = static_cast<std::int32_t>(i);
  }
  std::vector<int> by_mu = actions_to(best_depth, best_node);
  std::vector<int> by_loss = actions_to(depths.size() - 1, best_leaf);
  if (poll.stopped()) {  // evaluate only as much of them as takes no time
    const auto most = static_cast<std::size_t>(4e4 / detail::one_action_work(actions));
    by_mu.resize(std::min(by_mu.size(), most));
    by_loss.resize(std::min(by_loss.size(), most));
    poll = {};
  }
  return {evaluate_path(fresh, std::move(by_mu), poll),
          evaluate_path(fresh, std::move(by_loss), poll),
          static_cast<std::int64_t>(depths.size()) - 1};
}

}  // namespace

LowerBound<Delta> PathEvent::delta(Epsilon epsilon) const {
  // P - e^eps Q, with P and Q moved to the safe side by the error of their logarithms.
  const auto excess = [&](double log_a, double log_b) {
    const double a = log_a - log_error;
    const double b = epsilon.value + log_b + log_error;
    return a > b ? -portable_exp(a) * portable_expm1(b - a) * (1.0 - 1e-14) : 0.0;
  };
  return {Delta{std::max(excess(log_p, log_q), excess(log_q, log_p))}};
}

PathEvent evaluate_path(const PairProcess& fresh, std::vector<int> actions, StopPoll poll) {
  PathEvent event;
  const auto process = fresh.clone();
  process->restart();
  for (std::size_t t = 0; t < actions.size(); ++t) {
    if (poll()) actions.resize(t);
    if (t == actions.size()) break;
    const auto step = process->log_probability(actions[t], ArgmaxPrecision::kExact);
    event.log_p += step.p;
    event.log_q += step.q;
    process->advance(actions[t]);
  }
  event.log_error =
      detail::path_relative_error(static_cast<std::int64_t>(actions.size())) +
      0x1p-52 * static_cast<double>(actions.size()) * std::fabs(std::min(event.log_p, event.log_q));
  // The error widens the event before it becomes a mu.
  const double high = std::max(event.log_p, event.log_q) - event.log_error;
  const double low = std::min(event.log_p, event.log_q) + event.log_error;
  if (high > low) event.mu = mu_from_event_lower(high, low);
  event.actions = std::move(actions);
  return event;
}

// All four beams.
PathSearchResult search_paths(const PairProcess& fresh, const PathSearchPlan& plan,
                              const RunControl& control) {
  struct Beam {
    BeamScore score;
    double direction;
  };
  constexpr Beam kBeams[] = {{BeamScore::kLoss, 1.0},
                             {BeamScore::kLoss, -1.0},
                             {BeamScore::kMu, 1.0},
                             {BeamScore::kMu, -1.0}};
  const auto at_once = static_cast<std::size_t>(control.workers());
  const auto results = map_chunks(control, std::size(kBeams), [&](std::size_t i) {
    const std::size_t turns = (std::size(kBeams) - i + at_once - 1) / at_once;  // that remain
    return search_paths_in_beam(fresh, plan, kBeams[i].score, kBeams[i].direction,
                                control.within(1.0 / static_cast<double>(turns)));
  });
  PathSearchResult best = results.front();
  for (const auto& result : results) {
    best.rounds = std::min(best.rounds, result.rounds);
    if (result.largest_mu.mu.value > best.largest_mu.mu.value) best.largest_mu = result.largest_mu;
    if (std::fabs(result.largest_loss.loss()) > std::fabs(best.largest_loss.loss())) {
      best.largest_loss = result.largest_loss;
    }
  }
  return best;
}

PathSearchResult search_paths(const PairProcess& fresh, int width, int threads) {
  RunControl control;
  control.threads = threads;
  return search_paths(fresh, PathSearchPlan{width}, control);
}

}  // namespace assay
