# FB_LEVELDB: there are a C++ compiler, which is enabled then, and LevelDB, at LEVELDB_INCLUDE and
# LEVELDB_LIBRARY.
include(CheckLanguage)
if(NOT CMAKE_CXX_COMPILER) # it may have been installed since
    unset(CMAKE_CXX_COMPILER CACHE)
endif()
check_language(CXX)
find_path(LEVELDB_INCLUDE leveldb/filter_policy.h)
find_library(LEVELDB_LIBRARY leveldb)
set(FB_LEVELDB OFF)
if(CMAKE_CXX_COMPILER AND LEVELDB_INCLUDE AND LEVELDB_LIBRARY)
    set(FB_LEVELDB ON)
    enable_language(CXX)
else()
    message(STATUS "Left out, for want of a C++ compiler or LevelDB: its plugin and its driver")
endif()
