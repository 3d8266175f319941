#!/usr/bin/env bash
# An array of 100 tasks, one shard each, and a task that merges them when all have ended well:
#
#   job=$(sbatch --parsable --array=1-100 examples/cluster/slurm.sh)
#   sbatch --dependency="afterok:$job" --wrap "assay merge shards/*.assay -w ts-fig2.html"
#
# A task that is requeued goes on from its file.
#SBATCH --job-name=assay
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --output=shards/%a.log
set -euo pipefail
mkdir -p shards
assay simulate ts-fig2 --repetitions 100000 --threads 1 \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --shard-file "shards/$SLURM_ARRAY_TASK_ID.assay"
