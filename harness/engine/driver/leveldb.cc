/* LevelDB: a database on disk whose reads are counted, and its tables as they lie there. */
#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "harness/engine/driver.h"
#include "harness/engine/sstable.h"

namespace
{

using leveldb::Slice;
using leveldb::Status;

/* ---- Files that are read, not mapped, and counted ---- */

bool read_at(int fd, uint64_t offset, size_t n, char *out, size_t *got)
{
    *got = 0;
    while (*got < n) {
        const ssize_t some = pread(fd, out + *got, n - *got, static_cast<off_t>(offset + *got));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return false;
        if (some == 0)
            break;
        *got += static_cast<size_t>(some);
    }
    return true;
}

/* Where the parts of a table lie; all zero, so that nothing is a data block, where it is none. */
struct fb_sstable layout_of(int fd)
{
    struct fb_sstable table = {};
    struct stat about;
    uint8_t footer[FB_SSTABLE_FOOTER];
    size_t got = 0;
    if (fstat(fd, &about) || about.st_size < FB_SSTABLE_FOOTER ||
        !read_at(fd, static_cast<uint64_t>(about.st_size) - sizeof footer, sizeof footer,
                 reinterpret_cast<char *>(footer), &got) ||
        got < sizeof footer ||
        !fb_sstable_footer(footer, static_cast<uint64_t>(about.st_size), &table))
        return {};
    std::vector<char> metaindex(table.metaindex.size + 1);
    if (!read_at(fd, table.metaindex.offset, metaindex.size(), metaindex.data(), &got) ||
        got < metaindex.size() ||
        !fb_sstable_filter(reinterpret_cast<const uint8_t *>(metaindex.data()), &table))
        return {};
    return table;
}

class CountedFile : public leveldb::RandomAccessFile
{
  public:
    /* hashes: one thread reads. */
    CountedFile(std::string name, int fd, bool hashes, struct fb_engine_counts *counts)
        : name_(std::move(name)), fd_(fd), table_(layout_of(fd)), counts_(counts), hashes_(hashes),
          number_(std::strtoull(name_.c_str() + name_.rfind('/') + 1, nullptr, 10))
    {
    }
    ~CountedFile() override
    {
        close(fd_);
    }
    Status Read(uint64_t offset, size_t n, Slice *result, char *scratch) const override
    {
        size_t got;
        count(offset);
        if (!read_at(fd_, offset, n, scratch, &got))
            return Status::IOError(name_, std::strerror(errno));
        *result = Slice(scratch, got);
        return Status::OK();
    }

  private:
    void count(uint64_t offset) const
    {
        const bool is_data = offset < table_.filter.offset;
        uint64_t &reads = is_data ? counts_->data_reads
                          : table_.filter.size && offset == table_.filter.offset
                              ? counts_->filter_reads
                          : offset == table_.index.offset ? counts_->index_reads
                                                          : counts_->other_reads;
        __atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED);
        if (is_data && hashes_)
            counts_->read_hash = fb_engine_read_hash(counts_->read_hash, number_, offset);
    }

    const std::string name_;
    const int fd_;
    const struct fb_sstable table_;
    struct fb_engine_counts *const counts_;
    const bool hashes_;
    const uint64_t number_;
};

/* ---- An environment that knows when nothing is left to be done ---- */

class Environment : public leveldb::EnvWrapper
{
  public:
    explicit Environment(struct fb_engine_counts *counts)
        : EnvWrapper(leveldb::Env::Default()), counts_(counts)
    {
    }
    Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **file) override
    {
        const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
        *file = fd < 0 ? nullptr : new CountedFile(name, fd, is_holding(), counts_);
        if (fd < 0 && errno == ENOENT)
            return Status::NotFound(name, std::strerror(errno));
        return fd < 0 ? Status::IOError(name, std::strerror(errno)) : Status::OK();
    }
    /* LevelDB's one background task: flushes and compactions. It schedules its successor before it
     * ends, so there is no moment without a task as long as any is due. */
    void Schedule(void (*function)(void *), void *arg) override
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (holds_) {
                held_.push_back({this, function, arg});
                return;
            }
            n_due_++;
        }
        target()->Schedule(run, new Task{this, function, arg});
    }
    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return n_due_ == 0; });
    }
    /* From here on tasks wait, such as the compaction of a table that was looked into in vain too
     * often: the tables stay as they are. */
    void hold()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        holds_ = true;
    }
    /* A database that is closed waits for its task. */
    void let_go()
    {
        std::vector<Task> held;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            holds_ = false;
            held.swap(held_);
        }
        for (const Task &task : held)
            Schedule(task.function, task.arg);
    }

  private:
    struct Task {
        Environment *environment;
        void (*function)(void *);
        void *arg;
    };
    bool is_holding()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return holds_;
    }
    static void run(void *arg)
    {
        const std::unique_ptr<Task> task(static_cast<Task *>(arg));
        Environment *const self = task->environment;
        task->function(task->arg);
        const std::lock_guard<std::mutex> lock(self->mutex_);
        self->n_due_--;
        self->done_.notify_all();
    }

    struct fb_engine_counts *const counts_;
    std::mutex mutex_;
    std::condition_variable done_;
    std::vector<Task> held_;
    uint64_t n_due_ = 0;
    bool holds_ = false;
};

