#!/usr/bin/env bash
# Verified load while faults are brought on, one after the other; ends with the loader's verdict.
# shellcheck disable=SC2153,SC2317 # parts set variables; traps and wait_until call functions by name
set -euo pipefail
SAY_AS=chaos.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk ports account secrets jars postgres units caps backend-supervised backend-systemd cgroups faults; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

SLOT_S_DEFAULT=30
HOLD_S_DEFAULT=5
RECOVERY_S_DEFAULT=120
SETTLE_S=3
LOAD_BEGIN_MS=300000
TAIL_S=15
DISK_MIB=3072
RELAY_PORT_OFFSET=6
RUN_ID=chaos

usage() {
  cat <<'MESSAGE'
Usage: tools/chaos.sh [--home DIR] [--out DIR] [OPTIONS]

Loads a cell and accounts for every message while faults happen to it: kill -9 and pauses of every
process, crashes of PostgreSQL, a slow, dead or cut way between broker and PostgreSQL, a full disk.
After each it waits until the cell is well and delivers again, and says how long that took. The end is
the loader's verdict.

  --cell-cpus N, --cell-mem G, --cap HOW, --port-base N
                   bring up a cell for this run, as vm-cell.sh up does, and remove it afterwards; without
                   any of these the running cell of --home is used as it is
  --home DIR       the cell's home   (default $QUEENCELL_HOME, else .cell; for an own cell a temporary one)
  --out DIR        where records go  (default chaos-UNIXTIME here)
  --modes LIST     loads that run side by side: cloud (through the proxy), order, app (straight to the
                   broker)                                                     (default cloud,order)
  --rate N         messages/s of each paced load                                        (default 50)
  --faults LIST    only these; --list names all
  --minutes N      faults at random for so long, instead of each once in a fixed order
  --seed N         of the random schedule                            (default: drawn, and printed)
  --slot S         seconds of load per fault of the fixed order                         (default 30)
  --hold S         how long a pause, cut, stall, delay or full disk lasts                (default 5)
  --recovery S     longest wait until the cell is well again                           (default 120)
  --no-build       as of vm-cell.sh up
  --list           names the faults
  -h, --help       this text

Leaves in --out what runpt.sh leaves for the run chaos, and events.csv and events.json.
Exit codes: 0 nothing lost and the cell well after every fault; 1 set-up failed, a fault from which the
cell did not recover, or one for which no time was left; 2 bad options; 3 the verdict is FAIL; 130
interrupted.

Example: tools/chaos.sh --cell-cpus 1 --cell-mem 4
MESSAGE
}

# wrong_use CAUSE: what was wrong with the command line; exit status 2.
wrong_use() {
  printf '%s: %s\n  look further: tools/chaos.sh -h\n' "$SAY_AS" "$1" >&2
  exit 2
}

parse_options() {
  OPT_HOME='' OPT_OUT='' OPT_MODES=cloud,order OPT_RATE=50 OPT_FAULTS='' OPT_MINUTES='' OPT_SEED=''
  OPT_SLOT=$SLOT_S_DEFAULT OPT_HOLD=$HOLD_S_DEFAULT OPT_RECOVERY=$RECOVERY_S_DEFAULT OPT_BUILD=auto OPT_PORT_BASE=''
  CELL_OPTIONS=() OWN_CELL=''
  while (($# > 0)); do
    if [[ $1 == --*=* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
    case $1 in
      -h | --help)
        usage
        exit 0
        ;;
      --list)
        printf '%s\n' "${FAULTS[@]}"
        exit 0
        ;;
      --no-build) OPT_BUILD=no-build ;;
      --cell-cpus | --cell-mem | --cap | --port-base | --home | --out | --modes | --rate | --faults | --minutes | --seed | --slot | --hold | --recovery)
        if (($# < 2)) || [[ -z $2 ]]; then wrong_use "$1 needs a value"; fi
        set_option "$1" "$2"
        shift
        ;;
      -*) wrong_use "no option '$1'" ;;
      *) wrong_use "it takes options only, and got '$1'" ;;
    esac
    shift
  done
  check_options
}

