// `assay replay`, and the witnesses whose commands it repeats.
#include <nlohmann/json.hpp>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/auditors/suite/replay.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

CommandResult replay(const Words& words) { return run_assay(with("replay", words)); }

// As a person would, who pastes it into a shell.
nlohmann::json run_pasted(const std::string& command) {
  EXPECT_THAT(command, StartsWith("assay "));
  const auto run =
      run_command({"/bin/sh", "-c", std::string(ASSAY_CLI) + command.substr(5) + " --format json"});
  EXPECT_EQ(run.status, 0) << run.err;
  return nlohmann::json::parse(run.out, nullptr, false);
}

// A report on this pair, as far as a witness reads it.
AuditReport report_on(const AuditJob& job, InputPair pair) {
  AuditReport report;
  report.case_id = job.case_id;
  report.parameters = job.parameters;
  report.pair.inputs = std::move(pair);
  return report;
}

void expect_repeated(const AuditWitness& witness) {
  ASSERT_TRUE(witness.entry) << witness.text;
  const auto again = run_pasted(witness.entry->command);
  EXPECT_EQ(again.value("round", 0), witness.entry->round);
  EXPECT_EQ(again.value("base_input", ""), witness.entry->base_input);
  EXPECT_EQ(again.value("neighbour_input", ""), witness.entry->neighbour_input);
  EXPECT_EQ(again.value("seed", ""), std::to_string(witness.entry->seed));
  EXPECT_THAT(witness.text, HasSubstr(witness.entry->base_action + " on D, " +
                                      witness.entry->neighbour_action + " on D'"));
}

TEST(Replay, SaysWhereTheRunsPartAndThatItCertifiesNothing) {
  const Words words = {"--exec",    example("epsilon_greedy.py --leak"),
                       "--horizon", "6",
                       "--old",     "0;0;0;0;0;0",
                       "--new",     "1;0;0;0;0;0",
                       "--seed",    "1"};
  const auto run = replay(words);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("With the same randomness (seed 1), the runs diverge at round "));
  EXPECT_THAT(run.out, HasSubstr("certifies nothing"));
  EXPECT_THAT(run.out, HasSubstr("\nInput D'    1;0;0;0;0;0\n"));
}

TEST(Replay, OfRunsThatAreAlikeSaysSo) {
  const auto run = replay(
      "thompson-sampling -p horizon=3 --old 0;0;0 --new 0;0;1");  // the last reward teaches nobody
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("With the same randomness (seed 1), the two runs are alike."));
}

