# shellcheck shell=bash
# How the kit talks: one line per step with its time, one clear block per failure. Sourced.
#
# A failure always names the step, the cause and the command to look further; `die` prints them and
# exits 1, and whoever has something to undo does it in an EXIT trap.

# The name a message starts with; scripts that source this set their own.
: "${SAY_AS:=${0##*/}}"

# Deadlines are written for a usual machine; a slow one (an emulated one, say) multiplies them all.
PATIENCE=${QUEENCELL_PATIENCE:-1}
PATIENCE_MAX=100

# Before a command that is ended with SIGINT: a script that was itself started in the background of
# another one inherits that this signal is ignored, and neither it nor its children can undo that.
INTERRUPTIBLE=(env --default-signal=INT)

# The step that is running, for the failure text; empty between steps.
SAY_STEP=''

say() { printf '%s\n' "$*"; }
note() { printf '%s: %s\n' "$SAY_AS" "$*" >&2; }

# die CAUSE [COMMAND TO LOOK FURTHER]
die() {
  if [[ -t 2 && -n $SAY_STEP ]]; then printf '\r\033[K' >&2; fi
  printf '%s: %s%s\n' "$SAY_AS" "${SAY_STEP:+$SAY_STEP: }" "$1" >&2
  if [[ -n ${2:-} ]]; then printf '  look further: %s\n' "$2" >&2; fi
  exit 1
}

if ! [[ $PATIENCE =~ ^[1-9][0-9]{0,2}$ ]] || ((PATIENCE > PATIENCE_MAX)); then
  die "QUEENCELL_PATIENCE is '$PATIENCE'; it takes a whole number from 1 to $PATIENCE_MAX"
fi

# die_with_log CAUSE LOG-FILE COMMAND: like die, with the last lines of the log as the reason.
die_with_log() {
  local cause=$1 log=$2 further=$3 tail_text=''
  if [[ -r $log ]]; then tail_text=$(tail -n "${SAY_LOG_LINES:-8}" -- "$log" | cut -c1-400); fi
  if [[ -n $tail_text ]]; then
    cause+=$'; the last lines of its log:\n  | '${tail_text//$'\n'/$'\n  | '}
  fi
  die "$cause" "$further"
}

# Milliseconds since some fixed moment; bash's own clock, no process is started.
now_ms() {
  local t=${EPOCHREALTIME/[.,]/}
  printf '%s' "$((t / 1000))"
}

seconds_text() { printf '%d.%d s' "$(($1 / 1000))" "$(($1 % 1000 / 100))"; }

# step TITLE FUNCTION [ARGUMENTS…]: runs the function in this shell and prints one line with the
# time it took. The function may set STEP_NOTE to say what it found or chose.
step() {
  local started title=$1
  shift
  SAY_STEP=$title STEP_NOTE=''
  started=$(now_ms)
  if [[ -t 1 ]]; then printf '         … %s' "$title"; fi
  "$@"
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
  printf '%8s  %s%s\n' "$(seconds_text $(($(now_ms) - started)))" "$title" "${STEP_NOTE:+: $STEP_NOTE}"
  SAY_STEP=''
}

# wait_until DEADLINE-MS FUNCTION [ARGUMENTS…]: asks again and again until it is true.
# Returns 1 when the deadline passes first.
wait_until() {
  local deadline=$(($(now_ms) + $1)) pause_s=0.02
  shift
  until "$@"; do
    if (($(now_ms) >= deadline)); then return 1; fi
    sleep "$pause_s"
    pause_s=0.1
  done
}

# quoted TEXT…: the words as a person can paste them into a shell.
quoted() {
  local word out=''
  for word in "$@"; do
    if [[ $word =~ ^[A-Za-z0-9_./:=,@%+-]+$ ]]; then out+=" $word"; else out+=" '${word//\'/\'\\\'\'}'"; fi
  done
  printf '%s' "${out# }"
}
