#!/usr/bin/env bash
# Keeps one process of a cell running where no systemd does: starts it, starts it again when it
# fails, waiting longer each time, and ends it when told to. One supervisor per process; it runs as
# the services' user inside the process's own cgroup, and needs nothing but bash and sleep.
#
#   supervise.sh RUN-DIR NAME STOP-STEPS COMMAND…
#
# STOP-STEPS is what to do on SIGTERM: `SIGNAL:SECONDS` pairs, each signal sent when the one before
# has not ended the process in its time ("INT:20 QUIT:5 KILL:5"). In RUN-DIR it keeps, per process:
#
#   NAME.supervisor   its own pid and that process's start time (in clock ticks since boot)
#   NAME.pid          the process's pid; gone while there is none
#   NAME.started      pid, start time in ticks and wall-clock second of the running process
#   NAME.restarts     how often it was started again
#   NAME.exit         how it ended last
#   NAME.wait         while it waits to be started again: for how many milliseconds in all
#
# A status of 0 is a wish to end, as for systemd's Restart=on-failure; any other status is a failure.
set -uo pipefail

BACKOFF_FIRST_MS=200
BACKOFF_MAX_MS=30000
# A process that ran this long was well: the next failure starts the backoff anew.
HEALTHY_AFTER_S=60

run_dir=$1 name=$2 stop_steps=$3
shift 3

stopping=false child=0 first_signal=${stop_steps%%:*}
trap 'request_stop' TERM INT
trap '' HUP

# The first signal goes out from here: a request that came just before `wait` would not end it.
request_stop() {
  stopping=true
  if ((child > 0)); then kill -s "$first_signal" "$child" 2>/dev/null; fi
}

# A pid alone may be reused; together with the start time it names one process for good.
start_ticks() {
  local stat
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
  # The command's name, in brackets, may hold spaces: count from the closing one.
  local -a fields
  read -r -a fields <<<"${stat##*) }"
  printf '%s' "${fields[19]}"
}

record() { printf '%s\n' "$2" >"$run_dir/$name.$1"; }
tell() { printf '%(%Y-%m-%dT%H:%M:%S%z)T supervise: %s\n' -1 "$1"; }

# Sleeps in short pieces, so that a request to stop is heard at once.
pause_ms() {
  local left=$1 piece
  while ((left > 0)) && ! $stopping; do
    piece=$((left < 200 ? left : 200))
    sleep "0.$(printf '%03d' "$piece")"
    left=$((left - piece))
  done
}

end_child() {
  local one signal tenths
  for one in $stop_steps; do
    signal=${one%:*} tenths=$((${one#*:} * 10))
    kill -s "$signal" "$child" 2>/dev/null || return 0
    while ((tenths-- > 0)); do
      kill -0 "$child" 2>/dev/null || return 0
      sleep 0.1
    done
    tell "$name has not ended ${one#*:} s after SIG$signal"
  done
}

await_child() {
  status=0
  while ! $stopping; do
    wait "$child"
    status=$?
    # A signal to this shell ends `wait` early: only a gone child is an answer.
    kill -0 "$child" 2>/dev/null || return 0
  done
  end_child
  wait "$child" 2>/dev/null
}

restarts=0 backoff_ms=$BACKOFF_FIRST_MS
record supervisor "$$ $(start_ticks $$)"
record restarts 0
rm -f -- "$run_dir/$name".{exit,wait}

until $stopping; do
  began_s=$EPOCHSECONDS
  "$@" &
  child=$!
  record started "$child $(start_ticks "$child") $began_s"
  record pid "$child"
  await_child
  child=0
  rm -f -- "$run_dir/$name.pid" "$run_dir/$name.started"
  record exit "status $status after $((EPOCHSECONDS - began_s)) s"
  if $stopping || ((status == 0)); then break; fi
  if ((EPOCHSECONDS - began_s >= HEALTHY_AFTER_S)); then backoff_ms=$BACKOFF_FIRST_MS; fi
  tell "$name ended with status $status; start number $((restarts + 2)) in $backoff_ms ms"
  record wait "$backoff_ms"
  pause_ms "$backoff_ms"
  rm -f -- "$run_dir/$name.wait"
  backoff_ms=$((backoff_ms * 2 > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : backoff_ms * 2))
  if ! $stopping; then record restarts "$((++restarts))"; fi
done
rm -f -- "$run_dir/$name.supervisor"
