#!/usr/bin/env bash
# examples/make_examples.py, run in an empty folder, writes the files of examples/ byte for byte.
set -euo pipefail

source_dir=$1
python=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

cp -- "$source_dir/examples/make_examples.py" "$work"
"$python" "$work/make_examples.py"
for file in rewards.csv clicks.csv; do
  cmp -- "$source_dir/examples/$file" "$work/$file"
done
