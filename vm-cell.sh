#!/usr/bin/env bash
# Brings a cell up, changes it, shows it and takes it down. See -h; the parts are in tools/lib/.
set -euo pipefail
SAY_AS=vm-cell.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/tools/lib
for part in say home jdk ports account secrets jars postgres units caps backend-supervised backend-systemd cgroups aot prepared up change down; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

usage() {
  cat <<'END'
Usage: vm-cell.sh up|down|status|logs|psql [OPTIONS]

  up       build what is missing, start the five processes under one cap, print the status;
           on a cell that is up: change only what differs
  down     stop them in reverse order; the data stays
  status   caps in force, processes, settings; exit 0 all well, 3 something is not, 4 nothing is up
  logs     [UNIT] one unit's log, or the end of every one
  psql     [pg|statepg] an SQL session on a database of the cell

Options
  --cell-cpus N      CPUs for the whole cell, fractions allowed, 0 = no cap      (up; default 2)
  --cell-mem G       GiB of memory for the whole cell, 0 = no cap                (up; default 8)
                     both less on a smaller machine
                     an up without them reuses the caps that the home remembers
  --enforce 0|1      proxy: 0 counts and lets pass, 1 refuses what is over limit (up; default 0)
  --cap HOW          auto, systemd, cgroup or none                               (up; default auto)
  --pg WHERE         embedded, system or postgres://USER:PASSWORD@HOST:PORT/DB   (up; default embedded)
  --home DIR         where everything of the cell lives     (default $QUEENCELL_HOME, else .cell here)
  --port-base N      first of six ports                     (up; default: the usual ports)
  --build|--no-build always or never build the jars         (up; default: when older than the sources)
  --force            also while a measured point is running (it will be worthless)    (up, down)
  --purge            remove the data too                    (down)
  --json             for machines                           (status)
  --follow           keep printing                          (logs)
  -h, --help         this text

Environment: JAVA_HOME; QUEENCELL_HOME; QUEENCELL_USER, whom the services run as when root starts
them (default queencell, made when missing); PGSS=1 preloads pg_stat_statements at up;
QUEENCELL_AOT=0 starts the JVMs without their ahead-of-time caches; QUEENCELL_PATIENCE=N multiplies
every deadline, for a slow machine.

Example: vm-cell.sh up --cell-cpus 2 --cell-mem 8 --enforce 1
END
}

# value OPTION COUNT: dies when the option came last, without its value.
need_value() { if (($2 < 2)); then die "$1 needs a value" "vm-cell.sh -h"; fi; }

# only_with COMMAND…: dies when the option that is being read belongs to other commands.
only_with() {
  local option=$1 one commands
  shift
  for one in "$@"; do
    if [[ $COMMAND == "$one" ]]; then return 0; fi
  done
  commands=$*
  die "$option goes with ${commands// / or }, not with $COMMAND" "vm-cell.sh -h"
}

parse_options() {
  OPT_CPUS='' OPT_MEM='' OPT_ENFORCE='' OPT_CAP='' OPT_PG='' OPT_HOME='' OPT_PORT_BASE=''
  OPT_BUILD=auto OPT_FORCE='' OPT_PURGE='' OPT_FOLLOW='' OPT_JSON='' OPT_UNIT=''
  case ${1:-} in
    -h | --help)
      usage
      exit 0
      ;;
    up | down | status | logs | psql) COMMAND=$1 ;;
    '') die "no command; it takes up, down, status, logs or psql" "vm-cell.sh -h" ;;
    *) die "no command '$1'; it takes up, down, status, logs or psql" "vm-cell.sh -h" ;;
  esac
  shift
  while (($# > 0)); do
    # --option=value reads like --option value.
    if [[ $1 == --*=* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
    case $1 in
      --cell-cpus | --cell-mem | --enforce | --cap | --pg | --port-base)
        only_with "$1" up
        need_value "$1" $#
        set_option "$1" "$2"
        shift
        ;;
      --home)
        need_value "$1" $#
        if [[ -z $2 ]]; then die "--home is empty; it takes a folder"; fi
        OPT_HOME=$2
        shift
        ;;
      --build | --no-build)
        only_with "$1" up
        OPT_BUILD=${1#--}
        ;;
      --force) only_with "$1" up down && OPT_FORCE=1 ;;
      --purge) only_with "$1" down && OPT_PURGE=1 ;;
      --follow) only_with "$1" logs && OPT_FOLLOW=1 ;;
      --json) only_with "$1" status && OPT_JSON=1 ;;
      -h | --help)
        usage
        exit 0
        ;;
      -*) die "no option '$1'" "vm-cell.sh -h" ;;
      *)
        if [[ $COMMAND != logs && $COMMAND != psql ]] || [[ -n $OPT_UNIT ]]; then die "'$1' is one word too many for $COMMAND" "vm-cell.sh -h"; fi
        OPT_UNIT=$1
        ;;
    esac
    shift
  done
}

