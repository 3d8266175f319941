#!/usr/bin/env bash
# What tools/run does about packages, checkouts that it may not write to and others that build at the same
# time, on machines made of stubs: a copy of tools/ in a folder with a space, and a PATH with the tools it
# may use, a dpkg-query, an id, and an apt-get, sudo, cmake of our own. Prints every expectation that
# fails; exits 1 when there is one.
set -uo pipefail

source_dir=$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
checkout="$work/a checkout"
mkdir -p "$checkout"
cp -r "$source_dir/tools" "$checkout/tools"
touch -d '1 hour ago' "$checkout/CMakePresets.json"
failures=0

expect() {  # expect WHAT ACTUAL WANTED
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  got:    %s\n  wanted: %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

stub() {  # stub NAME: the body from stdin, in place of what was linked there
  rm -f -- "${bin:?}/$1"
  { printf '#!%s\n' "$(command -v bash)"; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

machine() {  # machine UID: a fresh PATH; every package but $absent is installed
  bin=$work/bin
  rm -rf -- "$bin" "$checkout/build" "$work/calls"
  mkdir -p "$bin"
  touch "$work/calls"
  local tool
  for tool in bash basename dirname readlink tail mkdir rm env cat chmod nproc flock; do
    ln -s "$(command -v $tool)" "$bin/$tool"
  done
  stub id <<<"echo $1"
  stub dpkg-query <<EOS
shift 3
for package in "\$@"; do
  case " \$(cat '$work/absent') " in *" \$package "*) ;; *) echo "\$package installed" ;; esac
done
EOS
  stub cmake <<EOS
echo "cmake \$1" >>'$work/calls'
echo chatter
if [ "\$1" = --build ]; then
  mkdir -p "\$2/bin"
  printf '#!%s\necho "report of \$* in \$PWD"\nexit 3\n' '$(command -v bash)' >"\$2/bin/assay"
  chmod +x "\$2/bin/assay"
else
  mkdir -p "\$2/build/release"
  printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nASSAY_BUILD_TESTS:BOOL=%s\n' "\$2" "\${5#*=}" \
    >"\$2/build/release/CMakeCache.txt"
  : >"\$2/build/release/build.ninja"
fi
EOS
}

apt_get() {  # apt_get STATUS: an apt-get that installs everything, or fails
  stub apt-get <<EOS
echo "apt-get \$*" >>'$work/calls'
[ $1 = 0 ] && : >'$work/absent'
exit $1
EOS
}

run() {  # runs tools/run from another folder; sets status, output, errors
  output=$(cd "$work" && env -i PATH="$bin" "$bin/bash" "$checkout/tools/run" "$@" \
    2>"$work/errors" </dev/null)
  status=$?
  errors=$(cat "$work/errors")
}

hint="tools/run: missing packages: ninja-build libcli11-dev; \
install them with: apt-get install ninja-build libcli11-dev"
absent="ninja-build libcli11-dev libgtest-dev"  # the last is for tests alone

# Neither root nor sudo: one line, nothing built.
echo "$absent" >"$work/absent"
machine 1000
apt_get 0
run audit
expect "exit code without root or sudo" $status 2
expect "message without root or sudo" "$errors" "$hint"
expect "stdout without root or sudo" "$output" ""
expect "calls without root or sudo" "$(cat "$work/calls")" ""

# sudo that asks for a password, and no terminal to ask on: the same.
stub sudo <<<'exit 1'
run audit
expect "exit code with a sudo that asks" $status 2
expect "message with a sudo that asks" "$errors" "$hint"

# apt-get fails: the last line says what is missing and where the log is.
machine 0
apt_get 100
run audit
expect "exit code when apt-get fails" $status 2
expect "message when apt-get fails" "${errors##*$'\n'}" \
  "$hint (apt-get failed, log: $checkout/build/packages.log)"

# sudo without a password: installs what tools/run needs and no more, builds, runs, and keeps the
# report, the exit code and the working directory of assay.
machine 1000
apt_get 0
stub sudo <<EOS
[ "\$1" = -n ] && exit 0
echo sudo >>'$work/calls'
exec "\$@"
EOS
run audit 'two words'
expect "exit code is that of assay" $status 3
expect "stdout is the report" "$output" "report of audit two words in $work"
expect "calls of a first run" "$(cat "$work/calls")" "sudo
apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends ninja-build libcli11-dev
cmake -S
cmake --build"

# Again: no installation and no configuration.
: >"$work/calls"
run list
expect "calls of a second run" "$(cat "$work/calls")" "cmake --build"
expect "stderr of a second run" "$errors" ""

# Not a Debian at all.
rm "$bin/dpkg-query"
run list
expect "exit code without dpkg-query" $status 2
expect "lines without dpkg-query" "$(printf '%s\n' "$errors" | wc -l)" 1

# A build that fails shows the end of its log.
machine 0
stub cmake <<<'echo "the compiler says no"; exit 1'
run list
expect "exit code when the build fails" $status 2
expect "the log's end is shown" "${errors//*the compiler says no*/shown}" shown

# Nobody reads what is said: the exit code stays.
machine 0
stub cmake <<<'exit 1'
(cd "$work" && env -i PATH="$bin" "$bin/bash" "$checkout/tools/run" list 2>&- </dev/null)
expect "exit code with stderr closed" $? 2

# A command of ours that fails is never "violated", which is 1.
machine 0
stub basename <<<'exit 1'
run list
expect "exit code when a tool fails" $status 2

# build/ that cannot hold files: a file has that name, or the folder lacks the permission for a user who is not root.
read_only="cannot build: cannot write to $checkout/build"
machine 0
echo occupied >"$checkout/build"
run list
expect "exit code when build is a file" $status 2
expect "message when build is a file" "$errors" \
  "tools/run: $read_only (File exists); build in a writable copy of this checkout"
rm -- "$checkout/build"

as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ ${#as_nobody[@]} = 0 ] || "${as_nobody[@]}" true 2>/dev/null; then
  for built in no yes; do
    machine 1000
    if [ $built = yes ]; then
      run list
      expect "exit code of the build before" $status 3
    fi
    chmod 755 "$work"
    chmod -R a+rX,a-w "$checkout"
    output=$(cd / && "${as_nobody[@]}" env -i PATH="$bin" "$bin/bash" "$checkout/tools/run" list \
      2>"$work/errors" </dev/null)
    status=$?
    chmod -R u+w "$checkout"
    expect "exit code of a read-only checkout, built: $built" $status 2
    expect "stdout of a read-only checkout, built: $built" "$output" ""
    expect "message of a read-only checkout, built: $built" "$(cat "$work/errors")" \
      "tools/run: $read_only (Permission denied); build in a writable copy of this checkout"
  done
else
  echo "skipped: a read-only checkout (needs a user who is not root, or setpriv)"
fi

# Two at once: the second waits, says so, and starts its build when the first has ended its own. What is
# running then is not waited for.
machine 0
stub cmake <<EOS
[ -e '$work/second' ] && gated=no || gated=yes  # before the "begin" at which the second one is started
echo "begin" >>'$work/calls'
[ "\$1" = --build ] || { mkdir -p "\$2/build/release"; : >"\$2/build/release/build.ninja"; }
if [ "\$1" = --build ]; then
  mkdir -p "\$2/bin"
  printf '#!%s\n[ "\$1" != first ] || read -r _ <"%s"\n' '$(command -v bash)' '$work/go' >"\$2/bin/assay"
  chmod +x "\$2/bin/assay"
  [ \$gated = no ] || read -r _ <'$work/gate'
fi
echo "end" >>'$work/calls'
EOS
rm -f -- "$work/gate" "$work/go" "$work/second"
mkfifo "$work/gate" "$work/go"
exec 3<>"$work/gate" 4<>"$work/go"  # no write waits for a reader that never comes
env -i PATH="$bin" "$bin/bash" "$checkout/tools/run" first 2>"$work/first" </dev/null &
first=$!
for _ in $(seq 300); do
  [ "$(grep -c begin "$work/calls")" = 2 ] && break  # in its build, which waits at the gate
  sleep 0.1
done
touch "$work/second"
env -i PATH="$bin" "$bin/bash" "$checkout/tools/run" second 2>"$work/waits" </dev/null &
second=$!
for _ in $(seq 300); do
  [ -s "$work/waits" ] && break
  sleep 0.1
done
expect "the second build says that it waits" "$(cat "$work/waits")" \
  "tools/run: waiting for another tools/run or tools/test, which builds in build/"
expect "the second build waits" "$(tr '\n' ' ' <"$work/calls")" "begin end begin "
echo >&3
wait $second
expect "exit code of the second" $? 0
expect "one build at a time" "$(tr '\n' ' ' <"$work/calls" | cut -c 1-28)" "begin end begin end begin en"
kill -0 $first 2>/dev/null
expect "the first still runs its command" $? 0
echo >&4
wait $first
expect "exit code of the first" $? 0

[ $failures = 0 ] && echo "every expectation holds"
exit $((failures > 0))