TEST(Replay, RefusesWhatDoesNotFit) {
  const std::pair<Words, const char*> refused[] = {
      {"--old 0 --new 1", "replay needs one of a case, --exec and --plugin"},
      {"laplace --exec x --old 0 --new 1", "one of a case, --exec and --plugin"},
      {"laplace --old 0",
       "replay needs both --old and --new\n  for example: assay replay laplace --old 0 --new 1\n"},
      {"laplace --old 0 --new x", "--new: row 1 must be a number, not 'x'"},
      {{"laplace", "--old", "0", "--new", ""}, "an empty value"},
      {"laplace --old 0;1 --new 0;1,2", "--new: row 2 has 2 numbers, those before it 1"},
      {"laplace --old 0 --new 0", "the two inputs are equal"},
      {"laplace --old 0 --new 3", "may move by at most 1"},
      {"thompson-sampling --old 0;0 --new 1;1", "neighbours differ in one"},
      {"thompson-sampling --old 0;0 --new 1;0", "but the horizon is"},
      {"laplac --old 0 --new 1", "did you mean 'laplace'?"},
      {{"--exec", example("sparse.py"), "--horizon", "0", "--old", "0", "--new", "1"},
       "--horizon must be 1 to"},
      {{"--exec", example("sparse.py"), "--horizon", "1", "--old", "0", "--new", "2"},
       "is of --kind contextual, not bandit"}};
  for (const auto& [words, message] : refused) {
    const auto run = replay(words);
    EXPECT_NE(run.status, 0);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

TEST(Replay, OfATargetThatIgnoresItsSeedsIsAnErrorOfTheTarget) {
  const TemporaryFolder folder;
  const std::string script = folder.write("unseeded.py", R"(
import json, sys
plays = 0
for line in sys.stdin:
    message = json.loads(line)
    answer = {"type": "ready", "name": "unseeded"}
    if message["type"] == "play":
        plays += 1
        answer = {"type": "plays", "id": message["id"], "outputs": [[plays % 2]]}
    print(json.dumps(answer), flush=True)
)");
  const auto run = replay({"--exec", python(script), "--horizon", "1", "--old", "0", "--new", "1"});
  EXPECT_EQ(run.status, 4);
  EXPECT_THAT(run.err, HasSubstr("does not always answer seed 1 in the same way"));
}

TEST(WitnessOfAnAudit, OfACaseIsRepeatedByItsCommand) {
  AuditJob job;
  job.case_id = "thompson-sampling";
  job.parameters = {{"arms", "3"}, {"horizon", "30"}};
  std::vector<double> rewards(30, 0.5);
  const auto pair = InputPair::of(InputTable::column(rewards), {4, {1.0}});
  const auto witness = audit_witness(job, report_on(job, pair), {}, {});
  expect_repeated(witness);
  EXPECT_LT(witness.entry->round, 30);
  EXPECT_EQ(witness.entry->round,
            std::count(witness.entry->base_input.begin(), witness.entry->base_input.end(), '\n'));
}

TEST(WitnessOfAnAudit, OfAProgramIsCutToAHorizonThatItRuns) {
  AuditJob job;
  job.exec = example("sparse.py --leak --epsilon {e}");
  job.vary = {"e=1,2"};
  job.shape = {.kind = InputKind::kContextual, .arms = 2, .horizon = 12, .dimension = 1};
  auto report = report_on(job, structural_pairs(job.shape, 1).front());
  report.parameters = {{"kind", "contextual"}, {"e", "2"}};
  const auto witness = audit_witness(job, report, {.runs = 400}, {});
  expect_repeated(witness);
  EXPECT_THAT(witness.entry->command, HasSubstr("--epsilon 2'"));
  EXPECT_THAT(witness.entry->command, HasSubstr("--horizon 2 --dimension 1"));
}

TEST(WitnessOfAnAudit, OfAMechanismKeepsTheRelation) {
  AuditJob job;
  job.exec = example("naive_gaussian.py");
  job.shape = {.kind = InputKind::kMechanism, .inputs = 2, .outputs = 2};
  const auto rows_of = [&](InputPair pair) {
    const auto witness = audit_witness(job, report_on(job, std::move(pair)), {.seeds = 8}, {});
    expect_repeated(witness);
    return witness.entry->base_input + witness.entry->neighbour_input;
  };
  EXPECT_EQ(rows_of({{5, 7}, {6, 7}}), "0,0\n1,0\n");   // one answer moves by 1
  EXPECT_EQ(rows_of({{5, 7}, {4, 8}}), "0,0\n-1,0\n");  // all do: then one as well
  EXPECT_EQ(rows_of({{5, 7}, {2, 7}}), "5,7\n2,7\n");   // two inputs, and no others
}

TEST(WitnessOfAnAudit, SaysWhyThereIsNone) {
  AuditJob job;
  job.case_id = "laplace";
  auto report = report_on(job, InputPair({0.0}, {1.0}));
  report.canaries.emplace();
  EXPECT_THAT(audit_witness(job, report, {}, {}).text, HasSubstr("no single pair of inputs"));
  EXPECT_THAT(audit_witness(job, report_on(job, {}), {}, {}).text, HasSubstr("no single pair"));
  job.case_id = "";
  job.transcripts = {"old.ndjson", "new.ndjson"};
  EXPECT_THAT(audit_witness(job, report, {}, {}).text,
              HasSubstr("recorded runs cannot be repeated"));
  job.transcripts.clear();
  job.exec = "/bin/false";
  RunControl over;
  over.give_seconds(0.0);
  EXPECT_THAT(audit_witness(job, report_on(job, InputPair({0.0}, {1.0})), {}, over).text,
              HasSubstr("stopped before the search for them"));
  const auto witness = audit_witness(job, report_on(job, InputPair({0.0}, {1.0})), {}, {});
  EXPECT_FALSE(witness.entry);
  EXPECT_THAT(witness.text, HasSubstr("ended with status 1 before it answered"));
}

// A case that is only known by its law would have none.
TEST(WitnessOfAnAudit, EveryCaseCanBePlayed) {
  for (const auto& one : audit_cases()) {
    SCOPED_TRACE(one->id());
    AuditJob job;
    job.case_id = std::string(one->id());
    if (one->describe().input_kind != InputKind::kMechanism) {
      for (const auto& field : one->describe().parameters) {
        if (field.name == "horizon") job.parameters = {{"horizon", "8"}};
      }
    }
    const auto subject = must(one->subject(job.parameters));
    auto pair = subject.hard_pairs.empty() ? structural_pairs(subject.shape, 1).front()
                                           : subject.hard_pairs.front();
    auto report = report_on(job, std::move(pair));
    report.parameters = subject.parameters;
    const auto witness = audit_witness(job, report, {.seeds = 4, .runs = 30}, {});
    if (!witness.entry) {
      EXPECT_THAT(witness.text, HasSubstr("the two runs are alike for each of 4 seeds"));
    }
  }
}

}  // namespace
}  // namespace assay
