#include "assay/auditors/suite/history.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>

#include "assay/auditors/session/outputs.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kHistoryFormat = 0x41737379;  // "Assy", of SQLite's header
// Version 3 has the tables of version 2. The keys of its witnesses have other names; those of version 2 are read too.
constexpr std::int64_t kHistoryVersion = 3;

constexpr const char* kNoHistory = "is not a history of a suite; it was left as it is";

bool begins_as_database(const fs::path& file) {
  constexpr std::string_view kHeader("SQLite format 3\0", 16);
  std::ifstream in(file, std::ios::binary);
  std::array<char, kHeader.size()> begin{};
  in.read(begin.data(), begin.size());
  const auto read = static_cast<std::size_t>(in.gcount());
  return read == 0 || std::string_view(begin.data(), read) == kHeader;
}

// SQLite takes a file of one byte for an empty one. A file without the header may still be a database while it
// has the journal of a process that makes it, or that was killed. The journal may vanish between two looks.
bool may_be_database(const fs::path& file) {
  std::error_code error;
  return begins_as_database(file) || fs::exists(file.string() + "-journal", error) ||
         begins_as_database(file);
}

// The text is that which SQLite keeps. A file with any other table, view or trigger is not a history.
constexpr std::array<std::size_t, kHistoryVersion + 1> kTablesOf = {0, 4, 9, 9};
constexpr std::array<std::string_view, kTablesOf.back()> kTables = {
    "CREATE TABLE runs(number INTEGER PRIMARY KEY, suite TEXT NOT NULL, started TEXT NOT NULL, "
    "revision TEXT NOT NULL, alpha REAL)",
    "CREATE TABLE entries(run INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, "
    "content TEXT NOT NULL, status TEXT NOT NULL, reused_from INTEGER, result TEXT, "
    "PRIMARY KEY(run, position))",
    "CREATE INDEX entries_by_content ON entries(content)",
    "CREATE TABLE figures(run INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, "
    "kind TEXT NOT NULL, lower REAL NOT NULL, upper REAL NOT NULL, "
    "PRIMARY KEY(run, position, name))",
    "CREATE TABLE violations(number INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, "
    "id TEXT NOT NULL, day TEXT NOT NULL, target TEXT NOT NULL, audited TEXT NOT NULL, "
    "claim TEXT NOT NULL, result TEXT NOT NULL)",
    "CREATE INDEX violations_by_id ON violations(id)",
    "CREATE INDEX violations_by_target ON violations(target)",
    "CREATE TABLE clears(entry TEXT NOT NULL, reason TEXT NOT NULL, date TEXT NOT NULL, "
    "last INTEGER NOT NULL, PRIMARY KEY(entry, reason, date))",
    "CREATE TABLE evidence(content TEXT PRIMARY KEY, first INTEGER NOT NULL, alpha REAL NOT NULL, "
    "runs INTEGER NOT NULL, bets TEXT NOT NULL, whole REAL NOT NULL, taken_by INTEGER)"};

// Recovers violations of a history of version 1, which had no table for them: each one on undeclared content, and
// on declared content that of the entry's last run. The audited content is not known any more.
constexpr std::string_view kViolationsOfVersion1 =
    "INSERT INTO violations(run, id, day, target, audited, claim, result) "
    "SELECT e.run, e.id, substr(r.started, 1, 10), '', '', '', e.result "
    "FROM entries e JOIN runs r ON r.number = e.run "
    "WHERE e.status = 'violated' AND e.result IS NOT NULL AND (e.content = '' OR e.content IN "
    "(SELECT l.content FROM entries l WHERE l.id = e.id AND l.status = 'violated' AND l.run = "
    "(SELECT max(m.run) FROM entries m WHERE m.id = e.id))) ORDER BY e.run, e.position";

