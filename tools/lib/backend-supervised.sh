# shellcheck shell=bash
# Runs the cell's processes without systemd: each under its own supervise.sh, which root first puts
# into the process's cgroup (where there are any) and which then becomes the services' user. Sourced
# after home.sh, account.sh and units.sh.

# What this command launched, by unit: until the supervisor wrote its record, this is all there is.
declare -A SUPERVISED_LAUNCHED=()
SUPERVISED_LAUNCHING=''

SUPERVISED_BEGIN_MS=$((5000 * PATIENCE))
SUPERVISED_KILL_MS=$((5000 * PATIENCE))

# supervised_start NAME: starts what build_unit described. Returns when it runs.
supervised_start() {
  local name=$1 group_files
  local -a launch=(env -i "${UNIT_ENV[@]}" bash "$QUEENCELL_HOME/lib/supervise.sh" "$QUEENCELL_HOME/run" "$name" "$UNIT_STOP_STEPS" "${UNIT_ARGV[@]}")
  if ((EUID == 0)); then
    launch=(setpriv --reuid "$ACCOUNT_UID" --regid "$ACCOUNT_GID" --clear-groups --no-new-privs -- "${launch[@]}")
  fi
  group_files=$(cgroup_procs_files "$name")
  rm -f -- "$QUEENCELL_HOME/run/$name".{exit,restarts,pid,started,wait}
  SUPERVISED_LAUNCHING=$name
  (
    close_descriptors
    umask 077
    cd -- "$QUEENCELL_HOME/run" || exit
    # The launcher joins first: no moment of the process is billed elsewhere.
    while IFS= read -r file; do
      if [[ -n $file ]]; then printf '%s\n' "$BASHPID" >"$file"; fi
    done <<<"$group_files"
    exec setsid "${launch[@]}"
  ) </dev/null >>"$(unit_log "$name")" 2>&1 &
  SUPERVISED_LAUNCHED[$name]=$!
  SUPERVISED_LAUNCHING=''
  disown
  wait_until "$SUPERVISED_BEGIN_MS" supervised_begun "$name"
}

supervised_begun() { recorded "$1" started || [[ -e $QUEENCELL_HOME/run/$1.exit ]]; }

# Nothing that outlives the caller may hold its lock, its terminal or its pipes.
close_descriptors() {
  local fd
  for fd in /proc/"$BASHPID"/fd/*; do
    fd=${fd##*/}
    if ((fd > 2)); then eval "exec $fd>&-"; fi
  done
}

# process_is PID TICKS: whether that very process is alive and belongs to the services' user. The
# files that say so are written by that user, so that root must not take their word for it.
process_is() {
  local stat owner
  local -a fields
  if [[ ! $1 =~ ^[0-9]+$ ]] || ! owner=$(stat -c %u "/proc/$1" 2>/dev/null) || [[ $owner != "$ACCOUNT_UID" ]]; then return 1; fi
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -r -a fields <<<"${stat##*) }"
  [[ ${fields[0]} != Z && ${fields[19]} == "$2" ]]
}

# recorded NAME FILE: sets RECORDED_PID and RECORDED_TICKS when run/NAME.FILE names a live process.
recorded() {
  local file=$QUEENCELL_HOME/run/$1.$2 pid ticks rest
  RECORDED_PID='' RECORDED_TICKS=''
  if [[ ! -r $file ]]; then return 1; fi
  read -r pid ticks rest <"$file" || true
  : "$rest"
  if ! process_is "$pid" "$ticks"; then return 1; fi
  RECORDED_PID=$pid RECORDED_TICKS=$ticks
}

# supervised_state NAME: running | restarting | failed | down.
supervised_state() {
  if recorded "$1" supervisor; then
    if recorded "$1" started; then printf running; else printf restarting; fi
  elif recorded "$1" started; then
    printf running
  elif [[ -s $QUEENCELL_HOME/run/$1.exit && -e $QUEENCELL_HOME/up ]]; then
    printf failed
  else
    printf down
  fi
}

supervised_restarts() {
  local count=0
  if [[ -r $QUEENCELL_HOME/run/$1.restarts ]]; then read -r count <"$QUEENCELL_HOME/run/$1.restarts" || true; fi
  printf '%d' "${count:-0}"
}

supervised_exit() {
  if [[ -r $QUEENCELL_HOME/run/$1.exit ]]; then head -n 1 -- "$QUEENCELL_HOME/run/$1.exit"; fi
}

# supervised_stop NAME: asks the supervisor, which ends its process step by step; what is left after
# all deadlines is killed. A process that lost its supervisor is ended here.
supervised_stop() {
  local name=$1 one deadline_ms=1000
  for one in $UNIT_STOP_STEPS; do deadline_ms=$((deadline_ms + ${one#*:} * 1000)); done
  await_launched "$name"
  if recorded "$name" supervisor; then
    kill -TERM "$RECORDED_PID" 2>/dev/null || true
    wait_until "$deadline_ms" process_gone "$RECORDED_PID" "$RECORDED_TICKS" || kill -KILL "$RECORDED_PID" 2>/dev/null || true
  fi
  for one in $UNIT_STOP_STEPS; do
    if ! recorded "$name" started; then break; fi
    kill -s "${one%:*}" "$RECORDED_PID" 2>/dev/null || true
    wait_until $((${one#*:} * 1000)) process_gone "$RECORDED_PID" "$RECORDED_TICKS" || true
  done
  kill_cgroup "$name"
  rm -f -- "$QUEENCELL_HOME/run/$name".{supervisor,started,pid,wait}
}

# await_launched NAME: a signal may end this command between a launch and the supervisor's record;
# without the record nobody could stop what comes up a moment later.
await_launched() {
  local launched=${SUPERVISED_LAUNCHED[$1]:-}
  if [[ $SUPERVISED_LAUNCHING == "$1" ]]; then launched=${!:-}; fi
  if [[ -n $launched ]]; then wait_until "$SUPERVISED_BEGIN_MS" launch_settled "$1" "$launched" || kill -KILL "$launched" 2>/dev/null || true; fi
}

launch_settled() { recorded "$1" supervisor || [[ ! -d /proc/$2 ]]; }

process_gone() { ! process_is "$1" "$2"; }

# kill_cgroup NAME: whatever still sits in the process's group (a child that lost its parent).
kill_cgroup() {
  wait_until "$SUPERVISED_KILL_MS" cgroup_emptied "$1" || note "processes of $1 don't end: $(cgroup_pids "$1" | tr '\n' ' ')"
}

cgroup_emptied() {
  local pids
  pids=$(cgroup_pids "$1")
  if [[ -z $pids ]]; then return 0; fi
  # shellcheck disable=SC2086 # a list of pids
  kill -KILL $pids 2>/dev/null || true
  return 1
}