/* ---- Filters ---- */

/* Counts what the database asks the policy that is below it. */
class CountedPolicy : public leveldb::FilterPolicy
{
  public:
    CountedPolicy(const struct fb_engine_options *o, struct fb_engine_counts *counts)
        : own_(o->filter ? leveldb::NewBloomFilterPolicy(static_cast<int>(o->bits_per_key))
                         : nullptr),
          given_(o->filter ? nullptr : o->policy), counts_(counts)
    {
    }
    const char *Name() const override
    {
        return own_ ? own_->Name() : given_->name;
    }
    void CreateFilter(const Slice *keys, int n, std::string *out) const override
    {
        if (own_)
            return own_->CreateFilter(keys, n, out);
        std::string bytes;
        std::vector<uint64_t> offset(1, 0);
        for (int i = 0; i < n; i++) {
            bytes.append(keys[i].data(), keys[i].size());
            offset.push_back(bytes.size());
        }
        struct fb_keys all = {};
        all.bytes = reinterpret_cast<const uint8_t *>(bytes.data());
        all.offset = offset.data();
        all.n = static_cast<size_t>(n);
        uint8_t *block;
        size_t len;
        if (given_->create(given_->self, &all, &block, &len)) {
            out->append(reinterpret_cast<const char *>(block), len);
            std::free(block);
        }
    }
    bool KeyMayMatch(const Slice &key, const Slice &filter) const override
    {
        const bool maybe =
            own_ ? own_->KeyMayMatch(key, filter)
                 : given_->maybe(given_->self, key.data(), key.size(),
                                 reinterpret_cast<const uint8_t *>(filter.data()), filter.size());
        counts_->checks++;
        counts_->negatives += !maybe;
        return maybe;
    }

  private:
    const std::unique_ptr<const leveldb::FilterPolicy> own_;
    const struct fb_engine_policy *const given_;
    struct fb_engine_counts *const counts_;
};

/* ---- The database ---- */

struct database {
    struct fb_engine_counts counts = {};
    Environment environment{&counts};
    std::unique_ptr<leveldb::FilterPolicy> policy;
    std::unique_ptr<leveldb::Cache> cache;
    leveldb::Options options;
    leveldb::ReadOptions reading;
    std::string folder, value;
    std::unique_ptr<leveldb::DB> db; /* before the above */
};

bool fail(struct fb_engine_why *why, const std::string &text)
{
    std::snprintf(why->text, sizeof why->text, "%s", text.c_str());
    return false;
}

bool check(const Status &status, struct fb_engine_why *why)
{
    return status.ok() || fail(why, status.ToString());
}

/* Of what calls of C may not let through: memory is lacking. */
template <typename Body> bool guarded(struct fb_engine_why *why, Body body)
{
    try {
        return body();
    } catch (const std::exception &e) {
        return fail(why, e.what());
    }
}

bool open_again(struct database *d, struct fb_engine_why *why)
{
    leveldb::DB *db = nullptr;
    d->db.reset();
    if (!check(leveldb::DB::Open(d->options, d->folder, &db), why))
        return false;
    d->db.reset(db);
    return true;
}

