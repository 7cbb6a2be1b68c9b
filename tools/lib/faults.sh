# shellcheck shell=bash
# The faults that chaos.sh brings on, each with its end, and what a cell must have for it. Sourced
# after units.sh, caps.sh, the backends and cgroups.sh, with the settings of a running cell.

# Every fault, in the order of the fixed schedule.
FAULTS=(
  kill-proxy kill-broker kill-state kill-statepg kill-pg
  pause-proxy pause-broker pause-state pause-statepg pause-pg
  kill-backend stop-pg delay stall cut full-disk
)

# What a cell on a slow way to its database still bears.
FAULT_DELAY_MS=50
FAULT_RELAY_ANSWER_S=30
FAULT_GONE_MS=10000

# A file that takes the rest of the disk.
fault_ballast() { printf '%s/chaos.ballast' "$QUEENCELL_HOME"; }

# fault_missing FAULT: why it can't be brought on here; nothing when it can.
fault_missing() {
  case $1 in
    *-pg | kill-backend)
      if [[ $QUEENCELL_PG_MODE == external ]]; then printf 'this cell does not run its PostgreSQL itself'; fi
      ;;
    delay | stall | cut)
      if [[ -z ${RELAY_PID:-} ]]; then printf 'there is no relay between broker and PostgreSQL; chaos.sh puts one into a cell that it brings up itself'; fi
      ;;
    full-disk)
      if [[ -z ${DISK_MOUNTED:-} ]]; then printf 'the home has no disk of its own; chaos.sh mounts one, as root, for a cell that it brings up itself'; fi
      ;;
  esac
}

# unit_pid UNIT: its main process; nothing while it has none.
unit_pid() {
  local pid=''
  if [[ $BACKEND == systemd ]]; then
    pid=$(sd show --property=MainPID --value "$(systemd_unit "$1")" 2>/dev/null) || true
    if [[ $pid == 0 ]]; then pid=''; fi
  elif recorded "$1" started; then
    pid=$RECORDED_PID
  fi
  printf '%s' "$pid"
}

# process_tree PID: it and all its descendants, one a line.
process_tree() {
  local file stat pid
  local -a fields
  for file in /proc/[0-9]*/stat; do
    { read -r stat <"$file"; } 2>/dev/null || continue
    pid=${stat%% *}
    read -r -a fields <<<"${stat##*) }"
    printf '%s %s\n' "$pid" "${fields[1]}"
  done | awk -v root="$1" '
    {parent[$1] = $2}
    END {
      for (pid in parent) {
        at = pid
        while (at in parent && at != root) at = parent[at]
        if (at == root) print pid
      }
    }'
}

# signal_tree SIGNAL PID: PostgreSQL is many processes, and a pause must hold all of them.
signal_tree() {
  local -a pids
  mapfile -t pids < <(process_tree "$2")
  if ((${#pids[@]} > 0)); then kill -s "$1" "${pids[@]}" 2>/dev/null || true; fi
}

# relay LINE: tells the relay what the way to PostgreSQL is like from now on.
relay() {
  local answer=''
  # shellcheck disable=SC2153 # chaos.sh sets it
  printf '%s\n' "$1" >&"$RELAY_IN" || die 'the relay between broker and PostgreSQL is gone'
  IFS= read -r -t "$FAULT_RELAY_ANSWER_S" -u "$RELAY_OUT" answer || true
  if [[ $answer != "ok $1" ]]; then die "the relay did not obey '$1': ${answer:-no answer}"; fi
}

# fault_begin FAULT: brings it on; sets FAULT_NOTE, and FAULT_UNIT and FAULT_PID where a process is to be
# replaced, and FAULT_HELD for what lasts until fault_end.
fault_begin() {
  FAULT_NOTE='' FAULT_UNIT='' FAULT_PID='' FAULT_HELD=''
  case $1 in
    kill-backend) kill_a_backend ;;
    kill-* | stop-pg)
      FAULT_UNIT=${1#*-}
      FAULT_PID=$(unit_pid "$FAULT_UNIT")
      if [[ -z $FAULT_PID ]]; then
        FAULT_NOTE='it does not run'
        return 0
      fi
      if [[ $1 == stop-pg ]]; then
        kill -s QUIT "$FAULT_PID"
        FAULT_NOTE="immediate stop of process $FAULT_PID"
      else
        kill -s KILL "$FAULT_PID"
        FAULT_NOTE="kill -9 of process $FAULT_PID"
      fi
      ;;
    pause-*)
      FAULT_HELD=$(unit_pid "${1#pause-}")
      if [[ -z $FAULT_HELD ]]; then
        FAULT_NOTE='it does not run'
        return 0
      fi
      signal_tree STOP "$FAULT_HELD"
      FAULT_NOTE="process $FAULT_HELD and its children stand still"
      ;;
    delay)
      relay "delay $FAULT_DELAY_MS"
      FAULT_HELD=1 FAULT_NOTE="$FAULT_DELAY_MS ms between broker and PostgreSQL, each way"
      ;;
    stall)
      relay stall
      FAULT_HELD=1 FAULT_NOTE='every packet between broker and PostgreSQL is lost'
      ;;
    cut)
      relay cut
      FAULT_HELD=1 FAULT_NOTE='connections between broker and PostgreSQL are reset'
      ;;
    full-disk)
      fill_disk
      FAULT_HELD=1
      ;;
  esac
}

# fault_end FAULT: takes back what lasts.
fault_end() {
  case $1 in
    pause-*) signal_tree CONT "$FAULT_HELD" ;;
    delay | stall | cut) relay pass ;;
    full-disk) rm -f -- "$(fault_ballast)" ;;
  esac
  FAULT_HELD=''
}

# One of the broker's sessions dies as if by a fault of the server; the postmaster then restarts all.
kill_a_backend() {
  local postmaster pid
  postmaster=$(unit_pid pg)
  if [[ -n $postmaster ]]; then
    for pid in $(process_tree "$postmaster"); do
      if { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -q "^postgres: $QUEENCELL_PG_USER $QUEENCELL_PG_DB "; then
        kill -s KILL "$pid" 2>/dev/null || continue
        FAULT_NOTE="kill -9 of the broker's session in process $pid"
        return 0
      fi
    done
  fi
  FAULT_NOTE='the broker has no session'
}

# Blocks are reserved, not written: at once, and nothing outside is used for it.
fill_disk() {
  local ballast free
  ballast=$(fault_ballast)
  : >"$ballast"
  # A last few blocks go to the ballast's own map.
  while free=$(df -PB4096 -- "$QUEENCELL_HOME" | awk 'NR == 2 {print $4}') && ((free > 0)); do
    if ! fallocate -o "$(stat -c %s -- "$ballast")" -l "$((free * 4096))" -- "$ballast" 2>/dev/null; then break; fi
  done
  FAULT_NOTE="$(free_space_mb "$QUEENCELL_HOME") MiB are free on the disk of the cell's home"
}

# fault_over: whether the cell is well again, in a new process where one was to be replaced.
fault_over() {
  local name
  if [[ -n $FAULT_UNIT && -n $FAULT_PID ]]; then
    if [[ -d /proc/$FAULT_PID ]] && [[ $(unit_pid "$FAULT_UNIT") == "$FAULT_PID" ]]; then return 1; fi
  fi
  for name in $(cell_units); do
    if ! unit_healthy "$name"; then return 1; fi
  done
}
