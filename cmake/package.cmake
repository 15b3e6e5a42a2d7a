# What CPack makes: a .deb of each component. scripts/package calls it.
set(libfilterbench-dev_words "membership filters as a library for C and C++
Bloom filters and others, bit for bit as RocksDB, LevelDB, Parquet and more
engines build them: headers, an archive and a shared library, with packages
for pkg-config and CMake.")
set(filterbench_words "compare membership filters the way storage engines use them
Measures the false-positive rates, sizes and times of Bloom filters and
others, checks printed claims about them, and chooses a filter for your keys,
memory and disk. Each measured number has an interval.")
set(filterbench-engines_words "drivers that let filterbench run LevelDB and RocksDB
With them, `filterbench engine` runs the engine itself and compares it with
the prediction, and `filterbench advise --db` reads your database.")

set(CPACK_COMPONENTS_ALL filterbench libfilterbench-dev)
if(TARGET filterbench_engine_leveldb AND TARGET filterbench_engine_rocksdb)
    list(APPEND CPACK_COMPONENTS_ALL filterbench-engines)
endif()
foreach(component ${CPACK_COMPONENTS_ALL})
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${component})
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${${component}_words}")
    install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
set(CPACK_DEBIAN_FILTERBENCH_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_FILTERBENCH_PACKAGE_SUGGESTS "filterbench-engines, libfilterbench-dev, valgrind")
set(CPACK_DEBIAN_LIBFILTERBENCH-DEV_PACKAGE_DEPENDS libxxhash-dev)
set(CPACK_DEBIAN_LIBFILTERBENCH-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_FILTERBENCH-ENGINES_PACKAGE_DEPENDS "filterbench (= ${PROJECT_VERSION})")

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER
    "The filterbench authors <maintainers@users.noreply.a-seed-4aa5e868.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own first line
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SOURCE filterbench)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_THREADS 1)
include(CPack)
