# Shared by tools/run, tools/test and .ci/run, which source it: packages, configure, build.
#
# Only bash, coreutils and flock (util-linux, essential in Debian) are taken for granted. Everything here
# writes to stderr: stdout belongs to the report of the command that is run.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." >/dev/null && pwd -P)
program=$(basename -- "$(dirname -- "$(readlink -f -- "$0")")")/$(basename -- "$0")

# That nobody hears it ends nothing.
say() { printf '%s: %s\n' "$program" "$1" >&2 || :; }
fail() {
  say "$1"
  exit 2
}

# lock_build: waits for other scripts that build here, and keeps them waiting until unlock_build. What is
# started in between holds the lock as well: a build that outlives its script is not joined by another.
lock_build() {
  local why
  why=$(mkdir -p -- "$root/build" 2>&1 && : 2>&1 >>"$root/build/lock") ||
    fail "cannot build: $root/build takes no files (${why##*: }); build a copy of this checkout that may be written to"
  exec {build_lock}>>"$root/build/lock"
  flock -n "$build_lock" && return
  say "waiting for another tools/run or tools/test, which builds in build/"
  flock "$build_lock"
}
unlock_build() { exec {build_lock}>&-; }

# run_logged LOG COMMAND...: quiet unless it fails; then the end of the log, and exit 2.
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
  # dpkg-query fails when it does not know one of the packages, and still prints the others.
  states=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null) || :
  while read -r package status; do
    [ "$status" != installed ] || installed[$package]=1
  done <<<"$states"
  for package in "${wanted[@]}"; do
    [ -n "${installed[$package]:-}" ] || printf '%s ' "$package"
  done
}

# install_packages NEED...: one line and exit 2 when packages are missing and cannot be installed.
install_packages() {
  local names
  local -a missing
  command -v dpkg-query >/dev/null ||
    fail "needs Debian's dpkg-query; elsewhere install the like of tools/packages.txt and use cmake --preset release"
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

# cached NAME: the value of a variable in the CMake cache of the build; empty when there is none.
cached() {
  local line
  [ -f "$build/CMakeCache.txt" ] || return 0
  while IFS= read -r line; do
    case $line in "$1:"*) printf '%s' "${line#*=}" ;; esac
  done <"$build/CMakeCache.txt"
}

# configure PRESET TESTS [CMAKE ARGUMENTS...]: configures build/PRESET with or without the tests, and sets `build`. Does
# nothing when that is done already; ninja itself configures again when a CMakeLists.txt or the list of
# sources changes. Tests, once ON, stay ON.
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

# build_target TARGET: in the build that `configure` named, a compiler for each core: ninja's own choice, one
# more, makes all of them slower. The setting lets ccache keep what was compiled with precompiled headers.
build_target() {
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  run_logged "$build-build.log" cmake --build "$build" --parallel "$(nproc)" --target "$1"
}

# run_tests PRESET [CTEST ARGUMENTS...]: the suite without what is labelled slow.
run_tests() {
  local preset=$1
  shift
  (cd -- "$root" && ctest --preset "$preset" --parallel "$(nproc)" "$@")
}
