# Completion of filterbench for bash: verbs, options of the verb, names (also the last of a list, "A,B"),
# the fields that --set takes, else files. All words come from the tool: from --help, from
# `filterbench list` and from the experiment that --show-experiment prints.
_filterbench()
{
    local tool=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]} names= start=
    list() { "$tool" list "$1" 2>/dev/null | sed '1d;s/ .*//'; }
    fields() {
        [ "$verb" = advise ] && set -- advise -n 1M || set -- run "${COMP_WORDS[2]}"
        "$tool" "$@" --show-experiment 2>/dev/null | sed 's/[. ].*/=/' | sort -u
    }
    if [ "$COMP_CWORD" = 1 ]; then
        names="$("$tool" --help | sed -n 's/^  filterbench \([a-z]*\) .*/\1/p') help --help --version"
    elif [[ $word == -* ]]; then
        names=$("$tool" "$verb" --help | grep -oE '^ +-[^ ].*' | grep -oE -- '(^ +|, )--?[a-z-]+' |
            tr -d ' ,')
    else
        case $verb/$before in
        */-d | */--design | */--designs | */--against)
            names="$(list designs) all filters"
            [[ $word == *,* ]] && start=${word%,*}, ;;
        */--set) names=$(fields) && compopt -o nospace 2>/dev/null ;;
        */--engine) names="leveldb rocksdb" ;;
        */--device | */--io) names=$(list devices) ;;
        */--hash) names=$(list hashes) ;;
        */--isa) names="all scalar neon avx2 avx512 best" && [[ $word == *,* ]] && start=${word%,*}, ;;
        */--footprints) names="L1 L2 L3 DRAM" && [[ $word == *,* ]] && start=${word%,*}, ;;
        */--keys-format) names="lines nul hex len32 fixed: csv: u64 i32 i64 f32 f64 typed" ;;
        */--to) names="counts csv md gbench hgrm" ;;
        */--lookups) names=$(list lookups) ;;
        */--allocations) names=$(list allocations) ;;
        run/run | engine/engine) names=$(list presets) ;;
        describe/describe) names="$(list designs) $(list presets) $(list formats) $(list devices)" ;;
        list/list) names="designs hashes formats popularities absent attacks lookups allocations
                          devices kinds presets members schema claims" ;;
        esac
    fi
    unset -f list fields
    mapfile -t COMPREPLY < <(compgen -P "$start" -W "$names" -- "${word#"$start"}")
}
complete -o default -F _filterbench filterbench
