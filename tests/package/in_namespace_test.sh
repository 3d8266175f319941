#!/usr/bin/env bash
# What a test gets that runs through tests/support/in_namespace.sh: its status, and an end of all that it
# started. Prints every expectation that fails; exits 1 when there is one.
set -uo pipefail

launcher=$1/tests/support/in_namespace.sh
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
failures=0

expect() {  # expect WHAT ACTUAL WANTED
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  got:    %s\n  wanted: %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# Those that carry the mark, a word of this test in their environment.
marked() {
  local file found=0
  for file in /proc/[0-9]*/environ; do
    grep -qsz "^ASSAY_MARKED_BY=$$-$1\$" "$file" && found=$((found + 1))
  done
  echo $found
}
gone() {  # gone MARK: after a moment nobody carries it
  for _ in $(seq 100); do
    [ "$(marked "$1")" = 0 ] && break
    sleep 0.1
  done
  marked "$1"
}

passes_through() {
  "$launcher" true
  expect "status of success" $? 0
  "$launcher" sh -c 'exit 7'
  expect "status of a failure" $? 7
  ("$launcher" sh -c 'kill -ABRT $$'; exit $?) 2>/dev/null
  expect "status of a signal" $? 134
  "$launcher" "$work/no such program" 2>/dev/null
  expect "status without a program" $? 127
  expect "words with blanks" "$("$launcher" printf '<%s>' 'a  b' '' "c'd")" "<a  b><><c'd>"
  expect "standard input" "$(echo heard | "$launcher" cat)" heard
}
passes_through
mkdir "$work/bin"
printf '#!/bin/sh\necho "unshare: not permitted" >&2\nexit 1\n' >"$work/bin/unshare"
chmod +x "$work/bin/unshare"
PATH=$work/bin:$PATH passes_through

if [ "$("$launcher" sh -c 'echo $ASSAY_TEST_NAMESPACE')" != 1 ]; then
  echo "skipped: no namespaces here"
else
  # A signal to everybody reaches nobody outside, but whoever is inside.
  ASSAY_MARKED_BY=$$-outside sleep 60 &
  outside=$!
  "$launcher" sh -c '[ "$ASSAY_TEST_NAMESPACE" = 1 ] || exit; sleep 60 & trap "" TERM; kill -TERM -1; wait $!; exit $?'
  expect "a signal to all, inside" $? 143
  expect "a signal to all, outside" "$(marked outside)" 1
  kill "$outside"
  wait "$outside" 2>/dev/null

  # Whatever is left behind ends with the command.
  ASSAY_MARKED_BY=$$-left "$launcher" sh -c 'setsid sleep 60 >/dev/null 2>&1 & exit 3'
  expect "status of one that leaves a daemon" $? 3
  expect "daemons left" "$(gone left)" 0

  # A test that hangs is killed as CTest does it.
  ASSAY_MARKED_BY=$$-hung "$launcher" sh -c 'setsid sleep 60 & : >"$0"; sleep 60' "$work/started" &
  hung=$!
  for _ in $(seq 100); do
    [ -e "$work/started" ] && break
    sleep 0.1
  done
  expect "those of a test that hangs" "$([ "$(marked hung)" -ge 3 ] && echo seen)" seen
  kill -KILL "$hung"
  wait "$hung" 2>/dev/null
  expect "left by a test that was killed" "$(gone hung)" 0
fi

[ $failures = 0 ] && echo "every expectation holds"
exit $((failures > 0))
