# shellcheck shell=bash
# Ahead-of-time caches: what a JVM learned in one start, kept for the next ones. A service then needs
# about 40% less processor time to start, which a cell of half a CPU feels at every reset. Sourced
# after units.sh.
#
# A cache belongs to one jar in one place (lib/NAME.jar beside lib/NAME.aot) and is made in a training
# run: the services start as they will run, before the cell itself does, outside of its cap; they are
# asked a few things and end, and each JVM writes what it learned. QUEENCELL_AOT=0 leaves it out.

AOT_UNITS=(state broker proxy)
# From the request to end to the written cache.
AOT_WRITE_DEADLINE_MS=$((120000 * PATIENCE))

# aot_cache UNIT: where the unit's cache is or would be.
aot_cache() {
  case $1 in
    state) printf '%s/lib/state-db.aot' "$QUEENCELL_HOME" ;;
    *) printf '%s/lib/%s.aot' "$QUEENCELL_HOME" "$1" ;;
  esac
}

aot_wanted() {
  local unit
  if [[ ${QUEENCELL_AOT:-1} == 0 ]]; then return 1; fi
  for unit in "${AOT_UNITS[@]}"; do
    if [[ ! -s $(aot_cache "$unit") ]]; then return 0; fi
  done
  return 1
}

# train_aot: makes all caches. A service that can't be trained goes without: the cell's own start
# will tell what is wrong with it.
train_aot() {
  local unit pid made=0
  TRAINED_PIDS=()
  for unit in state broker; do train_unit "$unit"; done
  wait_until "$UNIT_READY_DEADLINE_MS" trained_or_gone state broker || true
  train_unit proxy
  wait_until "$UNIT_READY_DEADLINE_MS" trained_or_gone proxy || true
  for pid in "${TRAINED_PIDS[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${TRAINED_PIDS[@]}"; do wait_until "$AOT_WRITE_DEADLINE_MS" is_gone "$pid" || true; done
  break_off_training
  for unit in "${AOT_UNITS[@]}"; do
    if keep_cache "$unit"; then made=$((made + 1)); fi
  done
  STEP_NOTE="$made of ${#AOT_UNITS[@]} caches"
}

train_unit() {
  build_unit "$1"
  UNIT_ARGV=("${UNIT_ARGV[0]}" "-XX:AOTCacheOutput=$QUEENCELL_HOME/run/$1.aot" "${UNIT_ARGV[@]:1}")
  (
    close_descriptors
    umask 077
    cd -- "$QUEENCELL_HOME/run" || exit
    if ((EUID == 0)); then
      exec setsid setpriv --reuid "$ACCOUNT_UID" --regid "$ACCOUNT_GID" --clear-groups --no-new-privs -- env -i "${UNIT_ENV[@]}" "${UNIT_ARGV[@]}"
    fi
    exec setsid env -i "${UNIT_ENV[@]}" "${UNIT_ARGV[@]}"
  ) </dev/null >"$QUEENCELL_HOME/log/$1.training.log" 2>&1 &
  TRAINED_PIDS+=($!)
  disown
}

is_gone() { [[ ! -d /proc/$1 ]]; }

# Once more than healthy: the second answer takes the path that the first one loaded.
trained_or_gone() {
  local unit
  for unit in "$@"; do
    if ! unit_healthy "$unit" || ! unit_healthy "$unit"; then
      all_trained_alive || return 0
      return 1
    fi
  done
}

all_trained_alive() {
  local pid
  for pid in "${TRAINED_PIDS[@]}"; do
    if is_gone "$pid"; then return 1; fi
  done
}

# break_off_training: at once, with what a JVM started to write its cache; no half cache stays.
break_off_training() {
  local pid
  for pid in "${TRAINED_PIDS[@]}"; do kill -KILL -- "-$pid" 2>/dev/null || true; done
  TRAINED_PIDS=()
}

# What a service's user wrote becomes the jar's neighbour, out of that user's reach.
keep_cache() {
  local made=$QUEENCELL_HOME/run/$1.aot
  rm -f -- "$made.config"
  if [[ ! -s $made || -L $made ]]; then return 1; fi
  install_file "$made" "$(aot_cache "$1")"
  rm -f -- "$made"
}
