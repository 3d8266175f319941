// The file format of certificates: the schema, and every way in which a file can be wrong.
#include "assay/auditors/claims/certificates/certificate_json.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "assay/auditors/registry/certificates.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

using Tree = nlohmann::ordered_json;
using Pointer = Tree::json_pointer;
using testing::round_certificate;
Error reading_error(const std::string& text) {
  const auto read = read_certificate(text);
  EXPECT_FALSE(read) << text;
  return read ? Error{} : read.error();
}

TEST(CertificateJson, ValidatesAgainstTheCommittedSchema) {
  for (const auto& certificate : testing::sample_certificates()) {
    expect_valid("certificate.schema.json", to_json(certificate));
  }
}

TEST(CertificateJson, TheSchemaRefusesWhatTheReaderRefuses) {
  auto json = Tree::parse(to_json(round_certificate()));
  json["numbers"]["delta"] = "0";
  EXPECT_EQ(validated("certificate.schema.json", json.dump()).status, 1);
  json = Tree::parse(to_json(round_certificate()));
  json["claim"] = "ts-eq27";
  EXPECT_EQ(validated("certificate.schema.json", json.dump()).status, 1);
}

TEST(CertificateJson, ReadsBackWhatItWrote) {
  for (const auto& certificate : testing::sample_certificates()) {
    const auto read = must(read_certificate(to_json(certificate)));
    EXPECT_EQ(read, certificate);
  }
}

TEST(CertificateJson, ReadsVersion1) {
  for (const auto& certificate : testing::sample_certificates()) {
    auto json = Tree::parse(to_json(certificate));
    json.erase("schema");
    json["assay_certificate"] = 1;
    Tree& inputs = json["counterexample"];
    for (const auto& [now, before] :
         {std::pair("neighbour_reward", "new_reward"), std::pair("neighbour_value", "new_value")}) {
      if (!inputs.contains(now)) continue;
      inputs[before] = inputs[now];
      inputs.erase(now);
    }
    for (const char* pointer :
         {"/counterexample/arm", "/counterexample/action", "/counterexample/changed",
          "/counterexample/history/0/arm", "/counterexample/history/1/arm",
          "/counterexample/history/2/arm", "/numbers/event/0", "/numbers/event/1"}) {
      if (!json.contains(Pointer(pointer))) continue;
      Tree& index = json[Pointer(pointer)];  // version 1 counted from 1
      index = index.get<int>() + 1;
    }
    const auto read = must(read_certificate(json.dump()));
    EXPECT_EQ(read, certificate);
  }
}

TEST(CertificateJson, CountsArmsAndEntriesFromZero) {
  const auto json = Tree::parse(to_json(round_certificate()));
  EXPECT_EQ(json["counterexample"]["history"][0]["arm"], 0);
  EXPECT_EQ(json["counterexample"]["changed"], 0);
  EXPECT_EQ(json["numbers"]["event"], Tree::array({0}));
  EXPECT_EQ(to_json(round_certificate()).back(), '\n');
}

struct Change {
  std::string name;
  std::string pointer;  // of what is replaced, and what the error names
  Tree value;
  std::string message;
};

