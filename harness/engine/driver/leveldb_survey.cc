#include "harness/engine/driver/leveldb_survey.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/table.h>

#include "harness/engine/driver/leveldb_environment.h"
#include "harness/engine/sstable.h"

using leveldb::Slice;
using leveldb::Status;
namespace fs = std::filesystem;

/* Of lines "--- level 0 ---" and " 17:123['a' @ 5 : 1 .. 'd' @ 9 : 1]". */
std::vector<Listed> tables_of(leveldb::DB *db)
{
    std::vector<Listed> all;
    std::string text;
    unsigned level = 0;
    db->GetProperty("leveldb.sstables", &text);
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
        Listed one = {level, 0};
        uint64_t bytes;
        end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        if (std::sscanf(line.c_str(), "--- level %u ---", &level) == 1)
            continue;
        if (std::sscanf(line.c_str(), " %" SCNu64 ":%" SCNu64 "[", &one.number, &bytes) == 2)
            all.push_back(one);
    }
    const auto newer = [](const Listed &a, const Listed &b) {
        return a.level == 0 && b.level == 0 && a.number > b.number;
    };
    std::stable_sort(all.begin(), all.end(), newer);
    return all;
}

namespace
{

constexpr uint64_t READ_BYTES = UINT64_C(1) << 30; /* of all tables, at most */
constexpr size_t TAG = 8;                          /* of a key in a table */

/* Anything that ends a survey. */
struct Failure {
    std::string text;
};

void check(const Status &status)
{
    if (!status.ok())
        throw Failure{status.ToString()};
}

/* CURRENT, what it names, and logs: LevelDB writes such files anew. */
void copy_rest(const fs::path &from, const fs::path &to)
{
    for (const fs::directory_entry &e : fs::directory_iterator(from)) {
        const std::string name = e.path().filename().string();
        if (name == "CURRENT" || name.rfind("MANIFEST-", 0) == 0 || e.path().extension() == ".log")
            fs::copy_file(e.path(), to / name);
    }
}

/* A database in the scratch folder whose tables are in another one, where nothing is written. A
 * table that LevelDB writes is in the scratch folder, and hides one of the same name: a compaction
 * that was cut short leaves a file whose number is given again. */
class Elsewhere : public Environment
{
  public:
    Elsewhere(const std::string &folder, const std::string &scratch)
        : Environment(&counts_, false), folder_(folder), scratch_(scratch)
    {
    }
    Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **file) override
    {
        return Environment::NewRandomAccessFile(find(name), file);
    }
    bool FileExists(const std::string &name) override
    {
        return Environment::FileExists(find(name));
    }
    Status GetFileSize(const std::string &name, uint64_t *size) override
    {
        return Environment::GetFileSize(find(name), size);
    }
    Status GetChildren(const std::string &of, std::vector<std::string> *names) override
    {
        std::vector<std::string> theirs;
        const Status status = Environment::GetChildren(of, names);
        if (!status.ok() || of != scratch_)
            return status;
        const Status other = Environment::GetChildren(folder_, &theirs);
        for (const std::string &name : theirs)
            if (is_table(name) && !fs::exists(fs::path(scratch_) / name))
                names->push_back(name);
        return other;
    }

  private:
    static bool is_table(const std::string &name)
    {
        const std::string end = fs::path(name).extension().string();
        return end == ".ldb" || end == ".sst";
    }
    std::string find(const std::string &name) const
    {
        const fs::path path = name;
        const bool theirs = is_table(name) && path.parent_path() == scratch_ && !fs::exists(path);
        return theirs ? (fs::path(folder_) / path.filename()).string() : name;
    }

    struct fb_engine_counts counts_ = {};
    const std::string folder_, scratch_;
};

/* What a table has, read as far as its share of READ_BYTES goes. */
struct Content {
    uint64_t entries = 0, deletions = 0, key_bytes = 0, value_bytes = 0;
    double share = 1; /* of the table, that was read */
    std::string first;
};

Content read_table(const std::string &path, uint64_t bytes, uint64_t most)
{
    leveldb::RandomAccessFile *opened = nullptr;
    leveldb::Table *table = nullptr;
    check(leveldb::Env::Default()->NewRandomAccessFile(path, &opened));
    const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
    check(leveldb::Table::Open(leveldb::Options(), opened, bytes, &table));
    const std::unique_ptr<leveldb::Table> owned(table);
    leveldb::ReadOptions reading;
    reading.fill_cache = false;
    const std::unique_ptr<leveldb::Iterator> at(table->NewIterator(reading));
    Content c;
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
        constexpr uint64_t BETWEEN = 1024; /* entries between two looks at how far it is */
        const Slice key = at->key();
        if (key.size() < TAG)
            throw Failure{path + ": a key without a number"};
        if (!c.entries)
            c.first.assign(key.data(), key.size() - TAG);
        if (c.entries % BETWEEN == 0 && c.entries && most < bytes) {
            const uint64_t so_far = table->ApproximateOffsetOf(key);
            if (so_far >= most) {
                c.share = static_cast<double>(so_far) / static_cast<double>(bytes);
                return c;
            }
        }
        c.entries++;
        c.deletions += key.data()[key.size() - TAG] == 0;
        c.key_bytes += key.size() - TAG;
        c.value_bytes += at->value().size();
    }
    check(at->status());
    return c;
}

