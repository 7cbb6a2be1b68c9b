#!/usr/bin/env bash
# Watches a long run: runpt.sh measures it, and every few minutes one check looks at what grows. Ends
# the run when something grows for good.
# shellcheck disable=SC2317 # traps call functions by name
set -euo pipefail
SAY_AS=soak.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk account jars; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

EVERY_S=300
WARM_UP_CHECKS=6
EVERY_S_MIN=5
EVERY_S_MAX=86400
WARM_UP_CHECKS_MAX=10000
EXIT_TREND=4
# The loader gives its last pushes and its drain their time after a signal.
END_S=600

usage() {
  cat <<'END'
Usage: tools/soak.sh [OPTIONS] OUTDIR RUN-ID -- LOADER-OPTIONS…

Runs `runpt.sh OUTDIR RUN-ID -- LOADER-OPTIONS` and looks at the run every few minutes: throughput and
latency, the size of the broker's database and its dead rows, restarts and resident memory of each
process. Prints a row for each check and leaves, beside what runpt.sh leaves:

  RUN-ID.soak.csv       a row for each check
  RUN-ID.soak.json      what was found, the first and the last check

  --every SECONDS       between two checks, 5 to 86400 (default 300)
  --warm-up CHECKS      so many of the first ones are not judged, 0 to 10000 (default 6)
  --force               although others use the machine (see runpt.sh -h)
  --home DIR            the cell's home (default $QUEENCELL_HOME, else .cell beside the scripts)

A trend ends the run: something that grew (throughput: fell) from third to third of the time after the
warm-up, by more than chance and by an amount that matters; or a process that is restarted again and
again. Exits with the loader's status (0 passed, 3 the verdict is FAIL, 130 interrupted), 4 when a trend
ended the run, 2 for a wrong command line and 1 when there is no cell or the machine
is not quiet.

Example: tools/soak.sh out night -- -mode cloud -partitions 8 -rate 500 -duration 28800 -report 60
END
}

# wrong_use CAUSE: what was wrong with the command line; exit status 2.
wrong_use() {
  printf '%s: %s\n  look further: tools/soak.sh -h\n' "$SAY_AS" "$1" >&2
  exit 2
}

# number NAME VALUE MIN MAX
number() {
  if [[ ! $2 =~ ^[0-9]{1,9}$ ]] || ((10#$2 < $3 || 10#$2 > $4)); then
    wrong_use "$1 is '$2'; it takes a whole number from $3 to $4"
  fi
}

parse_options() {
  OPT_HOME='' FORCE=() WORDS=() LOADER_OPTIONS=()
  local separated=false
  while (($# > 0)); do
    case $1 in
      --)
        separated=true
        shift
        LOADER_OPTIONS=("$@")
        break
        ;;
      --home | --every | --warm-up)
        if (($# < 2)) || [[ -z $2 ]]; then wrong_use "$1 has no value"; fi
        set_option "$1" "$2"
        shift
        ;;
      --home=?* | --every=?* | --warm-up=?*) set_option "${1%%=*}" "${1#*=}" ;;
      --force) FORCE=(--force) ;;
      -h | --help)
        usage
        exit 0
        ;;
      -*) wrong_use "no option '$1'; the loader's options come after --" ;;
      *) WORDS+=("$1") ;;
    esac
    shift
  done
  if ((${#WORDS[@]} != 2)); then wrong_use "it takes OUTDIR and RUN-ID, and got ${#WORDS[@]} of them"; fi
  if ! $separated || ((${#LOADER_OPTIONS[@]} == 0)); then wrong_use "the loader's options are missing; they come after --"; fi
  number --every "$EVERY_S" "$EVERY_S_MIN" "$EVERY_S_MAX"
  number --warm-up "$WARM_UP_CHECKS" 0 "$WARM_UP_CHECKS_MAX"
  OUT=${WORDS[0]} RUN_ID=${WORDS[1]}
}

set_option() {
  case $1 in
    --home) OPT_HOME=$2 ;;
    --every) EVERY_S=$2 ;;
    --warm-up) WARM_UP_CHECKS=$2 ;;
  esac
}

# check [--last]: one row. Exit status 4: something grows for good. A check that fails is told and
# does not end the run.
check() {
  local status=0
  # Status 3 is an answer too: something is not well.
  cell_jar status --home "$QUEENCELL_HOME" --json >"$WORK/status.json" 2>"$WORK/status.err" || true
  if [[ ! -s $WORK/status.json ]]; then
    note "no status of the processes: $(tail -n 1 -- "$WORK/status.err")"
    printf '{}' >"$WORK/status.json"
  fi
  cell_jar soak --out "$OUT" --run-id "$RUN_ID" --status "$WORK/status.json" \
    --every "$EVERY_S" --warm-up "$WARM_UP_CHECKS" "$@" || status=$?
  if ((status != 0 && status != EXIT_TREND)); then
    note 'this check failed; the run goes on'
    return 0
  fi
  return "$status"
}

# wait_for_end SECONDS: whether the run ended within this time.
wait_for_end() {
  local deadline=$((SECONDS + $1))
  while kill -0 "$POINT" 2>/dev/null; do
    if ((SECONDS >= deadline)); then return 1; fi
    sleep 1
  done
}

pass_on() {
  INTERRUPTED=true
  if [[ -n $POINT ]]; then kill -INT "$POINT" 2>/dev/null || true; else exit 130; fi
}

clean_up() {
  trap - EXIT
  # Three signals end a point at once; it cleans up behind itself.
  local _
  for _ in 1 2 3; do
    if [[ -n $POINT ]]; then kill -INT "$POINT" 2>/dev/null || true; fi
  done
  if [[ -n $WORK ]]; then rm -rf -- "$WORK"; fi
}

watch_run() {
  while ! wait_for_end "$EVERY_S"; do
    if ! check; then
      note 'something grows for good; the run is ended'
      TREND=true
      kill -INT "$POINT" 2>/dev/null || true
      break
    fi
  done
  wait_for_end "$END_S" || note 'the run does not end'
  STATUS=0
  wait "$POINT" || STATUS=$?
  POINT=''
}

POINT='' WORK='' STATUS='' TREND=false INTERRUPTED=false
parse_options "$@"
resolve_home "$OPT_HOME"
need_cell
need_up
find_jdk
WORK=$(mktemp -d)
trap clean_up EXIT
trap pass_on INT TERM HUP
# In a process group of its own: Ctrl-C reaches this script alone, which passes it on.
set -m
"${INTERRUPTIBLE[@]}" "$QUEENCELL_ROOT/runpt.sh" --home "$QUEENCELL_HOME" "${FORCE[@]}" "$OUT" "$RUN_ID" -- "${LOADER_OPTIONS[@]}" \
  </dev/null >"$WORK/said" &
POINT=$!
set +m
watch_run
if [[ -e $OUT/$RUN_ID-interval.csv ]]; then
  if ! $TREND; then check --last || true; fi
  # The intervals' lines are in RUN-ID.stdout; the end is what is left to say.
  grep -vE '^ +[0-9]+s offered |^config ' -- "$WORK/said" || true
else
  cat -- "$WORK/said"
fi
if $TREND && ! $INTERRUPTED; then exit "$EXIT_TREND"; fi
exit "$STATUS"