set_option() {
  case $1 in
    --cell-cpus | --cell-mem | --cap | --port-base)
      OWN_CELL=1
      CELL_OPTIONS+=("$1" "$2")
      if [[ $1 == --port-base ]]; then OPT_PORT_BASE=$2; fi
      ;;
    *)
      local name=${1#--}
      printf -v "OPT_${name^^}" '%s' "$2"
      ;;
  esac
}

check_options() {
  local one name
  for name in rate minutes seed slot hold recovery; do
    one=OPT_${name^^} one=${!one}
    if [[ -n $one && ! $one =~ ^[0-9]{1,5}$ ]] || [[ $name != seed && $one =~ ^0+$ ]]; then wrong_use "--$name is '$one'; it takes a whole number from $([[ $name == seed ]] && echo 0 || echo 1) to 99999"; fi
  done
  if [[ -n $OPT_SEED && -z $OPT_MINUTES ]]; then wrong_use "--seed goes with --minutes; the fixed order has nothing random"; fi
  if [[ -n $OPT_PORT_BASE && ! $OPT_PORT_BASE =~ ^[1-9][0-9]{3,4}$ ]]; then wrong_use "--port-base is '$OPT_PORT_BASE'; it takes a port"; fi
  IFS=, read -r -a MODES <<<"$OPT_MODES"
  for one in "${MODES[@]}"; do
    case $one in cloud | order | app) ;; *) wrong_use "--modes has '$one'; it takes cloud, order and app, by commas" ;; esac
  done
  IFS=, read -r -a WANTED <<<"${OPT_FAULTS:-$(IFS=, && printf '%s' "${FAULTS[*]}")}"
  for one in "${WANTED[@]}"; do
    if [[ " ${FAULTS[*]} " != *" $one "* ]]; then wrong_use "--faults has '$one'; it takes ${FAULTS[*]}, by commas"; fi
  done
}

prepare_out() {
  OPT_OUT=${OPT_OUT:-chaos-$EPOCHSECONDS}
  mkdir -p -- "$OPT_OUT" 2>/dev/null || die "can't make the folder $OPT_OUT"
  OUT=$(cd -- "$OPT_OUT" && pwd -P)
  if compgen -G "$OUT/${RUN_ID}[.-]*" >/dev/null || [[ -e $OUT/events.csv ]]; then wrong_use "there is a record of '$RUN_ID' in $OUT already; take another --out"; fi
  EVENTS=$OUT/events.csv
  printf 'epochMs,fault,event,ms,note\n' >"$EVENTS"
}

# event FAULT EVENT MS NOTE: one line for the reader, one for the record. Notes are our own words.
event() {
  local at
  at=$(now_ms)
  printf '%8s  %-14s %-12s %s\n' "$(seconds_text $((at - BEGAN_MS)))" "$1" "$2" "$4"
  printf '%s,%s,%s,%s,"%s"\n' "$at" "$1" "$2" "$3" "$4" >>"$EVENTS"
}