uint64_t whole(uint64_t part, double share)
{
    return static_cast<uint64_t>(static_cast<double>(part) / share + 0.5);
}

struct Table {
    struct fb_engine_file about;
    std::string path;
};

/* Where a table of the database is; false: LevelDB made it of the log just now. */
bool find_table(const fs::path &folder, const fs::path &scratch, const Listed &one, Table *out)
{
    for (const char *end : {".ldb", ".sst"}) {
        char name[40];
        std::snprintf(name, sizeof name, "%06" PRIu64 "%s", one.number, end);
        *out = {};
        out->about.level = one.level;
        out->about.number = one.number;
        out->path = (folder / name).string();
        if (fs::exists(scratch / name))
            return false;
        if (fs::exists(out->path))
            return true;
    }
    return false;
}

void take_content(Table *t, const Content &c)
{
    struct fb_engine_file *f = &t->about;
    f->entries = whole(c.entries, c.share);
    f->deletions = whole(c.deletions, c.share);
    f->key_bytes = whole(c.key_bytes, c.share);
    f->value_bytes = whole(c.value_bytes, c.share);
    f->filter_keys = f->filters ? f->entries : 0;
    f->estimated = c.share < 1;
    const uint64_t plain = f->key_bytes + f->value_bytes;
    std::snprintf(f->compression, sizeof f->compression, "%s",
                  plain > f->data_bytes + f->data_bytes / 8 ? "snappy" : "none");
}

/* From the first key of each file on, or from the last one told of where that is behind it. */
void sample(const struct fb_engine_survey *s, leveldb::DB *db, std::vector<std::string> firsts)
{
    leveldb::ReadOptions reading;
    reading.fill_cache = false;
    const std::unique_ptr<leveldb::Iterator> at(db->NewIterator(reading));
    at->SeekToFirst();
    std::sort(firsts.begin(), firsts.end());
    for (const std::string &first : firsts) {
        uint64_t left = (s->keys + firsts.size() - 1) / firsts.size();
        if (at->Valid() && at->key().compare(first) < 0)
            at->Seek(first);
        for (; at->Valid() && left; left--, at->Next())
            if (!s->key(s->self, at->key().data(), at->key().size()))
                throw std::bad_alloc();
    }
    check(at->status());
}

void survey_all(const struct fb_engine_survey *s)
{
    Elsewhere environment(s->folder, s->scratch);
    leveldb::Options options;
    leveldb::DB *opened = nullptr;
    const fs::path folder = s->folder;
    copy_rest(folder, s->scratch);
    options.env = &environment;
    environment.hold();
    const Status status = leveldb::DB::Open(options, s->scratch, &opened);
    const std::unique_ptr<leveldb::DB> db(opened);
    /* A database that is closed waits for its task. */
    struct LetGo {
        Environment &of;
        ~LetGo()
        {
            of.let_go();
        }
    } let_go{environment};
    check(status);
    std::vector<Table> tables;
    uint64_t bytes = 0, level_bytes[64] = {};
    for (const Listed &one : tables_of(opened)) {
        Table t;
        struct fb_engine_why why;
        if (!find_table(folder, s->scratch, one, &t))
            continue;
        if (!fb_sstable_survey(t.path.c_str(), false, &t.about, &why))
            throw Failure{why.text};
        bytes += t.about.file_bytes;
        level_bytes[one.level % 64] += t.about.file_bytes;
        tables.push_back(t);
    }
    const unsigned largest =
        static_cast<unsigned>(std::max_element(level_bytes, level_bytes + 64) - level_bytes);
    const double share =
        std::min(1.0, static_cast<double>(READ_BYTES) / static_cast<double>(bytes + 1));
    std::vector<std::string> firsts;
    for (Table &t : tables) {
        const uint64_t most =
            share < 1 ? static_cast<uint64_t>(share * static_cast<double>(t.about.file_bytes))
                      : UINT64_MAX;
        const Content content = read_table(t.path, t.about.file_bytes, most);
        take_content(&t, content);
        if (t.about.level == largest)
            firsts.push_back(content.first);
        if (!s->file(s->self, &t.about))
            throw std::bad_alloc();
    }
    sample(s, opened, firsts);
}

} // namespace

bool survey(const struct fb_engine_survey *s, char **settings, struct fb_engine_why *why)
{
    std::string text;
    *settings = nullptr;
    try {
        survey_all(s);
        return true;
    } catch (const Failure &f) {
        text = f.text;
    } catch (const fs::filesystem_error &e) {
        text = e.path1().string() + ": " + e.code().message();
    } catch (const std::exception &e) {
        text = e.what();
    }
    std::snprintf(why->text, sizeof why->text, "%s", text.c_str());
    return false;
}
