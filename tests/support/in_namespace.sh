#!/bin/sh
# in_namespace.sh COMMAND...: runs it in a PID namespace of its own, where the system allows one: it sees and
# signals its own processes alone, and they end with it, or with this script. Elsewhere it just runs.
# The status is the command's, 128 + the signal that ended it.
own="--pid --fork --mount-proc --kill-child"
for user in "" "--user --map-current-user"; do
  # shellcheck disable=SC2086
  if unshare $user $own true 2>/dev/null; then
    # The shell is process 1, which signals without a handler do not end: the command is its child.
    # shellcheck disable=SC2016,SC2086
    exec unshare $user $own env ASSAY_TEST_NAMESPACE=1 sh -c '"$@"; exit $?' sh "$@"
  fi
done
unset ASSAY_TEST_NAMESPACE  # of another one around this
exec "$@"
