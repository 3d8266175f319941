// Schemas are generated from the lists of fields that write the reports: schemas/ has what the command prints.
#include <filesystem>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// Of messages between Assay and a target, which no record of this repository writes.
constexpr const char* kWrittenByHand = "protocol";

std::vector<std::string> listed_schemas() {
  std::istringstream lines(run_assay({"schema"}).out);
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

TEST(Schemas, AreInTheRepositoryAsTheCommandPrintsThem) {
  const std::filesystem::path folder = ASSAY_SOURCE_DIR "/schemas";
  auto names = listed_schemas();
  ASSERT_GE(names.size(), 10U);
  for (const auto& name : names) {
    const auto file = (folder / (name + ".schema.json")).string();
    EXPECT_TRUE(run_assay({"schema", name}).out == read_file(file))
        << "write it anew: assay schema " << name << " > schemas/" << name << ".schema.json";
  }
  names.emplace_back(kWrittenByHand);
  std::vector<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    found.push_back(name.substr(0, name.find('.')));
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(names));
}

TEST(Schemas, OneOfAnotherNameIsRefused) {
  const auto result = run_assay({"schema", "audit-reprot"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean 'audit-report'"));
}

}  // namespace
}  // namespace assay
