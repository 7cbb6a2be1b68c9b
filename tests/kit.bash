# shellcheck shell=bash disable=SC2034,SC2154
# What the kit's tests share. Loaded by every .bats file here.

ROOT=$(cd -- "${BATS_TEST_DIRNAME}/.." && pwd -P)

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
  local deadline=$((SECONDS + $1))
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
gone() { ! kill -0 "$1" 2>/dev/null; }

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
