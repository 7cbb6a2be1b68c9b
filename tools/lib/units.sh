# shellcheck shell=bash
# The five processes of a cell: what each runs, with which settings, how it is asked whether it is
# well and how it is stopped. Sourced after home.sh, account.sh, secrets.sh and ports.sh.

# In the order of their starts; each needs those before it.
UNITS=(pg statepg state broker proxy)

UNIT_READY_DEADLINE_MS=$((60000 * PATIENCE))
LOG_KEPT_BYTES=$((64 * 1024 * 1024))

unit_log() { printf '%s/log/%s.log' "$QUEENCELL_HOME" "$1"; }

# cell_units: the units that this cell has; an existing server for the messages is not ours to run.
cell_units() {
  if [[ $QUEENCELL_PG_MODE == external ]]; then printf '%s\n' "${UNITS[@]:1}"; else printf '%s\n' "${UNITS[@]}"; fi
}

# unit_name WORD: sets UNIT_NAME from `broker` or `queencell-broker`; dies when there is no such unit.
unit_name() {
  local one
  for one in $(cell_units); do
    if [[ $1 == "$one" || $1 == "queencell-$one" ]]; then
      UNIT_NAME=$one
      return 0
    fi
  done
  die "no unit '$1' in this cell; it takes one of $(cell_units | paste -sd ' ')"
}

# build_unit NAME: sets
#   UNIT_ARGV        the program and its arguments
#   UNIT_ENV         its whole environment, KEY=VALUE
#   UNIT_STOP_STEPS  signals and seconds, see supervise.sh
#   UNIT_SYSTEMD     what systemd must know beyond backend-systemd.sh
build_unit() {
  local name=$1 file
  UNIT_ENV=("PATH=/usr/local/bin:/usr/bin:/bin" "LANG=C.UTF-8" "HOME=$QUEENCELL_HOME/run" "QUEENCELL_HOME=$QUEENCELL_HOME" "QUEENCELL_UNIT=queencell-$name")
  case $name in
    pg | statepg)
      UNIT_ARGV=("$QUEENCELL_PG_BIN/postgres" -D "$QUEENCELL_HOME/$name")
      # Fast shutdown, then immediate.
      UNIT_STOP_STEPS="INT:$((20 * PATIENCE)) QUIT:$((5 * PATIENCE)) KILL:5"
      # The children are the postmaster's to end.
      UNIT_SYSTEMD=(KillMode=mixed KillSignal=SIGINT "TimeoutStopSec=$((25 * PATIENCE))")
      ;;
    *)
      build_java_unit "$name"
      UNIT_STOP_STEPS="TERM:$((15 * PATIENCE)) KILL:5"
      # A JVM that ends on SIGTERM says so with 128 + 15.
      UNIT_SYSTEMD=(KillMode=mixed KillSignal=SIGTERM "TimeoutStopSec=$((15 * PATIENCE))" SuccessExitStatus=143)
      ;;
  esac
  # Settings that the owner of the home wants to try win over all of these.
  for file in "$QUEENCELL_HOME/conf/$name.plan.env" "$QUEENCELL_HOME/conf/$name.local.env"; do
    if [[ -r $file ]]; then mapfile -t -O "${#UNIT_ENV[@]}" UNIT_ENV < <(grep -E '^[A-Za-z_][A-Za-z0-9_]*=' -- "$file" || true); fi
  done
}

