# FB_ROCKSDB: there is RocksDB with its interface for C, at ROCKSDB_INCLUDE and ROCKSDB_LIBRARY.
find_path(ROCKSDB_INCLUDE rocksdb/c.h)
find_library(ROCKSDB_LIBRARY rocksdb)
set(FB_ROCKSDB OFF)
if(ROCKSDB_INCLUDE AND ROCKSDB_LIBRARY)
    set(FB_ROCKSDB ON)
else()
    message(STATUS "Left out, for want of RocksDB: its driver")
endif()
