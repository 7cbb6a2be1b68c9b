#!/usr/bin/env bash
# Measures one point: runs the load generator once while a sampler outside of the cell's cap records
# what the cell uses, and joins both into one summary.
# shellcheck disable=SC2317 # traps and wait_until call functions by name
set -euo pipefail
SAY_AS=runpt.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/tools/lib
for part in say home jdk account jars; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

SAMPLER_READY_MS=$((30000 * PATIENCE))
SAMPLER_STOP_MS=$((30000 * PATIENCE))
# What a point leaves, after its RUN-ID.
POINT_FILES=(
  .stdout .json -interval.csv .hlog .summary.json .sample.json .sampler.log .shape.txt
  .cpu.csv .pg.csv .waits.csv .metrics.csv .statements.csv
)
RUN_ID_PATTERN='^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'

usage() {
  cat <<'END'
Usage: runpt.sh [--home DIR] [--force] OUTDIR RUN-ID -- LOADER-OPTIONS…

Runs `loader.sh LOADER-OPTIONS…` against the cell in --home (default $QUEENCELL_HOME, else .cell
here) and records once a second what the cell uses. Leaves in OUTDIR:

  RUN-ID.summary.json   the point in one document, over the steady window
  RUN-ID.json …         the loader's own record (see loader.sh -help)
  RUN-ID.stdout         what the loader printed
  RUN-ID.shape.txt      caps in force, processes, settings, load average before and after
  RUN-ID.cpu.csv        CPU, throttling, memory, pressure and IO of every process and the slice
  RUN-ID.pg.csv         PostgreSQL's counters; .waits.csv: what its backends waited for
  RUN-ID.metrics.csv    the broker's and the proxy's own metrics
  RUN-ID.statements.csv what each statement cost (a cell brought up with PGSS=1)

It looks for two seconds first whether others use the machine, and refuses when they use more than a
tenth of its CPUs, or while another point runs on it, also of another cell. --force (or
QUEENCELL_FORCE_POINT=1) measures all the same, and the record says so.

Exits with the loader's status: 0 passed, 3 the verdict is FAIL, 130 interrupted; 2 for a wrong
command line and 1 when there is no cell to measure or the machine is not quiet. A point that never
began (the loader refused its options or ended before the load) leaves no files, so that its RUN-ID
can be taken again.

Example: runpt.sh out s1-2000 -- -mode cloud -tenants 4 -partitions 8 -rate 2000 -duration 45
END
}

# wrong_use CAUSE: what was wrong with the command line; exit status 2.
wrong_use() {
  printf '%s: %s\n  look further: runpt.sh -h\n' "$SAY_AS" "$1" >&2
  exit 2
}

