# Shared by tools/run, tools/test and .ci/run, which source it: packages, configure, build.
#
# It requires only bash, coreutils and flock (util-linux, essential in Debian). Everything here writes to stderr,
# because stdout belongs to the report of the command.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." >/dev/null && pwd -P)
program=$(basename -- "$(dirname -- "$(readlink -f -- "$0")")")/$(basename -- "$0")

# A message that nobody can receive does not end the script.
say() { printf '%s: %s\n' "$program" "$1" >&2 || :; }
fail() {
  say "$1"
  exit 2
}

# lock_build: waits for other scripts that build here, and makes them wait until unlock_build. Processes that start
# in between also hold the lock, so that no second build begins while one outlives its script.
lock_build() {
  local why
  why=$(mkdir -p -- "$root/build" 2>&1 && : 2>&1 >>"$root/build/lock") ||
    fail "cannot build: cannot write to $root/build (${why##*: }); build in a writable copy of this checkout"
  exec {build_lock}>>"$root/build/lock"
  flock -n "$build_lock" && return
  say "waiting for another tools/run or tools/test, which builds in build/"
  flock "$build_lock"
}
unlock_build() { exec {build_lock}>&-; }

# run_logged LOG COMMAND...: runs the command quietly. If it fails, prints the end of the log and exits with 2.
run_logged() {
  local log=$1
  shift
  { mkdir -p -- "$(dirname -- "$log")" && : >"$log"; } 2>/dev/null || fail "cannot write $log"
  "$@" >"$log" 2>&1 && return
  tail -n 40 -- "$log" >&2
  fail "failed: $* (log: $log)"
}

# The packages of tools/packages.txt for the given needs ("run", "test", "ci") that are not installed.
missing_packages() {
  local package need status states
  local -a wanted=()
  local -A installed=()
  while read -r package need _; do
    case " $* " in *" $need "*) wanted+=("$package") ;; esac
  done <"$root/tools/packages.txt"
  # dpkg-query fails if it does not know one of the packages, but still prints the others.
  states=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null) || :
  while read -r package status; do
    [ "$status" != installed ] || installed[$package]=1
  done <<<"$states"
  for package in "${wanted[@]}"; do
    [ -n "${installed[$package]:-}" ] || printf '%s ' "$package"
  done
}

# install_packages NEED...: installs missing packages. If that is not possible, prints one line and exits with 2.
install_packages() {
  local names
  local -a missing
  command -v dpkg-query >/dev/null ||
    fail "needs Debian's dpkg-query; on another system install the counterparts of tools/packages.txt and use cmake --preset release"
  names=$(missing_packages "$@")
  read -ra missing <<<"$names"
  [ ${#missing[@]} -gt 0 ] || return 0
  local hint="missing packages: ${missing[*]}; install them with: apt-get install ${missing[*]}"
  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; } || fail "$hint"
    apt=(sudo "${apt[@]}")
  fi
  local -a install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
  local log=$root/build/packages.log
  say "installing ${missing[*]}"
  mkdir -p -- "$root/build"
  { "${install[@]}" || { "${apt[@]}" update && "${install[@]}"; }; } >"$log" 2>&1 </dev/null ||
    fail "$hint (apt-get failed, log: $log)"
}

# cached NAME: prints the value of a variable in the CMake cache of the build, or nothing if there is none.
cached() {
  local line
  [ -f "$build/CMakeCache.txt" ] || return 0
  while IFS= read -r line; do
    case $line in "$1:"*) printf '%s' "${line#*=}" ;; esac
  done <"$build/CMakeCache.txt"
}

# configure PRESET TESTS [CMAKE ARGUMENTS...]: configures build/PRESET with or without the tests, and sets `build`.
# It does nothing if the build is configured already; ninja itself configures again if a CMakeLists.txt or the list of
# sources changes. Once the tests are ON, they stay ON.
configure() {
  local preset=$1 tests=$2
  shift 2
  build=$root/build/$preset
  local home had_tests
  home=$(cached CMAKE_HOME_DIRECTORY)
  [ -z "$home" ] || [ "$home" = "$root" ] || rm -rf -- "$build"  # the checkout has moved
  had_tests=$(cached ASSAY_BUILD_TESTS)
  [ "$had_tests" != ON ] || tests=ON
  [ "$build/build.ninja" -nt "$root/CMakePresets.json" ] && [ "$had_tests" = "$tests" ] && return
  say "building in build/$preset, which takes a few minutes the first time"
  local -a launcher=()
  ! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  run_logged "$build-configure.log" \
    cmake -S "$root" --preset "$preset" "-DASSAY_BUILD_TESTS=$tests" "${launcher[@]}" "$@"
}

# build_target TARGET: builds a target in the build that `configure` named, with one compiler for each core. Ninja's
# default is more compilers than cores, which makes all of them slower. The setting lets ccache store objects that use
# precompiled headers.
build_target() {
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  run_logged "$build-build.log" cmake --build "$build" --parallel "$(nproc)" --target "$1"
}

# run_tests PRESET [CTEST ARGUMENTS...]: runs all tests except those with the label slow.
run_tests() {
  local preset=$1
  shift
  (cd -- "$root" && ctest --preset "$preset" --parallel "$(nproc)" "$@")
}
