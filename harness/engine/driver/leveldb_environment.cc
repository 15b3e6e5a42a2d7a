#include "harness/engine/driver/leveldb_environment.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/engine/sstable.h"

using leveldb::Slice;
using leveldb::Status;

/* ---- Files ---- */

namespace
{

/* Reads up to n bytes at an offset; fewer at the end of the file. False with errno. */
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
    /* own: LevelDB's own file, which reads then; or none. */
    CountedFile(std::string name, int fd, leveldb::RandomAccessFile *own,
                struct fb_engine_counts *counts)
        : name_(std::move(name)), fd_(fd), own_(own), table_(layout_of(fd)), counts_(counts),
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
        if (own_)
            return own_->Read(offset, n, result, scratch);
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
        if (!Environment::is_getting)
            return;
        reads++;
        if (is_data)
            counts_->read_hash = fb_engine_read_hash(counts_->read_hash, number_, offset);
    }

    const std::string name_;
    const int fd_;
    const std::unique_ptr<leveldb::RandomAccessFile> own_;
    const struct fb_sstable table_;
    struct fb_engine_counts *const counts_;
    const uint64_t number_;
};

} // namespace

Status Environment::NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **file)
{
    const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    leveldb::RandomAccessFile *own = nullptr;
    *file = nullptr;
    if (fd >= 0 && maps_) {
        const Status status = target()->NewRandomAccessFile(name, &own);
        if (!status.ok()) {
            close(fd);
            return status;
        }
    }
    if (fd >= 0)
        *file = new CountedFile(name, fd, own, counts_);
    if (fd < 0 && errno == ENOENT)
        return Status::NotFound(name, std::strerror(errno));
    return fd < 0 ? Status::IOError(name, std::strerror(errno)) : Status::OK();
}

thread_local bool Environment::is_getting = false;

/* ---- Tasks ---- */

void Environment::Schedule(void (*function)(void *), void *arg)
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

void Environment::wait()
{
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return n_due_ == 0; });
}

void Environment::hold()
{
    const std::lock_guard<std::mutex> lock(mutex_);
    holds_ = true;
}

void Environment::let_go()
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

void Environment::run(void *arg)
{
    const std::unique_ptr<Task> task(static_cast<Task *>(arg));
    Environment *const self = task->environment;
    task->function(task->arg);
    const std::lock_guard<std::mutex> lock(self->mutex_);
    self->n_due_--;
    self->done_.notify_all();
}
