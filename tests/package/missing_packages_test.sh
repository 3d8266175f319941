#!/usr/bin/env bash
# What tools/run does about packages, on machines made of stubs: a copy of tools/ in a folder with a
# space, and a PATH with the coreutils it may use, a dpkg-query, an id, and an apt-get, sudo, cmake of
# our own. Prints every expectation that fails; exits 1 when there is one.
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

stub() {  # stub NAME: the body from stdin
  { printf '#!%s\n' "$(command -v bash)"; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

machine() {  # machine UID: a fresh PATH; every package but $absent is installed
  bin=$work/bin
  rm -rf -- "$bin" "$checkout/build" "$work/calls"
  mkdir -p "$bin"
  touch "$work/calls"
  local tool
  for tool in bash basename dirname readlink tail mkdir rm env cat chmod nproc; do
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

[ $failures = 0 ] && echo "every expectation holds"
exit $((failures > 0))
