#!/usr/bin/env bash
# Empties the broker's database and restarts the broker, so that a measured point starts cold: no
# retained rows, no offsets, no state in memory. Tenants, plans and keys stay.
set -euo pipefail
SAY_AS=reset-cell-db.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/tools/lib
for part in say home jdk ports account secrets jars postgres units caps backend-supervised backend-systemd cgroups down; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

usage() {
  cat <<'END'
Usage: reset-cell-db.sh [--home DIR] [--with-proxy] [--force]

Drops and recreates the broker's database and restarts the broker. Prints the time it took.

  --with-proxy  restart the proxy too, which then knows no counts and caches nothing
  --force       also while a measured point is running (it will be worthless)
  --home DIR    the cell's home (default $QUEENCELL_HOME, else .cell here)

Example: reset-cell-db.sh --with-proxy
END
}

OPT_HOME='' OPT_WITH_PROXY='' OPT_FORCE=''
while (($# > 0)); do
  case $1 in
    --with-proxy) OPT_WITH_PROXY=1 ;;
    --force) OPT_FORCE=1 ;;
    --home)
      if (($# < 2)) || [[ -z $2 ]]; then die "--home needs a folder" "reset-cell-db.sh -h"; fi
      OPT_HOME=$2
      shift
      ;;
    --home=*) OPT_HOME=${1#--home=} ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "no option '$1'" "reset-cell-db.sh -h" ;;
  esac
  shift
done

recreate_database() {
  local out
  out=$(cell_jar pg drop-create --jdbc-url "$QUEENCELL_PG_JDBC_URL" --user "$QUEENCELL_PG_USER" \
    --password-file "$QUEENCELL_PG_PASSWORD_FILE" 2>&1) || die "$out" "$(logs_command pg)"
  if [[ $QUEENCELL_PGSS == 1 ]]; then create_pgss; fi
}

began=$(now_ms)
STARTED_UNITS=()
resolve_home "$OPT_HOME"
need_cell
need_up
lock_home
refuse_other_users_cell
set_backend
use_cells_jdk
refuse_during_point
stopped=(broker)
if [[ -n $OPT_WITH_PROXY ]]; then stopped=(proxy broker); fi
for unit in "${stopped[@]}"; do step "stop queencell-$unit" stop_unit "$unit"; done
step 'drop and create the database' recreate_database
step 'start queencell-broker' start_all broker
if [[ -n $OPT_WITH_PROXY ]]; then step 'start queencell-proxy' start_all proxy; fi
say "reset in $(seconds_text $(($(now_ms) - began)))"
