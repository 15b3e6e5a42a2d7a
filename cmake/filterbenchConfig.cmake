# filterbench::filters, an archive to be copied into the program, and, where it was built,
# filterbench::filters_shared.
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
pkg_check_modules(XXHASH QUIET IMPORTED_TARGET libxxhash)
if(NOT XXHASH_FOUND)
    set(filterbench_FOUND FALSE)
    set(filterbench_NOT_FOUND_MESSAGE "it needs libxxhash, with its pkg-config file")
    return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/filterbenchTargets.cmake)
