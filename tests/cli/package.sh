# The packages of scripts/package hold what they must, name what they need, and nothing of the folder that
# they were built in. The program in one of them runs. scripts/package_check installs them.
[ $# = 2 ] || { echo "objects of another machine: skipped"; exit 77; }
for tool in git cpack dpkg-deb dpkg-shlibdeps dpkg-architecture file; do
    command -v $tool >/dev/null || { echo "there is no $tool: skipped"; exit 77; }
done
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
cd "$tree"
fail() { echo "FAILED: $*"; exit 1; }
ln -sf /bin/true scripts/setup # a test installs nothing
export GIT_CONFIG_GLOBAL=/dev/null GIT_{AUTHOR,COMMITTER}_NAME=a GIT_{AUTHOR,COMMITTER}_EMAIL=a@b
git init -q -b main . && git add -A && git commit -qm all
unset FILTERBENCH_DATA

touch harness/new.c
code=0
scripts/package >log 2>&1 || code=$?
[ "$code" = 2 ] && [ "$(wc -l <log)" = 1 ] && grep -q "commit or remove harness/new.c first" log ||
    fail "a tree that is not committed: $code: $(cat log)"
rm harness/new.c log
mkdir build
out=$tree/build/out
scripts/package --out "$out" >build/log 2>&1 || fail "scripts/package: $(tail -5 build/log)"

version=$(sed -n 's/^#define FB_VERSION_[A-Z]* \([0-9]*\)$/\1/p' filters/core/version.h | paste -sd.)
arch=$(dpkg --print-architecture)
library=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
# holds PACKAGE FIELD=WORDS... PATH...: its control fields have these words, and it has these files below /usr.
holds() {
    local deb=$out/$1_${version}_$arch.deb words
    dpkg-deb -c "$deb" | sed 's|.* \./usr/||; s/ ->.*//' >build/list || fail "$1: no such package"
    for words in Version="$version" "share/doc/$1/copyright" "${@:2}"; do
        case $words in
        *=*) [[ "$(dpkg-deb -f "$deb" "${words%%=*}")" == *"${words#*=}"* ]] ||
            fail "$1: $(dpkg-deb -f "$deb" "${words%%=*}"), not $words" ;;
        *) grep -qx "$words" build/list || fail "$1 has no $words" ;;
        esac
    done
    [ -z "$(dpkg-deb -c "$deb" | grep -vE '^(d|l|-r).* root/root ')" ] || fail "$1: files of somebody else"
    dpkg-deb -x "$deb" "build/$1"
    words=$(grep -rlaF "$tree" "build/$1") && fail "$1 names the folder that it was built in: $words"
    return 0
}
holds filterbench Depends=libjansson4 Recommends=gnuplot-nox bin/filterbench "$library/filterbench/filterbench_designs.so" \
    "$library/filterbench/filterbench_plant_each_1.so" share/man/man1/filterbench.1 share/zsh/site-functions/_filterbench \
    share/bash-completion/completions/filterbench share/doc/filterbench/docs/README.md \
    share/filterbench/{plots/draw.gp,plots/report.css,filters/plugin/skeleton.c.in,workloads/presets/fpr-smoke.json} \
    share/filterbench/results/{members.md,result.schema.json,claims/nori.json,glossary/words.json}
! grep -qE 'engine_|include/|\.a$|pkgconfig' build/list || fail "filterbench has files of other packages"
holds libfilterbench-dev Depends=libxxhash-dev Section=libdevel include/filterbench/filters/{core/filter.h,inline/sbbf_256.h} \
    "$library"/{libfilterbench_filters.a,libfilterbench_filters.so,cmake/filterbench/filterbench{Config,Targets}.cmake} \
    "$library"/pkgconfig/filterbench-filters{,-shared}.pc
[ ! -e build/libfilterbench-dev/usr/bin ] || fail "libfilterbench-dev has programs"
if grep -q LEVELDB_LIBRARY:.*[a-z]\\.so build/package-*/CMakeCache.txt && grep -q ROCKSDB_LIBRARY:.*[a-z]\\.so build/package-*/CMakeCache.txt; then
    holds filterbench-engines Depends="filterbench (= $version)" Depends=librocksdb Depends=libleveldb \
        "$library"/filterbench/filterbench_engine_{leveldb,rocksdb}.so
fi

# The program runs from where it was unpacked, with what was unpacked.
[ "$(build/filterbench/usr/bin/filterbench --version)" = "filterbench $version" ] || fail "another version"
build/filterbench/usr/bin/filterbench list presets >build/list || fail "list presets"
grep -q '^fpr-smoke' build/list || fail "no presets: $(cat build/list)"

# The source is what is committed.
tar -tzf "$out/filterbench-$version.tar.gz" | sed "s|^filterbench-$version/||; /\/\$/d; /^\$/d" | LC_ALL=C sort >build/packed
git ls-files | LC_ALL=C sort | diff - build/packed || fail "the archive has other files"
