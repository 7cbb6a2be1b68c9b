# shellcheck shell=bash disable=SC2034,SC2154
# What the kit's tests share. Loaded by every .bats file here.

ROOT=$(cd -- "${BATS_TEST_DIRNAME}/.." && pwd -P)

# What else this machine does is no matter of the tests but of those that look at it.
export QUEENCELL_FORCE_POINT=1

# A folder of this test that the services' user can enter and write to, whoever runs the tests.
open_folder() {
  FOLDER=$BATS_TEST_TMPDIR/open
  mkdir -p -- "$FOLDER"
  chmod 0777 -- "$FOLDER"
  local place=$FOLDER
  while [[ $place != / ]]; do
    if [[ -O $place ]]; then chmod a+x -- "$place" || true; fi
    place=$(dirname -- "$place")
  done
}

# eventually SECONDS COMMAND…: waits until it is true; fails the test when it never is.
eventually() {
  local deadline=$((SECONDS + $1 * ${QUEENCELL_PATIENCE:-1}))
  shift
  until "$@"; do
    if ((SECONDS >= deadline)); then
      printf 'never true: %s\n' "$*" >&2
      return 1
    fi
    sleep 0.05
  done
}

alive() { kill -0 "$1" 2>/dev/null; }
gone() { [[ ! -d /proc/$1 || $(awk "/^State:/ {print \$2}" "/proc/$1/status" 2>/dev/null) == Z ]]; }

# has TEXT: whether the last `run` printed it.
has() {
  if [[ $output != *"$1"* ]]; then
    printf 'expected to see: %s\nin: %s\n' "$1" "$output" >&2
    return 1
  fi
}

lacks() {
  if [[ $output == *"$1"* ]]; then
    printf 'expected not to see: %s\nin: %s\n' "$1" "$output" >&2
    return 1
  fi
}

# exits STATUS: whether the last `run` ended with it.
exits() {
  if [[ $status != "$1" ]]; then
    printf 'expected status %s, got %s with: %s\n' "$1" "$status" "$output" >&2
    return 1
  fi
}

# kit_shell TEXT: runs bash text with the kit's parts loaded and a cell's settings as `up` makes
# them, in a shell of its own.
kit_shell() {
  QUEENCELL_ROOT_FOR_TEST=$ROOT bash -c '
    set -euo pipefail
    SAY_AS=kit
    for part in say home jdk ports account secrets jars postgres units caps backend-supervised backend-systemd cgroups aot prepared up change down; do
      source "$QUEENCELL_ROOT_FOR_TEST/tools/lib/$part.sh"
    done
    OPT_CPUS= OPT_MEM= OPT_ENFORCE= OPT_CAP= OPT_PG= OPT_HOME= OPT_PORT_BASE= OPT_BUILD=auto
    '"$1"
}

# fake NAME: puts a program on PATH that writes its arguments, one a line and a blank line at the
# end of each call, to $FAKES/NAME.calls, and then runs the text on standard input.
fake() {
  FAKES=$BATS_TEST_TMPDIR/fakes
  mkdir -p -- "$FAKES"
  {
    printf '#!/usr/bin/env bash\n{ printf "%%s\\n" "$@"; echo; } >>%q\n' "$FAKES/$1.calls"
    cat
  } >"$FAKES/$1"
  chmod 0755 -- "$FAKES/$1"
  if [[ $PATH != "$FAKES":* ]]; then PATH=$FAKES:$PATH; fi
}
