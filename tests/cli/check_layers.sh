#!/usr/bin/env bash
# The layers of the tree hold, and the check would notice if they did not.
set -euo pipefail
check=$2/scripts/check_layers.sh
"$check" "$2"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/filters/core "$tree"/filters/hash "$tree"/workloads/core "$tree"/harness/{stats,measure,tree,document,kind/fpr,kind/lsm/report,verb,attic}

# refused FILE INCLUDE: this one line in this file must be reported, with its place.
refused() {
    printf '\n#include %s\n' "$2" >"$tree/$1"
    if out=$("$check" "$tree"); then
        echo "not noticed: $2 in $1"; exit 1
    fi
    [[ $out == "$1:2: $2: "* ]] || { echo "unclear: $out"; exit 1; }
    rm "$tree/$1"
}
refused filters/a.c '"harness/base/message.h"'
refused filters/a.c '"workloads/core/keys.h"'
refused filters/a.c '"filters/b.c"'
refused filters/a.c '"filters/b.h"'
refused filters/a.c '"filter.h"'
refused filters/core/a.h '<stdio.h>'
refused filters/core/loops.inc '<time.h>'
refused filters/hash/a.c '"filters/simd/b_avx2.h"'
refused workloads/a.c '"filters/core/filter.h"'
refused workloads/core/a.c '<unistd.h>'
refused workloads/core/a.c '"harness/base/message.h"'
refused harness/measure/measure.c '"filters/core/filter.h"'
refused harness/stats/stats.h '"filters/core/theory.h"'
refused harness/stats/a.c '"harness/measure/measure.h"'
refused harness/tree/a.c '"filters/core/internal/three_slots.h"'
refused workloads/a.c '"filters/hash/internal/siphash.h"'
refused harness/tree/a.h '"harness/document/kind.h"'
refused harness/document/a.c '"harness/kind/fpr/rates.h"'
refused harness/kind/fpr/a.c '"harness/kind/lsm/lsm.h"'
refused harness/kind/lsm/report/a.c '"harness/verb/verb.h"'
refused harness/attic/a.c '"harness/base/json.h"'

printf '#include "filters/simd/a_avx2.h"\n#include "filters/core/filter.h"\n#include <string.h>\n' \
    >"$tree/filters/a.c"
printf '#include "filters/core/base.h"\n#include "filters/hash/hash.h"\n' >"$tree/workloads/a.c"
printf '#include <stdio.h>\n#include "filters/core/filter.h"\n#include "harness/verb/verb.h"\n' >"$tree/harness/a.c"
printf '#include "harness/kind/lsm/lsm.h"\n#include "harness/tree/forest.h"\n' >"$tree/harness/kind/lsm/report/a.c"
printf '#include "harness/kind/lsm/lsm.h"\n' >"$tree/harness/verb/a.c"
"$check" "$tree"
