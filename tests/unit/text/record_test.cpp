// A record is written, read and described from its one list of fields.
#include "assay/auditors/text/record.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "assay/auditors/session/internal/toml_record.hpp"
#include "assay/auditors/text/internal/record_reader.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using RecordTree = nlohmann::json;

enum class Fruit { kApple, kPear };
constexpr std::array<std::pair<Fruit, std::string_view>, 2> enum_names(Fruit) {
  return {{{Fruit::kApple, "apple"}, {Fruit::kPear, "pear"}}};
}

struct Oak {
  double height = 0.0;
};
void fields(const Oak& tree, Fields visit) {
  visit.about("tree", "A tree.");
  visit("height", tree.height, "In metres.");
}
struct Bush {
  std::int64_t stems = 2;
};
void fields(const Bush& bush, Fields visit) {
  visit.constant("kind", "bush");
  visit("stems", bush.stems);
}

struct Garden {
  std::string owner = {};
  std::vector<Oak> trees = {};
  std::optional<Oak> oldest = {};
  Fruit fruit = Fruit::kApple;
  int row = 0;
  std::int64_t gates = 1;
  bool open = false;
  std::string note = {};
  std::uint64_t seed = 0;
};
void fields(const Garden& garden, Fields visit) {
  visit.about("assay.garden-report/3", "A garden.");
  visit("owner", garden.owner, kNotEmpty);
  visit("trees", garden.trees);
  visit("oldest", garden.oldest);
  visit.group("yield", "What it gives.", [&] {
    visit("fruit", garden.fruit);
    visit("row", garden.row, index_below(9.0), "From 0.");
  });
  visit("gates", garden.gates, within(1.0, 4.0));
  visit("open", garden.open);
  visit.or_null("note", garden.note);
  visit.if_any(
      "closed", [&] { return !garden.open; }, "Computed.");
  visit.seed(garden.seed);
}

Garden sample_garden() {
  return {"Ada", {{2.5}, {HUGE_VAL}}, Oak{-1.0}, Fruit::kPear, 2, 3, true, "", ~0ull};
}

Error garden_error(const std::string& pointer, const RecordTree& value) {
  RecordTree tree = RecordTree::parse(json_text(json_of(sample_garden())));
  tree[RecordTree::json_pointer(pointer)] = value;
  Garden out;
  const Status status = detail::read_record(tree, out);
  EXPECT_FALSE(status) << pointer;
  return status ? Error{} : status.error();
}

TEST(Record, IsReadBackAsItWasWritten) {
  const std::string text = json_text(json_of(sample_garden()));
  const RecordTree tree = RecordTree::parse(text);
  EXPECT_EQ(tree["trees"][1]["height"], "inf");
  EXPECT_EQ(tree["yield"]["row"], 2);
  EXPECT_TRUE(tree["note"].is_null());
  EXPECT_FALSE(tree.contains("closed"));
  Garden read;
  const Status status = detail::read_record(tree, read);
  ASSERT_TRUE(status) << status.error().to_string();
  EXPECT_EQ(json_text(json_of(read)), text);
  EXPECT_EQ(read.trees.at(1).height, HUGE_VAL);
  EXPECT_EQ(read.row, 2);
}

TEST(Record, NamesTheFieldThatDoesNotFit) {
  const auto text = [](const std::string& pointer, const RecordTree& value) {
    return garden_error(pointer, value).to_string();
  };
  EXPECT_THAT(text("/owner", ""), HasSubstr("/owner: must not be empty"));
  EXPECT_THAT(text("/owner", 1), HasSubstr("/owner: must be a text, not 1"));
  EXPECT_THAT(text("/trees/0/height", "tall"), HasSubstr("/trees/0/height: must be a number"));
  EXPECT_THAT(text("/trees/0", 1), HasSubstr("/trees/0: must be an object, not 1"));
  EXPECT_THAT(text("/oldest/hight", 1),
              HasSubstr("/oldest/hight: is unknown here; did you mean 'height'"));
  EXPECT_THAT(text("/yield/fruit", "plum"), HasSubstr("/yield/fruit: must be apple or pear"));
  EXPECT_THAT(text("/yield", nullptr), HasSubstr("/yield: must be an object, not null"));
  EXPECT_THAT(text("/yield/row", 9), HasSubstr("/yield/row: must be a whole number 0 to 8, not 9"));
  EXPECT_THAT(text("/gates", 2.5), HasSubstr("/gates: must be a whole number 1 to 4, not 2.5"));
  EXPECT_THAT(text("/open", 0), HasSubstr("/open: must be true or false, not 0"));
  EXPECT_THAT(text("/seed", "18446744073709551616"),
              HasSubstr("/seed: must be a text of the digits"));
  RecordTree tree = RecordTree::parse(json_text(json_of(sample_garden())));
  tree["yield"].erase("row");
  Garden out;
  EXPECT_EQ(detail::read_record(tree, out).error().path, "/yield/row");
}

TEST(Record, IsReadFromToml) {
  const auto read = [](const std::string& text) {
    return detail::read_record<Garden>(*detail::parse_toml(text, "g.toml"), "g.toml");
  };
  const std::string good =
      "owner = 'Ada'\nopen = true\ngates = 2\nseed = '7'\noldest = {height = inf}\n"
      "trees = [\n{height = 1},\n{height = 2.5}\n]\n[yield]\nfruit = 'pear'\nrow = 1\n";
  EXPECT_THAT(read(good).error().to_string(), HasSubstr("g.toml:1: note is missing"));
  const auto garden = must(read("note = 'n'\n" + good));
  EXPECT_EQ(garden.trees.at(1).height, 2.5);
  EXPECT_EQ(garden.oldest->height, HUGE_VAL);
  EXPECT_EQ(garden.fruit, Fruit::kPear);
  std::string bad = "note = 'n'\n" + good;
  bad.replace(bad.find("2.5"), 3, "'x'");
  EXPECT_THAT(read(bad).error().to_string(), HasSubstr("g.toml:9: height must be a number"));
}

TEST(Record, IsWrittenAsOneLineOfToml) {
  EXPECT_EQ(toml_text(json_of(Oak{-HUGE_VAL})), "{height = -inf}");
  EXPECT_EQ(toml_text(Json{{"a", "q\"\x01"}, {"b", std::vector<double>{1.0, 0.5}}}),
            "{a = \"q\\\"\\u0001\", b = [1, 0.5]}");
}

TEST(Record, DescribesItselfToASchema) {
  const RecordTree schema = RecordTree::parse(schema_of<Garden>());
  EXPECT_EQ(schema["title"], "Assay garden report, version 3");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"],
            RecordTree({"owner", "trees", "oldest", "yield", "gates", "open", "note", "seed"}));
  const RecordTree& properties = schema["properties"];
  EXPECT_EQ(properties["trees"]["items"]["$ref"], "#/$defs/tree");
  EXPECT_EQ(schema["$defs"]["tree"]["properties"]["height"]["$ref"], "#/$defs/number");
  EXPECT_EQ(properties["yield"]["properties"]["fruit"]["enum"], RecordTree({"apple", "pear"}));
  EXPECT_EQ(properties["yield"]["properties"]["row"]["maximum"], 8);
  EXPECT_EQ(properties["closed"]["type"], "boolean");
  const RecordTree either = RecordTree::parse(schema_of<std::variant<Bush, Garden>>());
  EXPECT_EQ(either["oneOf"].at(0)["properties"]["kind"]["const"], "bush");
}

}  // namespace
}  // namespace assay