// One SQL statement. After an error all further calls do nothing.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql) {
    code_ = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_,
                               nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::string_view text) {
    return bound(sqlite3_bind_text64(statement_, ++bound_,
                                     text.data() == nullptr ? "" : text.data(), text.size(),
                                     SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  Statement& bind(std::int64_t value) {
    return bound(sqlite3_bind_int64(statement_, ++bound_, value));
  }
  Statement& bind(double value) { return bound(sqlite3_bind_double(statement_, ++bound_, value)); }
  Statement& bind(std::nullopt_t) { return bound(sqlite3_bind_null(statement_, ++bound_)); }

  // The next row; false at the end and after an error.
  bool next() {
    if (code_ != SQLITE_OK && code_ != SQLITE_ROW) return false;
    code_ = sqlite3_step(statement_);
    return code_ == SQLITE_ROW;
  }
  // Runs a statement without rows; it may be bound again afterwards.
  bool run() {
    while (next()) {
    }
    const bool done = code_ == SQLITE_DONE;
    if (done) code_ = sqlite3_reset(statement_);
    bound_ = 0;
    return done;
  }
  bool failed() const { return code_ != SQLITE_OK && code_ != SQLITE_ROW && code_ != SQLITE_DONE; }

  std::int64_t whole(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const {
    const auto* bytes = sqlite3_column_blob(statement_, column);  // before its length
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }
  // All columns of all rows that follow, as texts that differ if the values do.
  std::vector<std::string> rest() {
    std::vector<std::string> words;
    while (next()) {
      for (int i = 0; i < sqlite3_column_count(statement_); ++i) {
        const int type = sqlite3_column_type(statement_, i);
        words.push_back(fmt::format(
            "{} {}", type, type == SQLITE_FLOAT ? fmt::format("{:a}", number(i)) : text(i)));
      }
    }
    return words;
  }

 private:
  Statement& bound(int code) {
    if (code_ == SQLITE_OK) code_ = code;
    return *this;
  }

  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;
  int bound_ = 0;
};

// A row of evidence in one text.
constexpr std::string_view kEvidenceRow =
    "content || ' ' || first || ' ' || alpha || ' ' || runs || ' ' || bets || ' ' || whole";

}  // namespace

struct History::Database {
  // A file as it is now. No one can set the time of its last change without changing the clock.
  struct FileState {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t changed = 0;  // nanoseconds of the clock
    friend bool operator==(const FileState&, const FileState&) = default;

    static std::optional<FileState> of(const fs::path& file) {
      struct stat state {};
      if (stat(file.c_str(), &state) != 0) return std::nullopt;
      return FileState{state.st_dev, state.st_ino, state.st_size,
                       state.st_ctim.tv_sec * 1'000'000'000 + state.st_ctim.tv_nsec};
    }
    // The clock of files has steps: a later change in the same step would not show.
    bool is_settled() const {
      constexpr std::int64_t kSteps = 50'000'000;
      timespec now{};
      clock_gettime(CLOCK_REALTIME, &now);
      return now.tv_sec * 1'000'000'000 + now.tv_nsec - changed > kSteps;
    }
  };

  // What a run found in the history when it began.
  struct Kept {
    std::int64_t run = 0;
    std::string ended;        // the numbers of ended runs: "1,2,4"
    std::int64_t clears = 0;  // the last of their rows
    std::vector<std::pair<std::int64_t, std::string>>
        violations;                     // run and id of those of other runs
    std::vector<std::string> evidence;  // the rows of their contents
    std::string digest, own;            // of what ended runs have left; of this run's
    std::optional<FileState> seen;
    FileState file;
  };

  std::string path;
  std::chrono::milliseconds patience;
  const std::atomic<bool>* cancel = nullptr;
  fs::path file = {};
  sqlite3* handle = nullptr;
  std::chrono::steady_clock::time_point waits_since = {};
  mutable std::optional<Kept> kept = {};

  ~Database() { sqlite3_close(handle); }

  bool cancelled() const { return cancel != nullptr && *cancel; }

  // Called by SQLite while another process holds the file; 0 gives up. An interrupted run still stores what it found
  // if it need not wait for long.
  static int wait(void* self, int times) {
    constexpr std::chrono::milliseconds kPause{20}, kIfCancelled{300};
    auto& database = *static_cast<Database*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (times == 0) database.waits_since = now;
    const auto most =
        database.cancelled() ? std::min(database.patience, kIfCancelled) : database.patience;
    if (now - database.waits_since >= most) return 0;
    std::this_thread::sleep_for(std::min(kPause, most));
    return 1;
  }

  bool run(std::string_view sql) const { return Statement(handle, sql).run(); }

  tl::unexpected<Error> error(const std::string& what) const {
    return fail(ErrorCode::kIo, what, path);
  }
  // The error of the last call that failed.
  tl::unexpected<Error> fault() const {
    switch (sqlite3_errcode(handle) & 0xff) {
      case SQLITE_BUSY:
        if (cancelled()) {
          return fail(ErrorCode::kInterrupted, "interrupted while another process held the history",
                      path);
        }
        return error("another process holds the history; try again when it has ended");
      case SQLITE_NOTADB:
        return error(kNoHistory);
      case SQLITE_CORRUPT:
        return error("is damaged; it was left as it is");
      default:
        return error(std::string("the history cannot be used: ") + sqlite3_errmsg(handle));
    }
  }

  Result<std::int64_t> whole(std::string_view sql) const {
    Statement statement(handle, sql);
    if (!statement.next()) return fault();
    return statement.whole(0);
  }

  // The version of its tables, or 0 if it is empty. Errors: any other contents.
  Result<std::int64_t> check_tables() const {
    const auto format = ASSAY_TRY(whole("PRAGMA application_id"));
    const auto version = ASSAY_TRY(whole("PRAGMA user_version"));
    std::vector<std::string> tables;
    Statement listed(handle, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid");
    while (listed.next()) tables.push_back(listed.text(0));
    if (listed.failed()) return fault();
    if (format == 0 && version == 0 && tables.empty()) return std::int64_t{0};
    if (format != kHistoryFormat) return error(kNoHistory);
    if (version > kHistoryVersion) {
      return error(fmt::format("is a history of version {}; this Assay reads version {}", version,
                               kHistoryVersion));
    }
    // SQLite makes this one itself, for AUTOINCREMENT.
    std::erase(tables, "CREATE TABLE sqlite_sequence(name,seq)");
    const auto known =
        kTables.begin() + static_cast<std::ptrdiff_t>(kTablesOf[version < 1 ? 0 : version]);
    if (version < 1 || !std::equal(tables.begin(), tables.end(), kTables.begin(), known)) {
      return error("is damaged: its tables are not those of a history; it was left as it is");
    }
    return version;
  }

  Status check_begun(std::int64_t run) const {
    Statement begun(handle, "SELECT 1 FROM runs WHERE number = ?");
    if (begun.bind(run).next()) return {};
    if (begun.failed()) return fault();
    return error(fmt::format("run {} was not begun in this history", run));
  }

  Status check_kept() const;
  Status keep_own() const;

  Result<std::int64_t> check_tables_now() const;
  Status make_tables() const;
  Result<std::vector<RecordedViolation>> read_violations(Statement& rows) const;
};

namespace {

// Makes all changes or none: changes that are not committed are undone.
class Transaction {
 public:
  explicit Transaction(sqlite3* database, std::string_view begin = "BEGIN IMMEDIATE")
      : database_(database), open_(Statement(database, begin).run()) {}
  ~Transaction() {
    if (open_) Statement(database_, "ROLLBACK").run();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  bool is_open() const { return open_; }
  bool commit() {
    if (!Statement(database_, "COMMIT").run()) return false;
    open_ = false;
    return true;
  }

 private:
  sqlite3* database_;
  bool open_;
};

// What ended runs have left.
Result<std::string> digest_of_kept(sqlite3* database, const std::string& ended,
                                   std::int64_t clears) {
  std::vector<std::string> words;
  for (const std::string& query :
       {fmt::format("SELECT * FROM runs WHERE number IN ({}) ORDER BY number", ended),
        fmt::format("SELECT * FROM entries WHERE run IN ({}) ORDER BY run, position", ended),
        fmt::format("SELECT * FROM figures WHERE run IN ({}) ORDER BY run, position, name", ended),
        fmt::format("SELECT * FROM violations WHERE run IN ({}) ORDER BY number", ended),
        fmt::format("SELECT * FROM clears WHERE rowid <= {} ORDER BY rowid", clears)}) {
    Statement rows(database, query);
    const auto more = rows.rest();
    if (rows.failed()) return fail(ErrorCode::kIo, sqlite3_errmsg(database));
    words.push_back(std::to_string(more.size()));
    words.insert(words.end(), more.begin(), more.end());
  }
  return digest_of_content(words, {}, "");
}

Result<std::string> digest_of_own(sqlite3* database, std::int64_t run) {
  std::vector<std::string> words;
  for (const char* table : {"runs WHERE number", "violations WHERE run", "entries WHERE run"}) {
    Statement rows(database, fmt::format("SELECT * FROM {} = {}", table, run));
    const auto more = rows.rest();
    if (rows.failed()) return fail(ErrorCode::kIo, sqlite3_errmsg(database));
    words.push_back(std::to_string(more.size()));
    words.insert(words.end(), more.begin(), more.end());
  }
  return digest_of_content(words, {}, "");
}

}  // namespace

void History::Close::operator()(Database* database) const { delete database; }

// Within the transaction of a change by this run.
Status History::Database::keep_own() const {
  if (kept) kept->own = ASSAY_TRY(digest_of_own(handle, kept->run));
  return {};
}

// Reads the file by a connection of its own, which remembers nothing.
Status History::Database::check_kept() const {
  if (!kept) return {};
  const auto changed = [&](const char* what) {
    return error(fmt::format(
        "{} during run {}, but not by a run of a suite: nothing of it is used or recorded. A program "
        "that was audited may have done this; compare the history with a copy",
        what, kept->run));
  };
  const auto now = FileState::of(file);
  if (!now || now->device != kept->file.device || now->inode != kept->file.inode) {
    return changed("was replaced");
  }
  if (now == kept->seen) return {};
  std::unique_ptr<Database, Close> fresh(new Database{path, patience, cancel, file});
  if (sqlite3_open_v2(file.c_str(), &fresh->handle, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) {
    return fresh->fault();
  }
  sqlite3_busy_handler(fresh->handle, Database::wait, fresh.get());
  bool same = ASSAY_TRY(digest_of_kept(fresh->handle, kept->ended, kept->clears)) == kept->digest &&
              ASSAY_TRY(digest_of_own(fresh->handle, kept->run)) == kept->own;
  for (const auto& [run, id] : kept->violations) {
    Statement there(fresh->handle, "SELECT 1 FROM violations WHERE run = ? AND id = ?");
    same = same && there.bind(run).bind(id).next();
  }
  if (!same) return changed("was changed");
  kept->seen = now->is_settled() ? now : std::nullopt;
  return {};
}

Result<std::int64_t> History::Database::check_tables_now() const {
  const Transaction look(handle, "BEGIN");  // another process makes all of them before or after
  if (!look.is_open()) return fault();
  return check_tables();
}

Status History::Database::make_tables() const {
  Transaction change(handle);
  if (!change.is_open()) return fault();
  const auto version = ASSAY_TRY(check_tables());
  if (version == kHistoryVersion) return {};  // another process was first
  for (std::size_t i = kTablesOf[version]; i < kTables.size(); ++i) {
    if (!run(kTables[i])) return fault();
  }
  if (version == 1 && !run(kViolationsOfVersion1)) return fault();
  const bool named = run(fmt::format("PRAGMA application_id = {}", kHistoryFormat)) &&
                     run(fmt::format("PRAGMA user_version = {}", kHistoryVersion));
  if (!named || !change.commit()) return fault();
  return {};
}

Result<History> History::open(const std::string& path, IfMissing missing,
                              std::chrono::milliseconds patience, const std::atomic<bool>* cancel) {
  // A name such as ":memory:" means something else to SQLite; an absolute name is that of a file.
  std::error_code error;
  const fs::path file = fs::absolute(path, error);
  const auto there = fs::status(file, error);
  std::unique_ptr<Database, Close> database(new Database{path, patience, cancel, file});
  if (path.empty() || there.type() == fs::file_type::not_found) {
    if (path.empty() || missing == IfMissing::kRefuse)
      return database->error("there is no history");
    if (file.has_parent_path()) ASSAY_TRY(make_folder(file.parent_path().string()));
  } else if (there.type() != fs::file_type::regular) {
    return database->error("is not a history of a suite: it is not a regular file");
  }
  if (!may_be_database(file)) return database->error(kNoHistory);
  const int flags = SQLITE_OPEN_READWRITE | (missing == IfMissing::kMake ? SQLITE_OPEN_CREATE : 0);
  if (sqlite3_open_v2(file.c_str(), &database->handle, flags, nullptr) != SQLITE_OK) {
    return database->fault();
  }
  sqlite3_busy_handler(database->handle, Database::wait, database.get());
  if (!database->run("PRAGMA trusted_schema = OFF")) return database->fault();
  const auto version = ASSAY_TRY(database->check_tables_now());
  if (version == 0 && missing == IfMissing::kRefuse) {
    return database->error("there is no history");
  }
  // A rollback journal in one file that is complete by itself, so that it can be copied between machines.
  if (!database->run("PRAGMA journal_mode = DELETE") ||
      !database->run("PRAGMA synchronous = EXTRA")) {
    return database->fault();
  }
  if (version != 0) {
    Statement check(database->handle, "PRAGMA quick_check(1)");
    if (!check.next()) return database->fault();
    if (check.text(0) != "ok") return database->error("is damaged; it was left as it is");
  }
  if (version != kHistoryVersion) ASSAY_TRY(database->make_tables());
  return History(std::move(database));
}

Result<std::int64_t> History::begin_run(const std::string& suite, const std::string& revision,
                                        const std::string& started) {
  Transaction change(database_->handle);
  if (!change.is_open()) return database_->fault();
  const auto number = ASSAY_TRY(database_->whole("SELECT coalesce(max(number), 0) + 1 FROM runs"));
  Statement insert(database_->handle,
                   "INSERT INTO runs(number, suite, started, revision) VALUES(?, ?, ?, ?)");
  const bool done = insert.bind(number).bind(suite).bind(started).bind(revision).run();
  if (!done || !change.commit()) return database_->fault();
  return number;
}

Status History::guard(std::int64_t run) {
  Database::Kept kept;
  kept.run = run;
  sqlite3* const handle = database_->handle;
  const Transaction look(handle, "BEGIN");
  if (!look.is_open()) return database_->fault();
  Statement ended(handle,
                  "SELECT coalesce(group_concat(number), '') FROM runs WHERE alpha IS NOT NULL");
  if (!ended.next()) return database_->fault();
  kept.ended = ended.text(0);
  kept.clears = ASSAY_TRY(database_->whole("SELECT coalesce(max(rowid), 0) FROM clears"));
  Statement violations(handle, "SELECT run, id FROM violations WHERE run <> ?");
  violations.bind(run);
  while (violations.next()) kept.violations.emplace_back(violations.whole(0), violations.text(1));
  Statement evidence(handle, fmt::format("SELECT {} FROM evidence", kEvidenceRow));
  while (evidence.next()) kept.evidence.push_back(evidence.text(0));
  if (violations.failed() || evidence.failed()) return database_->fault();
  kept.digest = ASSAY_TRY(digest_of_kept(handle, kept.ended, kept.clears));
  kept.own = ASSAY_TRY(digest_of_own(handle, run));
  const auto file = Database::FileState::of(database_->file);
  if (!file) return database_->error("there is no history");
  kept.file = *file;
  database_->kept = std::move(kept);
  return {};
}

Result<std::optional<EntryResult>> History::find(const std::string& content, double alpha,
                                                 std::int64_t after) const {
  std::optional<EntryResult> merged;
  if (content.empty()) return merged;
  ASSAY_TRY(database_->check_kept());
  const std::string of_ended =
      database_->kept ? fmt::format("AND e.run IN ({}) ", database_->kept->ended) : "";
  Statement rows(database_->handle,
                 "SELECT e.run, e.result, r.alpha FROM entries e JOIN runs r ON r.number = e.run "
                 "WHERE e.content = ? AND e.result IS NOT NULL " +
                     of_ended +
                     "AND e.status IN ('held', 'weak', 'inconclusive') AND e.run > ? "
                     "ORDER BY e.run, e.position");
  rows.bind(content).bind(after);
  while (rows.next()) {
    auto entry = read_entry(rows.text(1));
    if (!entry || entry->content != content) {
      return database_->error(fmt::format("is damaged: the result of run {} cannot be read{}",
                                          rows.whole(0),
                                          entry ? "" : ", " + entry.error().to_string()));
    }
    entry->reused_from = rows.whole(0);
    const bool certified =
        entry->alpha == 0.0 || rows.number(2) <= alpha_of_run(alpha, rows.whole(0));
    if (!certified) continue;
    merged = merged ? merge_evidence(*merged, *entry) : *std::move(entry);
  }
  if (rows.failed()) return database_->fault();
  return merged;
}

Status History::record(const RecordedViolation& violation) {
  Transaction change(database_->handle);
  if (!change.is_open()) return database_->fault();
  ASSAY_TRY(database_->check_kept());
  ASSAY_TRY(database_->check_begun(violation.run));
  Statement drop(database_->handle, "DELETE FROM violations WHERE run = ? AND id = ?");
  if (!drop.bind(violation.run).bind(violation.result.id).run()) return database_->fault();
  Statement add(database_->handle,
                "INSERT INTO violations(run, id, day, target, audited, claim, result) "
                "VALUES(?, ?, ?, ?, ?, ?, ?)");
  EntryResult result = violation.result;
  result.suppressed_by.reset();
  add.bind(violation.run).bind(result.id).bind(violation.day);
  add.bind(violation.identity.target).bind(violation.identity.audited);
  add.bind(violation.identity.claim).bind(json_text(entry_json(result)));
  if (!add.run()) return database_->fault();
  ASSAY_TRY(database_->keep_own());
  if (!change.commit()) return database_->fault();
  return {};
}

namespace {

// Writes numbers one after another, so that they read back exactly.
std::string text_of(const ClaimEProcess& bets) {
  std::string text = fmt::format("{}", fmt::join(bets.all.logs, " "));
  if (!bets.of_seedings) return text;
  for (const auto& one : *bets.of_seedings) text += fmt::format(" {}", fmt::join(one.logs, " "));
  return text;
}

// Nothing if the text is of another form.
std::optional<ClaimEProcess> bets_of(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto number = parse_number(word);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  constexpr auto kOne = static_cast<std::ptrdiff_t>(GamblersWealth::kGamblers);
  ClaimEProcess bets;
  if (std::ssize(numbers) != kOne && std::ssize(numbers) != 3 * kOne) return std::nullopt;
  std::copy_n(numbers.begin(), kOne, bets.all.logs.begin());
  if (std::ssize(numbers) == kOne) return bets;
  auto& halves = bets.of_seedings.emplace();
  std::copy_n(numbers.begin() + kOne, kOne, halves[0].logs.begin());
  std::copy_n(numbers.begin() + 2 * kOne, kOne, halves[1].logs.begin());
  return bets;
}

}  // namespace

Result<ContentEvidence> History::take(const std::string& content, std::int64_t run, double alpha,
                                      double whole, std::int64_t after) {
  Transaction change(database_->handle);
  if (!change.is_open()) return database_->fault();
  ASSAY_TRY(database_->check_kept());
  ASSAY_TRY(database_->check_begun(run));
  ContentEvidence evidence{run, alpha, 0, {}};
  double evidence_whole = whole;
  Statement known(database_->handle,
                  fmt::format("SELECT first, alpha, runs, bets, whole, {} FROM evidence "
                              "WHERE content = ? AND taken_by IS NULL AND first > ? AND whole <= ?",
                              kEvidenceRow));
  const auto is_kept = [&] {
    return !database_->kept || contains(database_->kept->evidence, known.text(5));
  };
  if (known.bind(content).bind(after).bind(whole).next() && is_kept()) {
    const auto bets = bets_of(known.text(3));
    if (!bets) {
      return database_->error(
          fmt::format("is damaged: the evidence of run {} cannot be read", known.whole(0)));
    }
    evidence = {known.whole(0), known.number(1), known.whole(2), *bets};
    evidence_whole = known.number(4);
  }
  if (known.failed()) return database_->fault();
  Statement keep(database_->handle, "INSERT OR REPLACE INTO evidence VALUES(?, ?, ?, ?, ?, ?, ?)");
  keep.bind(content).bind(evidence.first).bind(evidence.alpha).bind(evidence.runs);
  keep.bind(text_of(evidence.bets)).bind(evidence_whole).bind(run);
  if (!keep.run() || !change.commit()) return database_->fault();
  return evidence;
}

Status History::give_back(const std::string& content, std::int64_t run,
                          const ContentEvidence& evidence) {
  ASSAY_TRY(database_->check_kept());
  Statement keep(database_->handle,
                 "UPDATE evidence SET runs = ?, bets = ?, taken_by = NULL "
                 "WHERE content = ? AND first = ? AND taken_by = ?");
  keep.bind(evidence.runs).bind(text_of(evidence.bets));
  if (!keep.bind(content).bind(evidence.first).bind(run).run()) return database_->fault();
  if (!database_->kept) return {};
  Statement kept(database_->handle,
                 fmt::format("SELECT {} FROM evidence WHERE content = ?", kEvidenceRow));
  if (kept.bind(content).next()) database_->kept->evidence.push_back(kept.text(0));
  return {};
}

constexpr std::string_view kViolations =
    "SELECT v.number, v.run, r.suite, v.day, v.target, v.audited, v.claim, v.result "
    "FROM violations v JOIN runs r ON r.number = v.run";

Result<std::vector<RecordedViolation>> History::Database::read_violations(Statement& rows) const {
  std::vector<RecordedViolation> out;
  while (rows.next()) {
    auto result = read_entry(rows.text(7));
    if (!result) {
      return error(fmt::format("is damaged: the violation of run {} cannot be read, {}",
                               rows.whole(1), result.error().to_string()));
    }
    out.push_back({rows.whole(0),
                   rows.whole(1),
                   rows.text(2),
                   rows.text(3),
                   {rows.text(4), rows.text(5), rows.text(6)},
                   *std::move(result)});
  }
  if (rows.failed()) return fault();
  return out;
}

Result<std::vector<RecordedViolation>> History::violations() const {
  ASSAY_TRY(database_->check_kept());
  Statement rows(database_->handle, std::string(kViolations) + " ORDER BY v.number");
  return database_->read_violations(rows);
}

Result<std::vector<RecordedViolation>> History::violations(const std::string& id,
                                                           const std::string& target) const {
  ASSAY_TRY(database_->check_kept());
  Statement rows(database_->handle,
                 std::string(kViolations) + " WHERE v.id = ? OR v.target = ? ORDER BY v.number");
  rows.bind(id).bind(target);
  return database_->read_violations(rows);
}

Result<std::vector<SeenClear>> History::see(const std::vector<Clear>& clears, bool keeps) {
  Transaction change(database_->handle, keeps ? "BEGIN IMMEDIATE" : "BEGIN");
  if (!change.is_open()) return database_->fault();
  const auto last = ASSAY_TRY(database_->whole("SELECT coalesce(max(number), 0) FROM violations"));
  std::vector<SeenClear> out;
  for (const auto& clear : clears) {
    const auto bound = [&](Statement& statement) -> Statement& {
      return statement.bind(clear.entry).bind(clear.reason).bind(clear.date);
    };
    Statement known(database_->handle,
                    "SELECT last FROM clears WHERE entry = ? AND reason = ? AND date = ?");
    if (bound(known).next()) {
      out.push_back({clear, known.whole(0)});
      continue;
    }
    if (known.failed()) return database_->fault();
    out.push_back({clear, last});
    if (!keeps) continue;
    Statement add(database_->handle, "INSERT INTO clears VALUES(?, ?, ?, ?)");
    if (!bound(add).bind(last).run()) return database_->fault();
  }
  if (!change.commit()) return database_->fault();
  return out;
}

Status History::store(const SuiteReport& report) {
  sqlite3* const handle = database_->handle;
  Transaction change(handle);
  if (!change.is_open()) return database_->fault();
  ASSAY_TRY(database_->check_kept());
  Statement finish(handle, "UPDATE runs SET alpha = ? WHERE number = ? AND alpha IS NULL");
  if (!finish.bind(report.alpha).bind(report.run).run()) return database_->fault();
  if (sqlite3_changes(handle) != 1) {
    return database_->error(
        fmt::format("run {} was not begun in this history, or is stored already", report.run));
  }
  Statement add_entry(handle, "INSERT INTO entries VALUES(?, ?, ?, ?, ?, ?, ?)");
  Statement add_figure(handle, "INSERT INTO figures VALUES(?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (EntryResult entry : report.entries) {
    ++position;
    entry.suppressed_by.reset();
    add_entry.bind(report.run).bind(position).bind(entry.id).bind(entry.content);
    add_entry.bind(detail::value_text(entry.status));
    const bool added = entry.reused_from
                           ? add_entry.bind(*entry.reused_from).bind(std::nullopt).run()
                           : add_entry.bind(std::nullopt).bind(json_text(entry_json(entry))).run();
    if (!added) return database_->fault();
    for (const auto& figure : entry.figures) {
      add_figure.bind(report.run).bind(position).bind(figure.name);
      add_figure.bind(detail::value_text(figure.kind)).bind(figure.lower).bind(figure.upper);
      if (!add_figure.run()) return database_->fault();
    }
  }
  if (!change.commit()) return database_->fault();
  database_->kept.reset();
  return {};
}

Result<SuiteHistory> History::series(std::string_view glob) const {
  Statement rows(database_->handle,
                 "SELECT e.id, f.name, f.kind, r.number, r.started, r.revision, f.lower, f.upper "
                 "FROM figures f JOIN entries e ON e.run = f.run AND e.position = f.position "
                 "JOIN runs r ON r.number = f.run ORDER BY e.id, f.name, r.number, f.position");
  SuiteHistory history;
  while (rows.next()) {
    const std::string id = rows.text(0);
    const std::string name = rows.text(1);
    if (!glob_match(glob, id)) continue;
    const auto kind = detail::read_value<FigureKind>(rows.text(2));
    if (!kind) return database_->error("is damaged: a figure's kind " + kind.error().message);
    if (history.entries.empty() || history.entries.back().id != id) {
      history.entries.push_back({id, {}});
    }
    auto& figures = history.entries.back().figures;
    if (figures.empty() || figures.back().name != name) figures.push_back({name, *kind, {}});
    figures.back().points.push_back(
        {rows.whole(3), rows.text(4), rows.text(5), rows.number(6), rows.number(7)});
  }
  if (rows.failed()) return database_->fault();
  return history;
}

}  // namespace assay