void *start(const struct fb_engine_options *o, bool is_new, struct fb_engine_why *why)
{
    std::unique_ptr<struct database> d;
    const bool done = guarded(why, [&] {
        d.reset(new struct database);
        if (o->filter || o->policy)
            d->policy.reset(new CountedPolicy(o, &d->counts));
        d->cache.reset(leveldb::NewLRUCache(o->cache_bytes));
        d->folder = o->folder;
        leveldb::Options &options = d->options;
        options.env = &d->environment;
        options.create_if_missing = options.error_if_exists = is_new;
        options.filter_policy = d->policy.get();
        options.block_cache = d->cache.get();
        options.compression = leveldb::kNoCompression;
        options.block_size = o->block_bytes;
        options.write_buffer_size = o->write_buffer_bytes;
        options.max_file_size = o->file_bytes;
        options.max_open_files = 50000;
        if (!is_new)
            d->environment.hold();
        return open_again(d.get(), why);
    });
    if (!done)
        return nullptr;
    d->counts = {};
    return d.release();
}

void *create(const struct fb_engine_options *o, struct fb_engine_why *why)
{
    return start(o, true, why);
}

void *open_old(const struct fb_engine_options *o, struct fb_engine_why *why)
{
    return start(o, false, why);
}

bool close_db(void *self, struct fb_engine_why *why)
{
    struct database *d = static_cast<struct database *>(self);
    return guarded(why, [d] {
        d->environment.let_go();
        d->db.reset();
        d->environment.wait();
        delete d;
        return true;
    });
}

bool put(void *self, const struct fb_keys *keys, const uint8_t *values, size_t value_bytes,
         struct fb_engine_why *why)
{
    struct database *d = static_cast<struct database *>(self);
    return guarded(why, [=] {
        leveldb::WriteBatch batch;
        for (size_t i = 0; i < keys->n; i++)
            batch.Put(
                Slice(reinterpret_cast<const char *>(fb_key_at(keys, i)), fb_key_len(keys, i)),
                Slice(reinterpret_cast<const char *>(values + i * value_bytes), value_bytes));
        if (!check(d->db->Write(leveldb::WriteOptions(), &batch), why))
            return false;
        d->environment.wait();
        return true;
    });
}

bool rest(void *self, bool whole, struct fb_engine_why *why)
{
    struct database *d = static_cast<struct database *>(self);
    return guarded(why, [=] {
        /* What is in the log becomes a table when the database is opened. */
        d->options.create_if_missing = d->options.error_if_exists = false;
        if (!open_again(d, why))
            return false;
        d->environment.wait();
        if (whole)
            d->db->CompactRange(nullptr, nullptr);
        d->environment.wait();
        return true;
    });
}

/* ---- Tables ---- */

struct listed {
    unsigned level;
    uint64_t number, bytes;
};

/* Of lines "--- level 0 ---" and " 17:123['a' @ 5 : 1 .. 'd' @ 9 : 1]", in the order of Gets. */
std::vector<struct listed> list_of(struct database *d)
{
    std::vector<struct listed> all;
    std::string text;
    unsigned level = 0;
    d->db->GetProperty("leveldb.sstables", &text);
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
        struct listed one = {level, 0, 0};
        end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        if (std::sscanf(line.c_str(), "--- level %u ---", &level) == 1)
            continue;
        if (std::sscanf(line.c_str(), " %" SCNu64 ":%" SCNu64 "[", &one.number, &one.bytes) == 2)
            all.push_back(one);
    }
    const auto newer = [](const struct listed &a, const struct listed &b) {
        return a.level == 0 && b.level == 0 && a.number > b.number;
    };
    std::stable_sort(all.begin(), all.end(), newer);
    return all;
}

bool read_file(const std::string &path, std::string *out, struct fb_engine_why *why)
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about;
    size_t got = 0;
    bool done = fd >= 0 && !fstat(fd, &about);
    if (done) {
        out->resize(static_cast<size_t>(about.st_size));
        done = read_at(fd, 0, out->size(), &(*out)[0], &got) && got == out->size();
    }
    if (!done)
        fail(why, path + ": " + std::strerror(errno));
    if (fd >= 0)
        close(fd);
    return done;
}

bool ignore_key(void *self, const void *key, size_t len)
{
    (void)self, (void)key, (void)len;
    return true;
}

bool ignore_block(void *self, uint64_t offset, const void *bound, size_t len, bool below)
{
    (void)self, (void)offset, (void)bound, (void)len, (void)below;
    return true;
}

