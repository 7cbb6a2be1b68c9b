#!/usr/bin/env bats
# The supervisor on processes of its own; needs nothing of a cell.

load kit

setup() {
  open_folder
  RUN=$FOLDER
  SUPERVISOR=''
}

teardown() {
  if [[ -n $SUPERVISOR ]] && ! gone "$SUPERVISOR"; then kill -TERM "$SUPERVISOR"; fi
  if [[ -n $SUPERVISOR ]]; then eventually 15 gone "$SUPERVISOR"; fi
}

# supervise STOP-STEPS COMMAND…
supervise() {
  "$ROOT/tools/lib/supervise.sh" "$RUN" unit "$@" >"$RUN/log" 2>&1 3>&- &
  SUPERVISOR=$!
  eventually 5 test -s "$RUN/unit.restarts"
}

running_pid() { cat "$RUN/unit.pid" 2>/dev/null; }
restarts_at_least() { (($(cat "$RUN/unit.restarts") >= $1)); }

@test "it records its own pid, the process's pid and both start times" {
  supervise "TERM:5 KILL:1" sleep 600
  eventually 5 test -s "$RUN/unit.pid"
  pid=$(running_pid)
  [[ $(cat "/proc/$pid/comm") == sleep ]]
  read -r recorded ticks began <"$RUN/unit.started"
  [[ $recorded == "$pid" ]]
  [[ $ticks == "$(cut -d' ' -f22 "/proc/$pid/stat")" ]]
  ((began <= EPOCHSECONDS && began > EPOCHSECONDS - 60))
  read -r recorded _ <"$RUN/unit.supervisor"
  [[ $recorded == "$SUPERVISOR" ]]
}

@test "it starts a killed process again and counts the restart" {
  supervise "TERM:5 KILL:1" sleep 600
  eventually 5 test -s "$RUN/unit.pid"
  first=$(running_pid)
  kill -KILL "$first"
  eventually 5 restarts_at_least 1
  eventually 5 test -s "$RUN/unit.pid"
  [[ $(running_pid) != "$first" ]]
  grep -q 'ended with status 137' "$RUN/log"
}

@test "it waits longer after each failure" {
  # shellcheck disable=SC2016 # expanded by the process
  supervise "TERM:5 KILL:1" bash -c 'printf "%s\n" "$EPOCHREALTIME" >>"$0/starts"; exit 3' "$RUN"
  eventually 10 restarts_at_least 3
  mapfile -t at < <(sed 's/[.,]//; s/...$//' "$RUN/starts")
  ((at[1] - at[0] >= 200))
  ((at[2] - at[1] >= 400))
  ((at[3] - at[2] >= 800))
}

@test "while it waits it tells for how long, and no longer once the process runs" {
  # shellcheck disable=SC2016 # expanded by the process
  supervise "TERM:5 KILL:1" bash -c 'if [[ ! -e $0/go ]]; then exit 3; fi; exec sleep 600' "$RUN"
  waits() { [[ $(cat "$RUN/unit.wait" 2>/dev/null) == "$1" ]]; }
  for ms in 800 1600; do eventually 10 waits "$ms"; done
  grep -q '^status 3 ' "$RUN/unit.exit"
  touch "$RUN/go"
  eventually 10 test -s "$RUN/unit.pid"
  eventually 10 runs_sleep
  [[ ! -e $RUN/unit.wait ]]
}

runs_sleep() { [[ $(cat "/proc/$(running_pid)/comm" 2>/dev/null) == sleep ]]; }

@test "it does not start a process again that ended with status 0" {
  supervise "TERM:5 KILL:1" true
  eventually 5 gone "$SUPERVISOR"
  [[ $(cat "$RUN/unit.restarts") == 0 ]]
  grep -q '^status 0 ' "$RUN/unit.exit"
}

@test "it ends the process and itself when told to" {
  supervise "TERM:5 KILL:1" sleep 600
  eventually 5 test -s "$RUN/unit.pid"
  pid=$(running_pid)
  kill -TERM "$SUPERVISOR"
  eventually 5 gone "$SUPERVISOR"
  gone "$pid"
  [[ ! -e $RUN/unit.pid && ! -e $RUN/unit.supervisor ]]
}

@test "it sends the next signal when one is ignored" {
  supervise "INT:1 TERM:1 KILL:5" bash -c 'trap "" INT TERM; while :; do sleep 0.1; done'
  eventually 5 test -s "$RUN/unit.pid"
  pid=$(running_pid)
  kill -TERM "$SUPERVISOR"
  eventually 10 gone "$SUPERVISOR"
  gone "$pid"
  grep -q 'has not ended 1 s after SIGINT' "$RUN/log"
  grep -q 'has not ended 1 s after SIGTERM' "$RUN/log"
}

@test "it ends at once while it waits to start the process again" {
  supervise "TERM:5 KILL:1" false
  eventually 10 restarts_at_least 3
  began=$SECONDS
  kill -TERM "$SUPERVISOR"
  eventually 2 gone "$SUPERVISOR"
  ((SECONDS - began <= 2))
}

@test "it survives the end of its terminal" {
  supervise "TERM:5 KILL:1" sleep 600
  eventually 5 test -s "$RUN/unit.pid"
  kill -HUP "$SUPERVISOR"
  kill -HUP "$SUPERVISOR"
  alive "$SUPERVISOR"
  alive "$(running_pid)"
}

@test "it starts anew after a process that was well for long" {
  # Shown on a copy whose idea of long is one second.
  sed 's/^HEALTHY_AFTER_S=60$/HEALTHY_AFTER_S=1/' "$ROOT/tools/lib/supervise.sh" >"$RUN/quick.sh"
  grep -q '^HEALTHY_AFTER_S=1$' "$RUN/quick.sh"
  bash "$RUN/quick.sh" "$RUN" unit "TERM:5 KILL:1" bash -c 'sleep 1.1; exit 3' >"$RUN/log" 2>&1 3>&- &
  SUPERVISOR=$!
  eventually 15 restarts_at_least 2 2>/dev/null
  [[ $(grep -c 'in 200 ms' "$RUN/log") -ge 2 ]]
}
