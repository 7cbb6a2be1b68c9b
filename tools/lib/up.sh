# shellcheck shell=bash
# `vm-cell.sh up`: from nothing to a running cell, or from a running cell to one with other caps.
# Sourced by vm-cell.sh after everything else; reads its OPT_… variables (empty: not given).

CELL_SLUG=bench
DISK_FREE_MIN_MB=512

# What cell.env holds, in this order. No secrets: their files are named instead.
CELL_ENV_KEYS=(
  HOME CELL_SLUG CELL_CPUS CELL_MEM CAP CAPPED CAP_WANTED CAP_WHY ENFORCE PGSS
  PORT_BASE PORT_PG PORT_STATEPG PORT_STATE PORT_BROKER PORT_PROXY PORT_PROXY_ADMIN
  BROKER_URL PROXY_URL STATE_URL ADMIN_TOKEN_FILE
  PG_MODE PG_BIN PG_HOST PG_DB PG_JDBC_URL PG_USER PG_PASSWORD_FILE
  STATEPG_JDBC_URL STATEPG_USER STATEPG_PASSWORD_FILE
  SLICE CGROUP CGROUP_PG CGROUP_STATEPG CGROUP_STATE CGROUP_BROKER CGROUP_PROXY
  JDK SERVICE_USER PLANNED_CPUS PLANNED_MEM
)

cmd_up() {
  check_up_options
  resolve_home "$OPT_HOME"
  make_home_folder
  lock_home
  STARTED_UNITS=() TRAINED_PIDS=() FRESH=''
  load_cell_env || true
  exec {UP_STDERR}>&2
  trap 'exit 130' INT TERM
  trap 'undo_failed_up' EXIT
  step 'find a JDK' find_jdk_noting
  step 'build the jars' need_jars "$OPT_BUILD"
  step 'find the services'\'' user' find_account
  QUEENCELL_SERVICE_USER=$ACCOUNT
  own_home
  check_account_access
  if [[ -e $QUEENCELL_HOME/up ]] && set_backend && some_unit_running; then
    change_running_cell
  else
    take_settings
    bring_up
  fi
  trap - EXIT INT TERM
  say ''
  cell_jar status --home "$QUEENCELL_HOME" "${STATUS_OPTIONS[@]}"
}

check_up_options() {
  if [[ -n $OPT_CPUS ]]; then check_cell_cpus "$OPT_CPUS"; fi
  if [[ -n $OPT_MEM ]]; then check_cell_mem "$OPT_MEM"; fi
  case $OPT_ENFORCE in '' | 0 | 1) ;; *) die "--enforce is '$OPT_ENFORCE'; it takes 0 (count and let pass) or 1 (refuse what is over a limit)" ;; esac
  case $OPT_CAP in '' | auto | systemd | cgroup | none) ;; *) die "--cap is '$OPT_CAP'; it takes auto, systemd, cgroup or none" ;; esac
  case ${PGSS:-0} in 0 | 1) ;; *) die "PGSS is '$PGSS'; it takes 0 or 1" ;; esac
  if [[ -n $OPT_PG ]]; then (parse_pg "$OPT_PG") || exit 1; fi
  if [[ -n $OPT_PORT_BASE ]] && ! { [[ $OPT_PORT_BASE =~ ^[1-9][0-9]{3,4}$ ]] && ((OPT_PORT_BASE >= PORT_BASE_MIN && OPT_PORT_BASE <= PORT_BASE_MAX)); }; then
    die "--port-base is '$OPT_PORT_BASE'; it takes the first of six ports, from $PORT_BASE_MIN to $PORT_BASE_MAX"
  fi
}

