#!/usr/bin/env bash
# Runs a command of puzzlelab on a Ray cluster of all machines of a Slurm job:
#   sbatch --nodes=8 deploy/slurm.sh puzzlelab solve tiles-4x4 --file boards.txt --out rows.jsonl
# The command is the driver: it runs on the first machine, and reads and writes all files there.
#SBATCH --job-name=puzzlelab
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --signal=B:TERM@60
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "usage: sbatch --nodes=N $0 COMMAND ..." >&2
    exit 2
fi
port=6379
mapfile -t machines < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${machines[0]}
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | awk '{print $1}'):$port

# Each machine is a node; `--block` ends it with the job.
srun --nodes=1 --ntasks=1 --overlap --nodelist="$head" \
    ray start --head --node-ip-address="${address%:*}" --port=$port --block &
until ray status --address "$address" >/dev/null 2>&1; do sleep 1; done
if [ ${#machines[@]} -gt 1 ]; then
    srun --nodes=$((${#machines[@]} - 1)) --ntasks-per-node=1 --overlap --exclude="$head" \
        ray start --address="$address" --block &
fi

# Slurm sends SIGTERM a minute before the time limit: the command keeps what it has, and goes on in the next job.
PUZZLELAB_EXECUTOR=ray:$address srun --nodes=1 --ntasks=1 --overlap --nodelist="$head" "$@" &
driver=$!
trap 'kill -TERM $driver' TERM
code=0
wait $driver || code=$?
trap - TERM
wait $driver 2>/dev/null || true
kill "$(jobs -p)" 2>/dev/null || true
exit $code
