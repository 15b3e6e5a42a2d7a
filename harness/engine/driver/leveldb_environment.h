/*
 * An environment for LevelDB: its files of tables are read or mapped, and what is read is counted;
 * and it knows when no task of LevelDB's is left. Serves leveldb.cc.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_DRIVER_LEVELDB_ENVIRONMENT_H
#define FILTERBENCH_HARNESS_ENGINE_DRIVER_LEVELDB_ENVIRONMENT_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include <leveldb/env.h>

#include "harness/engine/driver.h"

class Environment : public leveldb::EnvWrapper
{
  public:
    /* Counts into *counts, borrowed, what a thread reads that has is_getting set: one at a time.
     * maps: files as LevelDB has them by itself, of which it maps the first 1000; otherwise each
     * read is a system call. */
    Environment(struct fb_engine_counts *counts, bool maps)
        : EnvWrapper(leveldb::Env::Default()), counts_(counts), maps_(maps)
    {
    }
    leveldb::Status NewRandomAccessFile(const std::string &name,
                                        leveldb::RandomAccessFile **file) override;
    /* LevelDB's one background task: flushes and compactions. It schedules its successor before it
     * ends, so there is no moment without a task as long as any is due. */
    void Schedule(void (*function)(void *), void *arg) override;
    /* Returns when none is. */
    void wait();
    /* From here on tasks wait, such as the compaction of a table that was looked into in vain too
     * often: the tables stay as they are. */
    void hold();
    /* A database that is closed waits for its task. */
    void let_go();

    static thread_local bool is_getting;

  private:
    struct Task {
        Environment *environment;
        void (*function)(void *);
        void *arg;
    };
    static void run(void *arg);

    struct fb_engine_counts *const counts_;
    const bool maps_;
    std::mutex mutex_;
    std::condition_variable done_;
    std::vector<Task> held_;
    uint64_t n_due_ = 0;
    bool holds_ = false;
};

#endif