make_home_folder() {
  if ! mkdir -p -- "$QUEENCELL_HOME"/{lib,conf,log,run,spool,secrets} 2>/dev/null; then
    die "can't make the home $QUEENCELL_HOME (is its parent yours, and is there room?)" "$(quoted ls -ld "${QUEENCELL_HOME%/*}")"
  fi
}

own_home() {
  chmod 0755 -- "$QUEENCELL_HOME" "$QUEENCELL_HOME"/{lib,conf,log,run}
  chmod 0700 -- "$QUEENCELL_HOME"/{spool,secrets}
  own "$QUEENCELL_HOME"/{run,spool,secrets}
}

find_jdk_noting() {
  find_jdk
  STEP_NOTE=$QUEENCELL_JDK
}

# take_settings: options win over what the home remembers, that over the defaults.
take_settings() {
  local default_cpus default_mem remembered_cpus=${QUEENCELL_CELL_CPUS:-} remembered_mem=${QUEENCELL_CELL_MEM:-}
  default_caps
  default_cpus=$QUEENCELL_CELL_CPUS default_mem=$QUEENCELL_CELL_MEM
  QUEENCELL_CELL_CPUS=$(plain_number "${OPT_CPUS:-${remembered_cpus:-$default_cpus}}")
  QUEENCELL_CELL_MEM=$(plain_number "${OPT_MEM:-${remembered_mem:-$default_mem}}")
  QUEENCELL_ENFORCE=${OPT_ENFORCE:-${QUEENCELL_ENFORCE:-0}}
  QUEENCELL_CAP_WANTED=${OPT_CAP:-${QUEENCELL_CAP_WANTED:-auto}}
  QUEENCELL_PGSS=${PGSS:-0}
  QUEENCELL_PORT_BASE=${OPT_PORT_BASE:-${QUEENCELL_PORT_BASE:-}}
  QUEENCELL_PG_EXTERNAL_PORT=${QUEENCELL_PORT_PG:-}
  set_ports "$QUEENCELL_PORT_BASE"
  QUEENCELL_PG_MODE=${QUEENCELL_PG_MODE:-embedded}
  if [[ -n $OPT_PG ]]; then parse_pg "$OPT_PG"; fi
  if [[ $QUEENCELL_PG_MODE/$QUEENCELL_PGSS == external/1 ]]; then die "PGSS=1 preloads a library, which an existing server can't be made to do; use embedded or system"; fi
  describe_pg
  QUEENCELL_SLICE=queencell$QUEENCELL_PORT_BASE
  QUEENCELL_CELL_SLUG=$CELL_SLUG
  QUEENCELL_BROKER_URL=http://127.0.0.1:$QUEENCELL_PORT_BROKER
  QUEENCELL_PROXY_URL=http://127.0.0.1:$QUEENCELL_PORT_PROXY
  QUEENCELL_STATE_URL=http://127.0.0.1:$QUEENCELL_PORT_STATE
  QUEENCELL_ADMIN_TOKEN_FILE=$(secret_file admin-token)
  QUEENCELL_STATEPG_JDBC_URL=jdbc:postgresql://127.0.0.1:$QUEENCELL_PORT_STATEPG/$STATEPG_DATABASE
  QUEENCELL_STATEPG_USER=$PG_ROLE
  QUEENCELL_STATEPG_PASSWORD_FILE=$(secret_file statepg-password)
}

bring_up() {
  note_settings_before
  FRESH=1
  step 'check ports and disk' check_room
  step 'copy the jars' install_jars
  step 'find PostgreSQL' find_postgres
  make_secrets
  keep_external_password
  if is_prepared; then
    step 'prepare the databases' keep_prepared
  else
    step 'derive settings from the budget' write_plan
    step 'prepare the databases' prepare_servers
    note_prepared
  fi
  step 'make the cap' make_cap
  write_cell_env
  : >"$QUEENCELL_HOME/up"
  if [[ $QUEENCELL_PG_MODE == external ]]; then
    step 'check the existing PostgreSQL' check_external_postgres
    step 'start queencell-statepg' start_all statepg
  else
    step 'start queencell-pg and queencell-statepg' start_all pg statepg
    if [[ $QUEENCELL_PGSS == 1 ]]; then step 'add pg_stat_statements' create_pgss; fi
  fi
  if aot_wanted; then step 'train the JVMs for fast starts, once per build' train_aot; fi
  step 'start queencell-state and queencell-broker' start_all state broker
  step 'register the cell' register_cell
  step 'start queencell-proxy' start_all proxy
}

check_room() {
  local free name
  local -a names=("${PORT_NAMES[@]}")
  if [[ $QUEENCELL_PG_MODE == external ]]; then names=("${names[@]:1}"); fi
  need_free_ports "${names[@]}"
  free=$(free_space_mb "$QUEENCELL_HOME")
  if ((free < DISK_FREE_MIN_MB)); then
    die "$free MiB are free where $QUEENCELL_HOME is; a cell needs $DISK_FREE_MIN_MB MiB" "$(quoted df -h "$QUEENCELL_HOME")"
  fi
  STEP_NOTE="$QUEENCELL_PORT_PG $QUEENCELL_PORT_STATEPG $QUEENCELL_PORT_STATE $QUEENCELL_PORT_BROKER $QUEENCELL_PORT_PROXY $QUEENCELL_PORT_PROXY_ADMIN, $((free / 1024)) GiB free"
  if awk -v c="$QUEENCELL_CELL_MEM" -v m="$(machine_mem_gib)" 'BEGIN {exit !(c > m)}'; then
    note "--cell-mem $QUEENCELL_CELL_MEM is more than this machine's $(machine_mem_gib) GiB; that cap can't bite"
  fi
}

keep_external_password() {
  if [[ -n ${PG_EXTERNAL_PASSWORD+set} ]]; then
    printf '%s' "$PG_EXTERNAL_PASSWORD" | write_file "$QUEENCELL_PG_PASSWORD_FILE" 0600
    own "$QUEENCELL_PG_PASSWORD_FILE"
  fi
}

# note_settings_before: what the home remembers before this call, for an `up` that fails.
note_settings_before() {
  SETTINGS_BEFORE='' PASSWORD_BEFORE=''
  if [[ -f $QUEENCELL_HOME/cell.env ]]; then SETTINGS_BEFORE=$(<"$QUEENCELL_HOME/cell.env"); fi
  if [[ -r $(secret_file pg-external-password) ]]; then PASSWORD_BEFORE=$(<"$(secret_file pg-external-password)"); fi
}

# restore_settings: the options of an `up` that failed are not remembered.
restore_settings() {
  if [[ -n $SETTINGS_BEFORE ]]; then printf '%s\n' "$SETTINGS_BEFORE" | write_file "$QUEENCELL_HOME/cell.env" 0644; else rm -f -- "$QUEENCELL_HOME/cell.env"; fi
  if [[ -z ${PG_EXTERNAL_PASSWORD+set} ]]; then return 0; fi
  rm -f -- "$(secret_file pg-external-password)"
  if [[ -n $PASSWORD_BEFORE ]]; then
    printf '%s' "$PASSWORD_BEFORE" | write_file "$(secret_file pg-external-password)" 0600
    own "$(secret_file pg-external-password)"
  fi
}

# write_plan: the budget, a file in conf/ for each of its readers.
write_plan() {
  local out
  out=$(plan --into "$QUEENCELL_HOME/conf" 2>&1) || die "$out ($(free_space_text "$QUEENCELL_HOME"))"
  QUEENCELL_PLANNED_CPUS=$QUEENCELL_CELL_CPUS QUEENCELL_PLANNED_MEM=$QUEENCELL_CELL_MEM
  STEP_NOTE=$(caps_asked)
}

write_cell_env() {
  local key variable
  for key in "${CELL_ENV_KEYS[@]}"; do
    variable=QUEENCELL_$key
    printf "%s='%s'\n" "$variable" "${!variable:-}"
  done | write_file "$QUEENCELL_HOME/cell.env" 0644
}

register_cell() {
  local token
  token=$(<"$QUEENCELL_ADMIN_TOKEN_FILE")
  http POST "$QUEENCELL_PORT_STATE" /api/cp/cells "x-queen-cp-token: $token" \
    "{\"slug\":\"$QUEENCELL_CELL_SLUG\",\"base_url\":\"$QUEENCELL_BROKER_URL\"}"
  if [[ $HTTP_STATUS != 20[01] ]]; then
    die_with_log "state-db answered $HTTP_STATUS ${HTTP_BODY:0:200}" "$(unit_log state)" "$(logs_command state)"
  fi
  STEP_NOTE="$QUEENCELL_CELL_SLUG at $QUEENCELL_BROKER_URL"
}

some_unit_running() {
  local name
  for name in $(cell_units); do
    if unit_running "$name"; then return 0; fi
  done
  return 1
}

# Runs at every exit from `up`: what a failed one started is stopped again, so that nothing is left
# half up. A cell that was up before loses only what this call added.
undo_failed_up() {
  local status=$? i IFS=$' \t\n'
  # A signal may have come inside of a command that had its own IFS and its errors put away.
  exec 2>&"$UP_STDERR"
  trap - EXIT INT TERM
  if ((status == 0)); then return 0; fi
  set +e
  SAY_STEP=''
  break_off_training
  for ((i = ${#STARTED_UNITS[@]} - 1; i >= 0; i--)); do stop_unit "${STARTED_UNITS[i]}"; done
  if [[ -n $FRESH && -e $QUEENCELL_HOME/up ]]; then
    remove_cap
    rm -f -- "$QUEENCELL_HOME/up"
  fi
  if [[ -n $FRESH ]]; then (restore_settings); fi
  if ((${#STARTED_UNITS[@]} > 0)); then note "stopped what this call had started: ${STARTED_UNITS[*]}"; fi
  exit "$((status == 130 ? 130 : 1))"
}
