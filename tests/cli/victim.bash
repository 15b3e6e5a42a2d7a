# Sourced by the tests of scripts/cluster: a filterbench, named in FILTERBENCH, that is killed once.
# While there is a file `victim`, `study shard DIR 5` ends by kill -9 when it has finished a step and has
# another to do; a run that was too quick for that is begun anew.
export FILTERBENCH=$PWD/filterbench
cat >filterbench <<PROGRAM
#!/usr/bin/env bash
program=(${command[*]@Q})
[ "\$1 \$2 \$4" = "study shard 5" ] && [ -e $PWD/victim ] || exec "\${program[@]}" "\$@"
rm $PWD/victim
for ((try = 0; try < 50; try++)); do
    "\${program[@]}" "\$@" &
    until [ "\$(wc -l <"\$3/shard-5.json.journal")" -ge 3 ] || ! kill -0 \$!; do :; done 2>/dev/null
    kill -9 \$! 2>/dev/null
    wait \$!
    code=\$?
    [ -e "\$3/shard-5.json" ] || exit \$code
    rm -f "\$3"/shard-5.json*
done
PROGRAM
chmod +x filterbench
