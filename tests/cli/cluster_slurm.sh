#!/usr/bin/env bash
# scripts/cluster/slurm against a real Slurm: one node, this machine, on ports and in a folder of its own.
# Eight shards, one of which is killed: only that one is run again, and the result has the counts of one run.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
skip() {
    echo "SKIPPED: $*"
    exit 77
}
for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || PATH=$PATH:/usr/sbin command -v $program >/dev/null ||
        skip "$program is not installed: scripts/setup cluster"
done
PATH=$PATH:/usr/sbin
[ "$(id -u)" = 0 ] || skip "slurmd needs root"

stop() {
    for daemon in slurmd slurmctld munged; do
        [ ! -s $daemon.pid ] || kill "$(cat $daemon.pid)" 2>/dev/null
    done
    sleep 0.5
    rm -rf "$folder"
}
trap stop EXIT
chmod 711 .

# Ports that nobody has: the kernel chooses.
read -r port1 port2 <<<"$(python3 -c '
import socket
both = [socket.socket() for _ in range(2)]
for each in both:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in both))')"
head -c 1024 /dev/urandom >munge.key
chmod 600 munge.key
mkdir state spool
cat >slurm.conf <<CONF
ClusterName=filterbench
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port1
SlurmdPort=$port2
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$PWD/slurm.conf
munged --force --key-file="$PWD/munge.key" --socket="$PWD/munge.socket" --pid-file="$PWD/munged.pid" \
    --log-file="$PWD/munged.log" --seed-file="$PWD/munged.seed" >daemons.log 2>&1 || skip "munged: $(tail -1 daemons.log)"
slurmctld -i >daemons.log 2>&1 || skip "slurmctld: $(tail -1 daemons.log)"
slurmd >daemons.log 2>&1 || skip "slurmd: $(tail -1 daemons.log)"
for ((i = 0; ; i++)); do
    [ $i -lt 100 ] || skip "no node comes up: $(tail -2 slurmd.log slurmctld.log 2>/dev/null)"
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.2
done

# ended JOB: waits until Slurm has it no more.
ended() {
    for ((i = 0; i < 600; i++)); do
        [ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || return 0
        sleep 0.2
    done
    fail "job $1 does not end: $(squeue)"
}

export FILTERBENCH=$PWD/filterbench
printf '#!/bin/sh\nexec %s "$@"\n' "${command[*]@Q}" >filterbench
chmod +x filterbench
submit() { "$source_folder/scripts/cluster/slurm" "$@"; }

run=(run fpr-smoke -d nori,leveldb --filters 600 --probes 2000)
fb "${run[@]}" -o whole.json >/dev/null 2>&1
fb study new st --shards 8 -- "${run[@]}" 2>/dev/null
AT_ONCE=2 submit st >jobs 2>submit.log || fail "submit: $(cat submit.log)"
{ read -r array && read -r merge; } <jobs
# Shard 5 is killed once it has begun; Slurm counts that as failed, so nothing is merged.
for ((i = 0; i < 3000; i++)); do
    pid=$(pgrep -f -- "-o $(pwd -P)/st/shard-5.json --resume" | head -1) # of this folder: not another build's
    [ -z "$pid" ] || [ "$(wc -l <st/shard-5.json.journal)" -lt 4 ] || break # two steps are done
    sleep 0.02
done
kill -9 "$pid" 2>/dev/null || fail "shard 5 was not seen: $(fb study status st)"
ended "$array"
ended "$merge"
fb study status st >status
head -1 status | grep -q '^8 shards: 7 done, 0 running, 1 failed, 0 waiting' || fail "status: $(head -1 status)"
grep -Eq '^ *5 +failed' status || fail "status: $(cat status)"
[ ! -e st/result.json ] || fail "merged without shard 5"
refuses 2 'st/shard-5.json: not there yet' study merge st

# The same command again: shard 5 alone.
stat -c '%n %i %Y' st/shard-[1-46-8].json >before
submit st >jobs 2>submit.log || fail "submit again: $(cat submit.log)"
{ read -r array && read -r merge; } <jobs
ended "$array"
ended "$merge"
stat -c '%n %i %Y' st/shard-[1-46-8].json | cmp -s - before || fail "other shards were run again"
grep -q 'going on after' st/slurm-"$array"-5.log || fail "shard 5: $(cat st/slurm-"$array"-5.log)"
[ -e st/result.json ] || fail "no result: $(cat st/slurm-merge.log)"
cmp -s <(fb export st/result.json --to counts) <(fb export whole.json --to counts) || fail "counts"
finish