build_java_unit() {
  local name=$1 jar=$QUEENCELL_HOME/lib/$1.jar
  local -a flags=()
  case $name in
    state)
      jar=$QUEENCELL_HOME/lib/state-db.jar
      UNIT_ENV+=(
        "QUEENCELL_STATE_PORT=$QUEENCELL_PORT_STATE" "QUEENCELL_STATE_BIND_ADDR=127.0.0.1"
        "PXDB_HOST=127.0.0.1" "PXDB_PORT=$QUEENCELL_PORT_STATEPG" "PXDB_USER=$PG_ROLE" "PXDB_DB=$STATEPG_DATABASE"
        "PXDB_PASSWORD_FILE=$(secret_file statepg-password)"
        "QUEENCELL_ADMIN_TOKEN_FILE=$(secret_file admin-token)" "QUEENCELL_EDGE_TOKEN_FILE=$(secret_file edge-token)"
        "QUEEN_PROXY_JWT_SECRET_FILE=$(secret_file session-secret)"
      )
      ;;
    broker)
      UNIT_ENV+=(
        "PORT=$QUEENCELL_PORT_BROKER" "QUEEN_BIND_ADDR=127.0.0.1" "QUEENCELL_BROKER_URL=$QUEENCELL_BROKER_URL"
        "PG_HOST=$QUEENCELL_PG_HOST" "PG_PORT=$QUEENCELL_PORT_PG" "PG_USER=$QUEENCELL_PG_USER" "PG_DB=$QUEENCELL_PG_DB"
        "PG_PASSWORD_FILE=$QUEENCELL_PG_PASSWORD_FILE"
        "QUEEN_TENANCY_HEADER=true" "QUEEN_KV_TRUSTED_PROXY=true" "FILE_BUFFER_DIR=$QUEENCELL_HOME/run/spool"
      )
      ;;
    proxy)
      UNIT_ENV+=(
        "QUEEN_PROXY_PORT=$QUEENCELL_PORT_PROXY" "QUEEN_PROXY_BIND_ADDR=127.0.0.1"
        "QUEENCELL_PROXY_ADMIN_PORT=$QUEENCELL_PORT_PROXY_ADMIN"
        "QUEENCELL_STATE_URL=$QUEENCELL_STATE_URL" "QUEENCELL_EDGE_TOKEN_FILE=$(secret_file edge-token)"
        "QUEEN_PROXY_SPOOL_DIR=$QUEENCELL_HOME/spool/proxy"
        "QUEEN_PROXY_ENFORCE=$([[ $QUEENCELL_ENFORCE == 1 ]] && echo true || echo false)"
      )
      ;;
  esac
  if [[ -r $QUEENCELL_HOME/conf/$name.jvm ]]; then mapfile -t flags <"$QUEENCELL_HOME/conf/$name.jvm"; fi
  flags+=("-XX:ErrorFile=$QUEENCELL_HOME/run/$name-crash-%p.log")
  if [[ -s ${jar%.jar}.aot && ${QUEENCELL_AOT:-1} != 0 ]]; then flags+=("-XX:AOTCache=${jar%.jar}.aot"); fi
  UNIT_ARGV=("$QUEENCELL_JDK/bin/java" "${flags[@]}" -jar "$jar")
}

# unit_healthy NAME: asks the process itself.
unit_healthy() {
  case $1 in
    pg | statepg) postmaster_ready "$1" ;;
    state) http_ok "$QUEENCELL_PORT_STATE" /healthz ;;
    broker) http_ok "$QUEENCELL_PORT_BROKER" /health ;;
    proxy) http_ok "$QUEENCELL_PORT_PROXY" /healthz ;;
  esac
}

# The postmaster keeps its state in the eighth line of its pid file; pg_ctl reads it the same way.
postmaster_ready() {
  local -a lines=()
  mapfile -t lines 2>/dev/null <"$QUEENCELL_HOME/$1/postmaster.pid" || return 1
  [[ ${#lines[@]} -ge 8 && ${lines[7]} == ready* && -d /proc/${lines[0]} ]]
}

# start_unit NAME: hands it to the backend. The one place where a process of the cell begins.
start_unit() {
  local log
  log=$(unit_log "$1")
  if [[ -f $log && $(stat -c %s -- "$log") -gt $LOG_KEPT_BYTES ]]; then mv -f -- "$log" "$log.1"; fi
  build_unit "$1"
  STARTED_UNITS+=("$1")
  "${BACKEND}_start" "$1" || die_with_log "could not start it" "$log" "$(logs_command "$1")"
}

# await_unit NAME: until it is well; a process that ends or is started again meanwhile has failed.
await_unit() {
  local how
  if wait_until "$UNIT_READY_DEADLINE_MS" unit_settled "$1" && [[ $UNIT_OUTCOME == healthy ]]; then return 0; fi
  how="it was not well after $((UNIT_READY_DEADLINE_MS / 1000)) s"
  if [[ ${UNIT_OUTCOME:-} == ended ]]; then how="the process ended ($("${BACKEND}_exit" "$1"))"; fi
  die_with_log "$how" "$(unit_log "$1")" "$(logs_command "$1")"
}

unit_settled() {
  UNIT_OUTCOME=''
  if unit_healthy "$1"; then
    UNIT_OUTCOME=healthy
  elif [[ $("${BACKEND}_state" "$1") != running ]] || (($("${BACKEND}_restarts" "$1") > 0)); then
    UNIT_OUTCOME=ended
  fi
  [[ -n $UNIT_OUTCOME ]]
}

# start_all NAME…: starts them together, then waits for each.
start_all() {
  local name
  for name in "$@"; do start_unit "$name"; done
  for name in "$@"; do await_unit "$name"; done
}

unit_running() { [[ $("${BACKEND}_state" "$1") == running ]]; }

stop_unit() {
  build_unit "$1"
  "${BACKEND}_stop" "$1"
}

logs_command() { quoted "$QUEENCELL_ROOT/vm-cell.sh" logs "$1" --home "$QUEENCELL_HOME"; }
