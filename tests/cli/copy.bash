# Shared by the scripts that change the program: source it with the script's own arguments. It leaves a
# copy of the source tree in $tree, which is removed at the end. `configure` prepares its release build in
# $built, `build TARGET...` builds there; a warning is an error. What ccache knows is not compiled again.
set -euo pipefail
source=$2
tree=$(mktemp -d)
built=$tree/build/release
trap 'rm -rf "$tree"' EXIT
export CCACHE_BASEDIR=$tree

tar -C "$source" --exclude=./.git --exclude='./build*' --exclude=./results/runs --exclude=./plots/out \
    -cf - . | tar -C "$tree" -xf -
configure() { (cd "$tree" && cmake --no-warn-unused-cli --preset release "$@" >/dev/null); }
build() { cmake --build "$built" --target "$@" >"$tree/log" || { cat "$tree/log"; exit 1; }; }