set_option() {
  if [[ -z $2 ]]; then die "$1 is empty" "vm-cell.sh -h"; fi
  case $1 in
    --cell-cpus) OPT_CPUS=$2 ;;
    --cell-mem) OPT_MEM=$2 ;;
    --enforce) OPT_ENFORCE=$2 ;;
    --cap) OPT_CAP=$2 ;;
    --pg) OPT_PG=$2 ;;
    --port-base) OPT_PORT_BASE=$2 ;;
  esac
}

cmd_status() {
  resolve_home "$OPT_HOME"
  if ! load_cell_env || [[ ! -e $QUEENCELL_HOME/up ]]; then
    if [[ -n $OPT_JSON ]]; then printf '{"home": "%s", "up": false, "processes": []}\n' "$QUEENCELL_HOME"; else say "no cell is up in $QUEENCELL_HOME"; fi
    exit 4
  fi
  find_jdk
  exec "$JAVA" "${CELL_JVM[@]}" -jar "$(cell_jar_path)" status --home "$QUEENCELL_HOME" "${STATUS_OPTIONS[@]}" ${OPT_JSON:+--json}
}

cmd_logs() {
  local name
  local -a files=()
  resolve_home "$OPT_HOME"
  # A first `up` that failed leaves no settings, but logs that say why.
  if ! load_cell_env; then
    compgen -G "$QUEENCELL_HOME/log/*.log" >/dev/null || need_cell
    QUEENCELL_PG_MODE=embedded
  fi
  if [[ -n $OPT_UNIT ]]; then
    unit_name "$OPT_UNIT"
    files=("$(unit_log "$UNIT_NAME")")
  else
    # One that never started has none.
    for name in $(cell_units); do if [[ -e $(unit_log "$name") ]]; then files+=("$(unit_log "$name")"); fi; done
    if ((${#files[@]} == 0)); then die "there is no log yet in $QUEENCELL_HOME/log"; fi
  fi
  for name in "${files[@]}"; do
    if [[ ! -e $name ]]; then die "there is no log yet: $name"; fi
  done
  if [[ -n $OPT_FOLLOW ]]; then exec tail -n 20 -F -- "${files[@]}"; fi
  if [[ -n $OPT_UNIT ]]; then exec cat -- "${files[@]}"; fi
  exec tail -n 20 -- "${files[@]}"
}

cmd_psql() {
  local which=${OPT_UNIT:-pg} prefix=QUEENCELL_PG url user password_file
  case $which in
    pg) ;;
    statepg) prefix=QUEENCELL_STATEPG ;;
    *) die "psql takes pg or statepg, not '$which'" ;;
  esac
  resolve_home "$OPT_HOME"
  need_cell
  need_up
  url=${prefix}_JDBC_URL url=${!url#jdbc:}
  user=${prefix}_USER user=${!user}
  password_file=${prefix}_PASSWORD_FILE password_file=${!password_file}
  if [[ ! -r $password_file ]]; then die "can't read $password_file; run this as the one who brought the cell up"; fi
  if command -v psql >/dev/null; then
    PGPASSWORD=$(<"$password_file") PGUSER=$user exec psql "$url"
  fi
  find_jdk
  exec "$JAVA" "${CELL_JVM[@]}" -jar "$(cell_jar_path)" sql --jdbc-url "jdbc:$url" --user "$user" --password-file "$password_file"
}

parse_options "$@"
"cmd_$COMMAND"
