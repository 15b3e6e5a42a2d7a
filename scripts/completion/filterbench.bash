# Completion of filterbench for bash: verbs, options of the verb, names, else files. All words come
# from the tool: from --help and from `filterbench list`.
_filterbench()
{
    local tool=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]} names=
    list() { "$tool" list "$1" 2>/dev/null | sed '1d;s/ .*//'; }
    if [ "$COMP_CWORD" = 1 ]; then
        names="$("$tool" --help | sed -n 's/^  filterbench \([a-z]*\) .*/\1/p') help --help --version"
    elif [[ $word == -* ]]; then
        names=$("$tool" "$verb" --help | grep -oE '^ +-[^ ].*' | grep -oE -- '(^ +|, )--?[a-z-]+' |
            tr -d ' ,')
    else
        case $verb/$before in
        */-d | */--design | */--designs | */--against) names=$(list designs) ;;
        */--engine) names="leveldb rocksdb" ;;
        */--device) names=$(list devices) ;;
        */--lookups) names=$(list lookups) ;;
        */--allocations) names=$(list allocations) ;;
        run/run | engine/engine) names=$(list presets) ;;
        describe/describe) names="$(list designs) $(list presets)" ;;
        list/list) names="designs hashes formats popularities absent attacks lookups allocations
                          devices kinds presets claims" ;;
        esac
    fi
    unset -f list
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
}
complete -o default -F _filterbench filterbench
