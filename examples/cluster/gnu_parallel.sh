#!/usr/bin/env bash
# Runs a command of assay as shards with GNU parallel, then merges them:
#
#   examples/cluster/gnu_parallel.sh 8 simulate ts-fig2 --repetitions 100000 -w ts-fig2.html
#
# The options of the report, such as -w, take effect when the shards are merged. To use other machines as well, add
# --sshlogin host1,host2 to parallel; they need the command, and this folder at the same path.
set -euo pipefail
shards=$1
shift
assay=${ASSAY:-assay}
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT

seq "$shards" | parallel --halt soon,fail=1 --will-cite --quote \
  "$assay" "$@" --threads 1 --shard "{}/$shards" --shard-file "$folder/{}.assay" >&2
status=0
"$assay" merge "$folder"/*.assay || status=$?
exit "$status"