bool tell(const std::string &path, const struct listed &one, const struct fb_engine_sink *sink,
          struct fb_engine_why *why)
{
    std::string text;
    if (!read_file(path, &text, why))
        return false;
    const uint8_t *file = reinterpret_cast<const uint8_t *>(text.data());
    const uint64_t size = text.size();
    struct fb_engine_table table = {one.level, one.number, 0, size, 0, true};
    struct fb_sstable layout;
    const struct fb_sstable_sink nobody = {nullptr, ignore_key, ignore_block};
    const struct fb_sstable_sink both = {sink->self, sink->key, sink->block};
    enum fb_err err = size >= FB_SSTABLE_FOOTER &&
                              fb_sstable_footer(file + size - FB_SSTABLE_FOOTER, size, &layout) &&
                              fb_sstable_filter(file + layout.metaindex.offset, &layout)
                          ? fb_sstable_each(file, size, &nobody, &table.entries)
                          : FB_ECORRUPT;
    if (err)
        return fail(why, path + ": not a table that can be read");
    table.filter_bytes = layout.filter.size;
    if (!sink->table(sink->self, &table) ||
        fb_sstable_each(file, size, &both, &table.entries) != FB_OK)
        return fail(why, path + ": no memory for its keys");
    return true;
}

bool tables(void *self, const struct fb_engine_sink *sink, struct fb_engine_why *why)
{
    struct database *d = static_cast<struct database *>(self);
    return guarded(why, [=] {
        for (const struct listed &one : list_of(d)) {
            char name[40];
            std::snprintf(name, sizeof name, "/%06" PRIu64 ".ldb", one.number);
            if (!tell(d->folder + name, one, sink, why))
                return false;
        }
        return true;
    });
}

/* ---- Gets ---- */

enum fb_engine_answer get(void *self, const void *key, size_t len, struct fb_engine_why *why)
{
    struct database *d = static_cast<struct database *>(self);
    try {
        d->counts.gets++;
        const Status status =
            d->db->Get(d->reading, Slice(static_cast<const char *>(key), len), &d->value);
        d->counts.found += status.ok();
        if (status.ok() || status.IsNotFound())
            return status.ok() ? FB_ENGINE_FOUND : FB_ENGINE_NOT_FOUND;
        fail(why, status.ToString());
    } catch (const std::exception &e) {
        fail(why, e.what());
    }
    return FB_ENGINE_FAILED;
}

void counts_of(void *self, struct fb_engine_counts *out)
{
    *out = static_cast<struct database *>(self)->counts;
}

/* ---- Texts ---- */

char *settings(void *self)
{
    const struct database *d = static_cast<struct database *>(self);
    const leveldb::Options &o = d->options;
    char text[600];
    std::snprintf(text, sizeof text,
                  "filter_policy = %s\nblock_size = %zu\nblock_restart_interval = %d\n"
                  "write_buffer_size = %zu\nmax_file_size = %zu\nmax_open_files = %d\n"
                  "compression = %s\nreuse_logs = %s\nparanoid_checks = %s\n",
                  o.filter_policy ? o.filter_policy->Name() : "none", o.block_size,
                  o.block_restart_interval, o.write_buffer_size, o.max_file_size, o.max_open_files,
                  o.compression == leveldb::kNoCompression ? "none" : "snappy",
                  o.reuse_logs ? "true" : "false", o.paranoid_checks ? "true" : "false");
    return strdup(text);
}

char *statistics(void *self)
{
    std::string text;
    return static_cast<struct database *>(self)->db->GetProperty("leveldb.stats", &text)
               ? strdup(text.c_str())
               : nullptr;
}

const struct fb_engine_filter filters[] = {
    {"builtin", "leveldb", "NewBloomFilterPolicy: a Bloom filter, double hashing of 32 bits",
     "leveldb.BuiltinBloomFilter2"},
    {},
};

const std::string version =
    std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);

} // namespace

extern "C" __attribute__((visibility("default"))) const struct fb_engine_driver fb_engine_driver = {
    .interface = FB_ENGINE_INTERFACE,
    .name = "leveldb",
    .version = version.c_str(),
    .filters = filters,
    .takes_policies = true,
    .create = create,
    .open = open_old,
    .close = close_db,
    .put = put,
    .rest = rest,
    .tables = tables,
    .get = get,
    .counts = counts_of,
    .settings = settings,
    .statistics = statistics,
};
