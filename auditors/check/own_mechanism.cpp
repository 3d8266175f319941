#include "assay/auditors/check/own_mechanism.hpp"

#include "assay/auditors/methods/black_box/input_pairs.hpp"

namespace assay::detail {

Result<Neighbours> neighbours_by(Relation relation, double sensitivity) {
  switch (relation) {
    case Relation::kOneAnswer:
    case Relation::kReplaceOneRecord:
      return Neighbours{NeighbourKind::kOne};
    case Relation::kAllAnswers:
      return Neighbours{NeighbourKind::kAll};
    case Relation::kAnswersTogether:
      return Neighbours{NeighbourKind::kL2, sensitivity};
    case Relation::kAddOrRemoveOneRecord:
      return Neighbours{NeighbourKind::kAddRemove};
    default:
      return fail(
          ErrorCode::kInvalidArgument,
          "the guarantee() of a mechanism must be for the relation one-answer, all-answers, "
          "answers-together, add-or-remove-one-record or replace-one-record, not " +
              value_text(relation));
  }
}

CaseDescription describe_own_mechanism(const CustomCaseWords& words, const Guarantee& guarantee,
                                       bool is_finite, bool has_density,
                                       std::vector<FieldDescription> fields, bool needs_inputs) {
  CaseDescription d;
  d.id = words.id;
  d.title = words.title;
  d.about = words.about;
  d.relation = guarantee.relation;
  d.view = View::kOutput;
  d.input = "two lines, the neighbouring inputs";
  d.input_kind = InputKind::kMechanism;
  d.methods = {is_finite ? "exact" : has_density ? "likelihood" : "events"};
  d.parameters = std::move(fields);
  for (auto& field : describe_fields<InputShape>()) {
    if (needs_inputs && field.name == "inputs") d.parameters.push_back(std::move(field));
  }
  return d;
}

Result<AuditedSubject> finished_mechanism(AuditedSubject subject, const CustomCaseWords& words,
                                          std::function<Status(std::span<const double>)> accepts) {
  ASSAY_TRY(validate(subject.shape));
  subject.program = words.program;
  subject.stated.view = View::kOutput;
  const auto are_neighbours = neighbours_of_shape(subject.shape);
  subject.check = [accepts = std::move(accepts), are_neighbours](const InputPair& pair) -> Status {
    ASSAY_TRY(accepts(pair.base_row()));
    ASSAY_TRY(accepts(pair.neighbour_row()));
    if (are_neighbours(pair)) return {};
    return fail(ErrorCode::kInvalidArgument, "the two inputs are not neighbours", "/input");
  };
  constexpr std::size_t kMostHard = 24;
  subject.hard_pairs = structural_pairs(subject.shape, kMostHard);
  std::erase_if(subject.hard_pairs, [&](const auto& pair) { return !subject.check(pair); });
  return subject;
}

}  // namespace assay::detail
