/* LevelDB: a database on disk whose reads are counted, and its tables as they lie there. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "harness/engine/driver/leveldb_environment.h"
#include "harness/engine/driver/leveldb_survey.h"
#include "harness/engine/sstable.h"

namespace
{

using leveldb::Slice;
using leveldb::Status;

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

/* ---- The block cache ---- */

/* Counts what is found there: data blocks alone. */
class CountedCache : public leveldb::Cache
{
  public:
    CountedCache(size_t bytes, struct fb_engine_counts *counts)
        : own_(leveldb::NewLRUCache(bytes)), counts_(counts)
    {
    }
    Handle *Insert(const Slice &key, void *value, size_t charge,
                   void (*deleter)(const Slice &, void *)) override
    {
        return own_->Insert(key, value, charge, deleter);
    }
    Handle *Lookup(const Slice &key) override
    {
        Handle *const found = own_->Lookup(key);
        counts_->data_hits += found != nullptr && Environment::is_getting;
        return found;
    }
    void Release(Handle *handle) override
    {
        own_->Release(handle);
    }
    void *Value(Handle *handle) override
    {
        return own_->Value(handle);
    }
    void Erase(const Slice &key) override
    {
        own_->Erase(key);
    }
    uint64_t NewId() override
    {
        return own_->NewId();
    }
    void Prune() override
    {
        own_->Prune();
    }
    size_t TotalCharge() const override
    {
        return own_->TotalCharge();
    }

  private:
    const std::unique_ptr<leveldb::Cache> own_;
    struct fb_engine_counts *const counts_;
};

/* ---- The database ---- */

struct database {
    explicit database(bool maps) : environment(&counts, maps) {}
    struct fb_engine_counts counts = {};
    Environment environment;
    std::unique_ptr<leveldb::FilterPolicy> policy;
    std::unique_ptr<leveldb::Cache> cache;
    leveldb::Options options;
    leveldb::ReadOptions reading;
    std::string folder, value;
    bool caches;
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

void *open_db(const struct fb_engine_options *o, bool is_new, struct fb_engine_why *why)
{
    std::unique_ptr<struct database> d;
    const bool done = guarded(why, [&] {
        d.reset(new struct database(o->read == FB_ENGINE_MAP));
        if (o->filter || o->policy)
            d->policy.reset(new CountedPolicy(o, &d->counts));
        d->cache.reset(new CountedCache(o->cache_bytes, &d->counts));
        d->folder = o->folder;
        d->caches = o->cache_bytes > 0;
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
        if (!is_new && !o->live)
            d->environment.hold();
        return open_again(d.get(), why);
    });
    if (!done)
        return nullptr;
    d->counts = {};
    return d.release();
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

bool tables(void *self, const struct fb_engine_sink *sink, struct fb_engine_why *why)
{
    struct database *d = static_cast<struct database *>(self);
    return guarded(why, [=] {
        for (const Listed &one : tables_of(d->db.get())) {
            char name[40];
            std::snprintf(name, sizeof name, "/%06" PRIu64 ".ldb", one.number);
            struct fb_engine_table table = {};
            table.level = one.level;
            table.number = one.number;
            if (!fb_sstable_tell((d->folder + name).c_str(), false, &table, sink, why))
                return false;
        }
        return true;
    });
}

/* ---- Gets ---- */

enum fb_engine_answer get(void *self, const void *key, size_t len, struct fb_engine_why *why)
{
    struct database *d = static_cast<struct database *>(self);
    enum fb_engine_answer answer = FB_ENGINE_FAILED;
    Environment::is_getting = true;
    try {
        d->counts.gets++;
        const Status status =
            d->db->Get(d->reading, Slice(static_cast<const char *>(key), len), &d->value);
        d->counts.found += status.ok();
        if (status.ok() || status.IsNotFound())
            answer = status.ok() ? FB_ENGINE_FOUND : FB_ENGINE_NOT_FOUND;
        else
            fail(why, status.ToString());
    } catch (const std::exception &e) {
        fail(why, e.what());
    }
    Environment::is_getting = false;
    return answer;
}

void counts_of(void *self, struct fb_engine_counts *out)
{
    const struct database *d = static_cast<struct database *>(self);
    *out = d->counts;
    if (d->caches)
        out->read_hash = FB_ENGINE_UNKNOWN;
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
    .residencies = {true, false, false},
    .reads = {true, true, false},
    .seeks = true,
    .open = open_db,
    .close = close_db,
    .put = put,
    .rest = rest,
    .tables = tables,
    .get = get,
    .counts = counts_of,
    .survey = survey,
    .settings = settings,
    .statistics = statistics,
};
