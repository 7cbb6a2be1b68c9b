#!/usr/bin/env bash
# Waits before a unit of systemd is started again, longer after each failure in a row, with the same
# numbers as supervise.sh. It is the unit's ExecStartPre, since only systemd 254 and newer can do so
# by themselves (RestartSteps=), and those count over a unit's whole life: once it has failed a few
# times, every later start waits longest.
#
#   backoff.sh RUN-DIR NAME WAITED-MS
#
# WAITED-MS is what systemd has waited already (RestartSec=). RUN-DIR/NAME.backoff holds how many
# failures in a row there were, and at which second since boot the unit was last let go; whoever
# starts a unit anew removes it. RUN-DIR/NAME.wait tells how long the wait is while it lasts. Always
# ends well: a unit is never kept down by this.
set -uo pipefail

BACKOFF_FIRST_MS=200
BACKOFF_MAX_MS=30000
# A process that ran this long was well: the next failure starts the backoff anew.
HEALTHY_AFTER_S=60

file=$1/$2.backoff wait_file=$1/$2.wait waited_ms=$3

# The machine's own clock: nobody sets it.
uptime_s() {
  local text
  read -r text _ </proc/uptime
  printf '%d' "${text%.*}"
}

failures=0 let_go_s=''
if read -r failures let_go_s 2>/dev/null <"$file" && [[ $failures =~ ^[0-9]{1,6}$ && $let_go_s =~ ^[0-9]{1,12}$ ]]; then
  now_s=$(uptime_s)
  # Before the last start is after a reboot.
  if ((now_s < let_go_s || now_s - let_go_s >= HEALTHY_AFTER_S)); then failures=0; fi
  failures=$((failures + 1)) total_ms=$BACKOFF_FIRST_MS
  for ((i = 1; i < failures && total_ms < BACKOFF_MAX_MS; i++)); do total_ms=$((total_ms * 2)); done
  if ((total_ms > BACKOFF_MAX_MS)); then total_ms=$BACKOFF_MAX_MS; fi
  printf '%(%Y-%m-%dT%H:%M:%S%z)T backoff: %s failed, %d in a row; started again %d ms later\n' -1 "$2" "$failures" "$total_ms"
  left_ms=$((total_ms - waited_ms))
  if ((left_ms > 0)); then
    printf '%d\n' "$total_ms" >"$wait_file"
    sleep "$((left_ms / 1000)).$(printf '%03d' $((left_ms % 1000)))"
  fi
fi
rm -f -- "$wait_file"
printf '%d %d\n' "$failures" "$(uptime_s)" >"$file"
exit 0