parse_options() {
  OPT_HOME='' FORCED='' LOADER_OPTIONS=()
  if [[ ${QUEENCELL_FORCE_POINT:-0} != 0 ]]; then FORCED=1; fi
  local -a words=()
  local separated=false
  while (($# > 0)); do
    case $1 in
      --)
        separated=true
        shift
        LOADER_OPTIONS=("$@")
        break
        ;;
      --home)
        if (($# < 2)) || [[ -z $2 ]]; then wrong_use "--home needs a folder"; fi
        OPT_HOME=$2
        shift
        ;;
      --home=?*) OPT_HOME=${1#--home=} ;;
      --force) FORCED=1 ;;
      -h | --help)
        usage
        exit 0
        ;;
      -*) wrong_use "no option '$1'; the loader's options come after --" ;;
      *) words+=("$1") ;;
    esac
    shift
  done
  if ((${#words[@]} == 1)); then wrong_use "it takes OUTDIR and RUN-ID, and got 1 word"; fi
  if ((${#words[@]} != 2)); then wrong_use "it takes OUTDIR and RUN-ID, and got ${#words[@]} words"; fi
  if ! $separated || ((${#LOADER_OPTIONS[@]} == 0)); then wrong_use "the loader's options are missing; they come after --"; fi
  OUT=${words[0]} RUN_ID=${words[1]}
  if [[ ! $RUN_ID =~ $RUN_ID_PATTERN ]]; then wrong_use "RUN-ID is '$RUN_ID'; it takes up to 100 letters, digits, dots, dashes and underscores, a letter or digit first"; fi
  check_loader_options
}

# The record must lie where the samples lie, and the load must meet the cell that is sampled.
check_loader_options() {
  local option
  for option in "${LOADER_OPTIONS[@]}"; do
    if [[ $option =~ ^--?(out|run-id|home)(=|$) ]]; then wrong_use "-${BASH_REMATCH[1]} is set by runpt.sh; leave it out of the loader's options"; fi
  done
}

# prepare_folder: makes OUT absolute; a run never writes over another one's record.
prepare_folder() {
  local -a there
  if [[ ! -e $OUT ]]; then MADE_OUT=true; fi
  mkdir -p -- "$OUT" 2>/dev/null || die "can't make the folder $OUT"
  OUT=$(cd -- "$OUT" && pwd -P)
  if [[ ! -w $OUT ]]; then die "can't write in $OUT"; fi
  shopt -s nullglob
  there=("$OUT/$RUN_ID".*)
  shopt -u nullglob
  if [[ -e $OUT/$RUN_ID-interval.csv ]]; then there+=("$OUT/$RUN_ID-interval.csv"); fi
  if ((${#there[@]} > 0)); then wrong_use "there is a record of '$RUN_ID' in $OUT already (${there[0]##*/}); take another RUN-ID"; fi
}

# take_point: one point at a time on a cell, and none while the cell is being changed. What a
# killed point left behind is taken over.
take_point() {
  local pid='' lock=$QUEENCELL_HOME/run/point.lock
  lock_home
  if [[ -e $lock ]]; then
    read -r pid _ <"$lock" || true
    if [[ $pid =~ ^[0-9]+$ ]] && grep -qsF runpt.sh "/proc/$pid/cmdline"; then
      die "another point is running on this cell (process $pid); wait for it" "$(quoted ps -fp "$pid")"
    fi
    rm -f -- "$lock"
  fi
  if ! (set -C && printf '%s\n' "$$" >"$lock") 2>/dev/null; then die "can't write $lock"; fi
  POINT_LOCK=$lock
  exec 9>&-
}

# check_quiet: a point beside others measures them too. What was seen goes into the record.
check_quiet() {
  local said='' status=0
  said=$(cell_jar quiet --home "$QUEENCELL_HOME" --point-pid "$$" --report "$WORK/neighbours.json" ${FORCED:+--forced} 2>&1) || status=$?
  case $status in
    0) ;;
    3)
      if [[ -z $FORCED ]]; then
        die "${said##*$'\n'}; wait for it, or measure all the same with --force, which the record will say" "$(quoted top -c)"
      fi
      note "measuring all the same: ${said##*$'\n'}"
      ;;
    *) note "can't tell whether others use the machine, the run goes on: ${said##*$'\n'}" ;;
  esac
}

# start_sampler: a sampler that does not come up is noted; the run goes on without it.
start_sampler() {
  local log=$OUT/$RUN_ID.sampler.log
  # Not through cell_jar: the process to be signalled is the sampler itself.
  "$JAVA" "${CELL_JVM[@]}" -jar "$(cell_jar_path)" sample --home "$QUEENCELL_HOME" --out "$OUT" --run-id "$RUN_ID" \
    --loader-pid-file "$WORK/loader.pid" --ready-file "$WORK/ready" --neighbours-file "$WORK/neighbours.json" </dev/null >"$log" 2>&1 &
  SAMPLER=$!
  if ! wait_until "$SAMPLER_READY_MS" sampler_settled || [[ ! -e $WORK/ready ]]; then
    note "sampling did not begin, the run goes on without it: $(tail -n 1 -- "$log")"
  fi
}

sampler_settled() { [[ -e $WORK/ready ]] || ! kill -0 "$SAMPLER" 2>/dev/null; }
sampler_ended() { ! kill -0 "$SAMPLER" 2>/dev/null; }

stop_sampler() {
  local log=$OUT/$RUN_ID.sampler.log
  if [[ -z $SAMPLER ]]; then return 0; fi
  if sampler_ended; then
    if [[ -e $WORK/ready ]]; then note "the sampler died during the run: $(tail -n 1 -- "$log")"; fi
  else
    kill -TERM "$SAMPLER" 2>/dev/null || true
    if ! wait_until "$SAMPLER_STOP_MS" sampler_ended; then
      note "the sampler does not end; it is killed"
      kill -KILL "$SAMPLER" 2>/dev/null || true
    fi
  fi
  wait "$SAMPLER" 2>/dev/null || true
  SAMPLER=''
  if [[ ! -s $log ]]; then rm -f -- "$log"; fi
}

# run_loader: sets STATUS. What it prints goes to the terminal and into the record.
run_loader() {
  local copier
  mkfifo -- "$WORK/output"
  tee -- "$OUT/$RUN_ID.stdout" <"$WORK/output" &
  copier=$!
  "${INTERRUPTIBLE[@]}" "$QUEENCELL_ROOT/loader.sh" --home "$QUEENCELL_HOME" "${LOADER_OPTIONS[@]}" -out "$OUT" -run-id "$RUN_ID" \
    </dev/null >"$WORK/output" 2>&1 &
  LOADER=$!
  printf '%s\n' "$LOADER" >"$WORK/loader.pid"
  # A signal ends `wait` early; the loader's own end is an answer, the signal is not.
  while :; do
    SIGNALLED=false
    STATUS=0
    wait "$LOADER" || STATUS=$?
    if ! $SIGNALLED; then break; fi
  done
  LOADER=''
  while kill -0 "$copier" 2>/dev/null; do wait "$copier" || true; done
}

# pass_on: the first signals ask the loader to end with a partial record, the third makes it end.
pass_on() {
  SIGNALLED=true
  SIGNALS=$((SIGNALS + 1))
  if [[ -z $LOADER ]]; then
    if [[ -z $STATUS ]]; then exit 130; fi
    return 0
  fi
  if ((SIGNALS < 3)); then kill -INT -- "-$LOADER" 2>/dev/null || true; else kill -KILL -- "-$LOADER" 2>/dev/null || true; fi
}

# never_began: whether the loader ended before it offered any load; it opens its interval file at the
# first moment of it.
never_began() {
  case $STATUS in
    2) return 0 ;;
    0 | 3) return 1 ;;
    *) [[ ! -e $OUT/$RUN_ID.json && ! -e $OUT/$RUN_ID-interval.csv ]] ;;
  esac
}

# leave_nothing: removes what this run wrote, each by its name; other points may lie beside it.
leave_nothing() {
  local one
  for one in "${POINT_FILES[@]}"; do rm -f -- "$OUT/$RUN_ID$one"; done
  note "the point never began; nothing of '$RUN_ID' is left in $OUT"
}

summarise() {
  if [[ ! -s $OUT/$RUN_ID.json ]]; then
    note "the loader left no run record, so there is no summary"
    return 0
  fi
  cell_jar summary --out "$OUT" --run-id "$RUN_ID" || note "no summary; the files of the run are in $OUT"
}

clean_up() {
  trap - EXIT
  if [[ -n $LOADER ]]; then kill -KILL -- "-$LOADER" 2>/dev/null || true; fi
  if [[ -n $SAMPLER ]]; then
    kill -KILL "$SAMPLER" 2>/dev/null || true
    wait "$SAMPLER" 2>/dev/null || true
  fi
  # Interrupted before there was a loader.
  if [[ -n $WORK && -z $STATUS ]]; then leave_nothing; fi
  if $MADE_OUT; then rmdir -- "$OUT" 2>/dev/null || true; fi
  if [[ -n $POINT_LOCK ]]; then rm -f -- "$POINT_LOCK"; fi
  if [[ -n $WORK ]]; then rm -rf -- "$WORK"; fi
}

POINT_LOCK='' WORK='' SAMPLER='' LOADER='' STATUS='' SIGNALS=0 SIGNALLED=false MADE_OUT=false
parse_options "$@"
resolve_home "$OPT_HOME"
need_cell
need_up
find_jdk
prepare_folder
trap clean_up EXIT
trap pass_on INT TERM HUP
take_point
WORK=$(mktemp -d)
check_quiet
# Each child in a process group of its own: Ctrl-C reaches this script alone, which passes it on.
set -m
start_sampler
run_loader
stop_sampler
set +m
if never_began; then leave_nothing; else summarise; fi
exit "$STATUS"