class ChangedField : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedField, IsRefusedByItsPointer) {
  auto json = Tree::parse(to_json(round_certificate()));
  json[Pointer(GetParam().pointer)] = GetParam().value;
  const Error error = reading_error(json.dump());
  EXPECT_EQ(error.path, GetParam().pointer);
  EXPECT_THAT(error.message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    CertificateJson, ChangedField,
    ::testing::ValuesIn(std::vector<Change>{
        {"Version", "/schema", "assay.certificate/3", "must be \"assay.certificate/2\""},
        {"OlderVersion", "/assay_certificate", 2, "must be 1, or \"schema\": "},
        {"Claim", "/claim", "ts-stepdp", "did you mean 'ts-step-dp'"},
        {"ClaimType", "/claim", 3, "must be a text, not 3"},
        {"Unknown", "/stetement", "x", "is unknown here"},
        {"Nearly", "/numbers/epsilom", 1, "did you mean 'epsilon'"},
        {"Escaped", "/numbers/a~1b", 1, "known: event, epsilon"},
        {"Counterexample", "/counterexample", Tree::array(), "must be an object, not a list"},
        {"Kind", "/counterexample/kind", "rounds", "must be round, noisy-max, law, epoch"},
        {"KindType", "/counterexample/kind", 1, "must be round, noisy-max, law, epoch"},
        {"Arms", "/counterexample/arms", 17, "must be a whole number 2 to 16, not 17"},
        {"HugeArms", "/counterexample/arms", 1e300, "2 to 16, not 1e+300"},
        {"FractionalArms", "/counterexample/arms", 2.5, "2 to 16, not 2.5"},
        {"Arm", "/counterexample/history/0/arm", -1, "0 to 15, not -1"},
        {"ThirdArm", "/counterexample/history/0/arm", 2, "0 to 1, not 2"},
        {"Reward", "/counterexample/history/1/reward", -0.5, "from 0 to 1, not -0.5"},
        {"RewardType", "/counterexample/history/1/reward", "1", "a number, not a text"},
        {"Times", "/counterexample/history/1/times", 2e9, "1 to 1000000000, not 2e+09"},
        {"Changed", "/counterexample/changed", 3, "0 to 2"},
        {"NewReward", "/counterexample/neighbour_reward", nullptr, "a number, not null"},
        {"Event", "/numbers/event", 1, "must be a list, not 1"},
        {"EventArm", "/numbers/event/0", true, "0 to 15, not true"},
        {"Delta", "/numbers/delta", 1, "between 0 and 1, both excluded, not 1"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(CertificateJson, EveryMissingFieldIsNamed) {
  for (const auto& certificate : testing::sample_certificates()) {
    const auto whole = Tree::parse(to_json(certificate));
    const auto flat = whole.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      const Pointer field(pointer);
      if (whole[field.parent_pointer()].is_array()) continue;
      auto json = whole;
      json[field.parent_pointer()].erase(field.back());
      const Error error = reading_error(json.dump());
      EXPECT_EQ(error.path, pointer);
      EXPECT_EQ(error.message, "is missing");
    }
  }
}

TEST(CertificateJson, ARepeatedFieldIsRefusedAtAnyDepth) {
  auto text = to_json(round_certificate());
  text.replace(text.find("\"times\": 952"), 12, "\"times\": 952, \"arm\": 1");
  const Error error = reading_error(text);
  EXPECT_EQ(error.path, "/counterexample/history/1/arm");
  EXPECT_EQ(error.message, "appears twice");
}

TEST(CertificateJson, DamagedJsonNamesTheLine) {
  const Error cut = reading_error("{\n\"schema\": 1,\n\"claim\": \n");
  EXPECT_THAT(cut.message, HasSubstr("is not JSON: "));
  EXPECT_THAT(cut.message, HasSubstr("unexpected end of input"));
  EXPECT_EQ(cut.line, 4);
  EXPECT_EQ(reading_error("{\n\"a\": 1,\n\"b\": nan}").line, 3);
  EXPECT_EQ(reading_error("").line, 1);
  EXPECT_EQ(reading_error("{}\n{}").line, 2);
  EXPECT_EQ(reading_error("{\"a\":\n 1e999}").line, 2);
  EXPECT_EQ(reading_error("\"\xff\"").line, 1);
}

TEST(CertificateJson, WhatIsTooLargeIsRefused) {
  const auto spaces = to_json(round_certificate()) + std::string(1 << 20, ' ');
  EXPECT_THAT(reading_error(spaces).message, HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(reading_error(std::string(1000, '[')).message, HasSubstr("nested more than 8 deep"));
  auto certificate = round_certificate();
  auto& round = certificate.counterexample.as<RoundCounterexample>();
  round.history.resize(10'001, {1, 0.0, 1});
  EXPECT_EQ(reading_error(to_json(certificate)).path, "/counterexample/history");
}

// Each case replaces, removes or inserts a few bytes; whatever is still read is checked as well.
TEST(CertificateJson, NoDamageCrashesReaderOrCheck) {
  std::minstd_rand random(20'240'601);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const auto all = testing::sample_certificates();
  const std::string likely = "0123456789-+.eE\"{}[]:, \n\\u\x01\xff";
  for (int i = 0; i < 2000; ++i) {
    std::string text = to_json(all[below(all.size())]);
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      const char byte =
          below(2) == 0 ? likely[below(likely.size())] : static_cast<char>(below(256));
      const std::size_t removed = below(3);
      text.replace(at, removed, std::string(below(3), byte));
    }
    const auto read = read_certificate(text);
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
      continue;
    }
    const auto check = check_certificate(*read);
    if (!check) {
      EXPECT_FALSE(check.error().path.empty()) << text;
    }
  }
}

}  // namespace
}  // namespace assay