# The same events for programs that read JSON.
write_events_json() {
  awk -F, 'NR > 1 {
      note = $0; sub(/^[^"]*"/, "", note); sub(/"$/, "", note)
      printf "%s{\"epochMs\":%s,\"fault\":\"%s\",\"event\":\"%s\",\"ms\":%s,\"note\":\"%s\"}", (NR > 2 ? ",\n" : "[\n"), $1, $2, $3, ($4 == "" ? "null" : $4), note
    }
    END {print (NR > 1 ? "\n]" : "[]")}' "$EVENTS" >"$OUT/events.json"
}

# bring_up_own_cell: with a relay on the way to PostgreSQL, and its home on a disk of its own.
bring_up_own_cell() {
  local home=$OPT_HOME
  if [[ -z $home ]]; then
    MADE_HOME=$(mktemp -d)
    chmod 0755 -- "$MADE_HOME"
    home=$MADE_HOME/cell
  fi
  resolve_home "$home"
  if [[ -e $QUEENCELL_HOME/cell.env ]]; then die "there is a cell in $QUEENCELL_HOME already; take another --home, or leave out what --cell-cpus, --cell-mem, --cap and --port-base say to load it as it is"; fi
  if [[ -z $OPT_PORT_BASE ]]; then find_port_base; fi
  mkdir -p -- "$QUEENCELL_HOME"
  MADE_CELL=1
  find_jdk
  mount_disk
  mkdir -p -- "$QUEENCELL_HOME"/{log,conf}
  chmod 0755 -- "$QUEENCELL_HOME" "$QUEENCELL_HOME"/{log,conf}
  step 'build the jars' need_jars "$OPT_BUILD"
  start_relay "$((OPT_PORT_BASE + RELAY_PORT_OFFSET))" "127.0.0.1:$OPT_PORT_BASE"
  printf 'PG_PORT=%d\n' "$((OPT_PORT_BASE + RELAY_PORT_OFFSET))" >"$QUEENCELL_HOME/conf/broker.local.env"
  say "bringing up a cell in $QUEENCELL_HOME"
  "$QUEENCELL_ROOT/vm-cell.sh" up --home "$QUEENCELL_HOME" --no-build "${CELL_OPTIONS[@]}" </dev/null >"$OUT/up.txt" 2>&1 ||
    die_with_log 'the cell does not come up' "$OUT/up.txt" "$(quoted cat "$OUT/up.txt")"
}

find_port_base() {
  local port taken=1
  while [[ -n $taken ]]; do
    taken='' OPT_PORT_BASE=$((20000 + RANDOM % 10000))
    for ((port = OPT_PORT_BASE; port <= OPT_PORT_BASE + RELAY_PORT_OFFSET; port++)); do
      if port_taken "$port"; then taken=1; fi
    done
  done
  CELL_OPTIONS+=(--port-base "$OPT_PORT_BASE")
}

# mount_disk: a file system in a file, so that full is full. Without the right to mount one the fault
# is left out, with its reason.
mount_disk() {
  local image=$QUEENCELL_HOME.img
  if ((EUID != 0)) || [[ " ${WANTED[*]} " != *' full-disk '* ]]; then return 0; fi
  if truncate -s "${DISK_MIB}M" "$image" && mkfs.ext4 -q -m 0 "$image" >/dev/null 2>&1 && mount -o loop,nodev,nosuid "$image" "$QUEENCELL_HOME" 2>/dev/null; then
    DISK_MOUNTED=1
  else
    rm -f -- "$image"
  fi
}

# start_relay PORT HOST:PORT
start_relay() {
  local answer=''
  coproc CHAOS_RELAY { exec "$JAVA" "${CELL_JVM[@]}" -jar "$(jar_path cell)" relay --listen "$1" --to "$2" 2>"$OUT/relay.log"; }
  RELAY_PID=$CHAOS_RELAY_PID RELAY_OUT=${CHAOS_RELAY[0]} RELAY_IN=${CHAOS_RELAY[1]}
  IFS= read -r -t 60 -u "$RELAY_OUT" answer || true
  if [[ $answer != 'ok pass' ]]; then die_with_log "the relay does not come up" "$OUT/relay.log" "$(quoted cat "$OUT/relay.log")"; fi
}

# take_cell: reads what the home says, as those who change a cell do.
take_cell() {
  need_cell
  need_up
  ACCOUNT=$QUEENCELL_SERVICE_USER
  ACCOUNT_UID=$(id -u "$ACCOUNT") ACCOUNT_GID=$(id -g "$ACCOUNT")
  if ((EUID != 0 && EUID != ACCOUNT_UID)); then die "the cell in $QUEENCELL_HOME belongs to '$ACCOUNT'; break it as that user or as root"; fi
  set_backend
  find_jdk
}

# choose_faults: of the wanted ones those that can happen here; the others are named with the reason.
choose_faults() {
  local one why
  CHOSEN=()
  for one in "${WANTED[@]}"; do
    why=$(fault_missing "$one")
    if [[ -n $why ]]; then
      event "$one" skipped '' "$why"
    else
      CHOSEN+=("$one")
    fi
  done
  if ((${#CHOSEN[@]} == 0)); then die 'none of these faults can be brought on here'; fi
}

# load_options MODE: sets LOAD, the loader's options. Leases end soon, so that what a dead consumer
# or a lost answer held comes again within the drain.
load_options() {
  LOAD=(-mode "$1" -duration "$DURATION_S" -drain "$((OPT_RECOVERY > 60 ? OPT_RECOVERY : 60))" -report 1 -lease-time 10 -timeout 15000 -partitions 8)
  case $1 in
    cloud) LOAD+=(-rate "$OPT_RATE" -tenants 3) ;;
    app) LOAD+=(-rate "$OPT_RATE") ;;
    order) LOAD+=(-messages 0) ;;
  esac
}

# start_loads: the first under runpt.sh, which samples the cell; the others beside it.
start_loads() {
  local mode id i
  LOADS=() LOAD_PIDS=()
  set -m
  for i in "${!MODES[@]}"; do
    mode=${MODES[i]}
    load_options "$mode"
    if ((i == 0)); then
      id=$RUN_ID
      "${INTERRUPTIBLE[@]}" "$QUEENCELL_ROOT/runpt.sh" --home "$QUEENCELL_HOME" --force "$OUT" "$id" -- "${LOAD[@]}" </dev/null >"$OUT/$id-run.txt" 2>&1 &
    else
      id=$RUN_ID-$mode
      "${INTERRUPTIBLE[@]}" "$QUEENCELL_ROOT/loader.sh" --home "$QUEENCELL_HOME" "${LOAD[@]}" -out "$OUT" -run-id "$id" </dev/null >"$OUT/$id-run.txt" 2>&1 &
    fi
    LOADS+=("$id") LOAD_PIDS+=("$!")
  done
  set +m
  for id in "${LOADS[@]}"; do
    if ! wait_until "$LOAD_BEGIN_MS" load_settled "$id" || ! load_runs; then
      die_with_log "the load $id did not begin" "$OUT/$id-run.txt" "$(quoted cat "$OUT/$id-run.txt")"
    fi
  done
}

load_settled() { delivers "$1" 0 || ! load_runs; }

load_runs() {
  local pid
  for pid in "${LOAD_PIDS[@]}"; do
    if ! kill -0 "$pid" 2>/dev/null; then return 1; fi
  done
}

lines_of() { if [[ -e $OUT/$1-interval.csv ]]; then wc -l <"$OUT/$1-interval.csv"; else printf 0; fi; }

# delivers ID LINES: whether its consumers got messages in a second after so many lines of its intervals.
delivers() { [[ -e $OUT/$1-interval.csv ]] && awk -F, -v after="$2" 'NR > after + 1 && $6 > 0 {found = 1} END {exit !found}' "$OUT/$1-interval.csv"; }

all_deliver() {
  local i
  for i in "${!LOADS[@]}"; do
    if ! delivers "${LOADS[i]}" "${LINES_BEFORE[i]}"; then return 1; fi
  done
}

# bring_on FAULT HOLD-S: the fault, its end, and the wait until nothing is left of it.
bring_on() {
  local fault=$1 hold_s=$2 from well id
  FAULT=$fault
  fault_begin "$fault"
  from=$(now_ms)
  event "$fault" began '' "$FAULT_NOTE"
  if [[ -n $FAULT_HELD ]]; then
    sleep "$hold_s"
    fault_end "$fault"
    event "$fault" ended "$(($(now_ms) - from))" "held for $hold_s s"
    from=$(now_ms)
  fi
  LINES_BEFORE=()
  for id in "${LOADS[@]}"; do LINES_BEFORE+=("$(lines_of "$id")"); done
  if [[ $fault == stop-pg ]]; then start_what_was_stopped; fi
  if ! wait_until $((OPT_RECOVERY * 1000)) fault_over; then
    NOT_RECOVERED+=("$fault")
    event "$fault" not-well "$(($(now_ms) - from))" "$(unwell)"
    FAULT=''
    return 0
  fi
  well=$(($(now_ms) - from))
  event "$fault" well "$well" "all processes are well $(seconds_text "$well") later"
  # The load may be over by now; then the verdict tells.
  if load_runs && ! wait_until $((OPT_RECOVERY * 1000)) delivered_or_over; then
    NOT_RECOVERED+=("$fault")
    event "$fault" not-delivering "$(($(now_ms) - from))" 'no message comes through'
  elif load_runs; then
    event "$fault" delivering "$(($(now_ms) - from))" "messages come through $(seconds_text $(($(now_ms) - from))) later"
  fi
  FAULT=''
}

delivered_or_over() { all_deliver || ! load_runs; }

unwell() {
  local name list=''
  for name in $(cell_units); do
    if ! unit_healthy "$name"; then list+=" $name"; fi
  done
  printf 'not well within %s s:%s' "$OPT_RECOVERY" "${list:- well again just after}"
}

# A server that was told to stop, however rudely, is not started again by itself: somebody does it.
start_what_was_stopped() {
  wait_until "$FAULT_GONE_MS" fault_gone || true
  if [[ $("${BACKEND}_state" pg) != @(running|restarting) ]]; then
    "$QUEENCELL_ROOT/vm-cell.sh" up --home "$QUEENCELL_HOME" --no-build --force </dev/null >>"$OUT/up.txt" 2>&1 || true
    event stop-pg started '' 'it stays down after a stop; vm-cell.sh up started it'
  fi
}

fault_gone() { [[ ! -d /proc/$FAULT_PID ]]; }

fixed_schedule() {
  local one
  LEFT_OUT=()
  for one in "${CHOSEN[@]}"; do
    if (($(now_ms) > LOAD_END_MS)) || ! load_runs; then
      LEFT_OUT+=("$one")
      event "$one" left-out '' 'the load is over'
      continue
    fi
    bring_on "$one" "$OPT_HOLD"
    sleep "$SETTLE_S"
  done
}

random_schedule() {
  LEFT_OUT=()
  while (($(now_ms) < LOAD_END_MS)) && load_runs; do
    bring_on "${CHOSEN[RANDOM % ${#CHOSEN[@]}]}" "$((1 + RANDOM % (2 * OPT_HOLD)))"
    sleep "$((1 + RANDOM % (2 * SETTLE_S)))"
  done
}

# finish_loads: waits for their ends; sets WORST to the worst of their statuses, by what they mean.
finish_loads() {
  local i status
  WORST=0
  for i in "${!LOADS[@]}"; do
    status=0
    wait "${LOAD_PIDS[i]}" || status=$?
    if ((status == 3)) || ((status != 0 && WORST != 3)); then WORST=$status; fi
    event "${LOADS[i]}" verdict '' "$(grep -h '^VERDICT' "$OUT/${LOADS[i]}-run.txt" | tail -n 1 || true) (status $status)"
    grep -hE '^tenant [0-9]+ accepted' "$OUT/${LOADS[i]}-run.txt" | sed 's/^/          /' || true
  done
  LOAD_PIDS=()
}

clean_up() {
  local pid
  trap - EXIT
  if [[ -n $FAULT && -n ${FAULT_HELD:-} ]]; then fault_end "$FAULT" || true; fi
  for pid in "${LOAD_PIDS[@]}"; do
    if kill -0 "$pid" 2>/dev/null; then kill -INT -- "-$pid" 2>/dev/null || true; fi
  done
  for pid in "${LOAD_PIDS[@]}"; do wait "$pid" 2>/dev/null || true; done
  if [[ -n $MADE_CELL ]]; then remove_own_cell; fi
  if [[ -n $RELAY_PID ]]; then kill "$RELAY_PID" 2>/dev/null || true; fi
  if [[ -n ${EVENTS:-} && -e $EVENTS ]]; then write_events_json; fi
}

remove_own_cell() {
  if [[ -e $QUEENCELL_HOME/cell.env ]]; then
    if [[ -n $KEEP_LOGS ]]; then cp -r -- "$QUEENCELL_HOME/log" "$OUT/log" || true; fi
    "$QUEENCELL_ROOT/vm-cell.sh" down --purge --home "$QUEENCELL_HOME" --force </dev/null >>"$OUT/up.txt" 2>&1 ||
      note "the cell in $QUEENCELL_HOME does not go down; see $OUT/up.txt"
  fi
  if [[ -n $DISK_MOUNTED ]]; then umount -- "$QUEENCELL_HOME" || note "$QUEENCELL_HOME stays mounted"; fi
  rm -rf -- "${QUEENCELL_HOME:?}"/{log,conf}
  rm -f -- "$QUEENCELL_HOME.img"
  rmdir -- "$QUEENCELL_HOME" ${MADE_HOME:+"$MADE_HOME"} 2>/dev/null || true
}

RELAY_PID='' DISK_MOUNTED='' MADE_CELL='' MADE_HOME='' FAULT='' LOAD_PIDS=() NOT_RECOVERED=() KEEP_LOGS=''
parse_options "$@"
if [[ -z $OWN_CELL ]]; then
  resolve_home "$OPT_HOME"
  need_cell
  need_up
fi
prepare_out
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
BEGAN_MS=$(now_ms)
if [[ -n $OWN_CELL ]]; then bring_up_own_cell; fi
take_cell
choose_faults
if [[ -n $OPT_MINUTES ]]; then
  OPT_SEED=${OPT_SEED:-$((RANDOM % 32768))}
  DURATION_S=$((OPT_MINUTES * 60 + TAIL_S))
  say "random faults for $OPT_MINUTES min, seed $OPT_SEED: ${CHOSEN[*]}"
else
  DURATION_S=$((${#CHOSEN[@]} * OPT_SLOT + TAIL_S))
  say "${#CHOSEN[@]} faults in $DURATION_S s: ${CHOSEN[*]}"
fi
if [[ " ${MODES[*]} " == *' cloud '* ]]; then
  "$QUEENCELL_ROOT/loader.sh" --home "$QUEENCELL_HOME" -mode provision -tenants 3 </dev/null >"$OUT/tenants.txt" 2>&1 ||
    die_with_log 'no tenants' "$OUT/tenants.txt" "$(quoted cat "$OUT/tenants.txt")"
fi
say "starting the loads ${MODES[*]}, and waiting until messages come through"
start_loads
LOAD_END_MS=$(($(now_ms) + (DURATION_S - TAIL_S) * 1000))
if [[ -n $OPT_MINUTES ]]; then
  RANDOM=$OPT_SEED
  random_schedule
else
  fixed_schedule
fi
say 'the faults are over; waiting for the end of the load'
finish_loads
STATUS=$WORST
if ! fault_over; then
  NOT_RECOVERED+=(end)
  event end not-well '' "$(unwell)"
fi
if ((STATUS == 0)) && ((${#NOT_RECOVERED[@]} + ${#LEFT_OUT[@]} > 0)); then STATUS=1; fi
if ((STATUS != 0)); then KEEP_LOGS=1; fi
say "not recovered from: ${NOT_RECOVERED[*]:-none}; left out: ${LEFT_OUT[*]:-none}; verdict status $WORST"
exit "$STATUS"
