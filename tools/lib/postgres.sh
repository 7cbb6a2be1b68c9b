# shellcheck shell=bash
# The two PostgreSQL servers of a cell: whose programs, whose data, which settings. Sourced after
# home.sh, jars.sh, account.sh and secrets.sh.
#
# QUEENCELL_PG_MODE is where the messages live: `embedded` (programs from the jar), `system` (those
# of this machine) or `external` (a server that somebody else runs). The tenant state always lives
# in a server of our own.

PG_ROLE=queencell
PG_DATABASE=queencell
STATEPG_DATABASE=queencell_state
PG_MAJOR_MIN=16

# parse_pg OPTION: takes what --pg was given.
parse_pg() {
  local url_pattern='^postgres(ql)?://([^:@/]+)(:([^@/]*))?@([^:@/?]+)(:([0-9]+))?/([^?/]+)(\?(.*))?$'
  case $1 in
    embedded | system) QUEENCELL_PG_MODE=$1 ;;
    postgres://* | postgresql://*)
      # The URL holds a password: a message never repeats it.
      if [[ ! $1 =~ $url_pattern ]]; then die "--pg is not a URL that can be used; it takes postgres://USER:PASSWORD@HOST:PORT/DATABASE"; fi
      QUEENCELL_PG_MODE=external
      QUEENCELL_PG_USER=$(percent_decoded "${BASH_REMATCH[2]}")
      PG_EXTERNAL_PASSWORD=$(percent_decoded "${BASH_REMATCH[4]}")
      QUEENCELL_PG_HOST=${BASH_REMATCH[5]}
      QUEENCELL_PG_EXTERNAL_PORT=${BASH_REMATCH[7]:-5432}
      QUEENCELL_PG_DB=$(percent_decoded "${BASH_REMATCH[8]}")
      if [[ -n ${BASH_REMATCH[10]} ]]; then die "--pg has parameters after '?'; none is accepted"; fi
      if [[ "$QUEENCELL_PG_USER$QUEENCELL_PG_DB" == *[\'[:cntrl:]]* ]]; then die "--pg has a quote or a control character in its user or database"; fi
      ;;
    *) die "--pg is '$1'; it takes embedded, system or postgres://USER:PASSWORD@HOST:PORT/DATABASE" ;;
  esac
}

percent_decoded() {
  local text=${1//\\/\\\\}
  printf '%b' "${text//%/\\x}"
}

# describe_pg: what cell.env says about the messages' server.
describe_pg() {
  if [[ $QUEENCELL_PG_MODE == external ]]; then
    QUEENCELL_PORT_PG=$QUEENCELL_PG_EXTERNAL_PORT
    QUEENCELL_PG_PASSWORD_FILE=$(secret_file pg-external-password)
  else
    QUEENCELL_PG_HOST=127.0.0.1 QUEENCELL_PG_USER=$PG_ROLE QUEENCELL_PG_DB=$PG_DATABASE
    QUEENCELL_PG_PASSWORD_FILE=$(secret_file pg-password)
  fi
  QUEENCELL_PG_JDBC_URL="jdbc:postgresql://$QUEENCELL_PG_HOST:$QUEENCELL_PORT_PG/$QUEENCELL_PG_DB"
}

# find_postgres: sets QUEENCELL_PG_BIN; unpacks the embedded programs or finds this machine's.
find_postgres() {
  local bin version
  if [[ $QUEENCELL_PG_MODE == system ]]; then
    find_system_postgres
    return 0
  fi
  if ! is_prepared; then
    bin=$(cell_jar pg install 2>&1) || die "can't unpack PostgreSQL: $bin"
    QUEENCELL_PG_BIN=${bin##*$'\n'}
  fi
  version=$(pg_major "$QUEENCELL_PG_BIN")
  STEP_NOTE="PostgreSQL $version, from the jar"
}

# The newest of PATH and of the folders where distributions keep them side by side.
find_system_postgres() {
  local bin major best=0 seen='' on_path
  on_path=$(command -v postgres || true)
  for bin in "${on_path%/postgres}" "${QUEENCELL_POSTGRES_FOLDER:-/usr/lib/postgresql}"/*/bin /usr/pgsql-*/bin; do
    if [[ -z $bin || ! -x $bin/postgres || ! -x $bin/initdb ]]; then continue; fi
    major=$(pg_major "$bin")
    if [[ " $seen " != *" $major "* ]]; then seen+=" $major"; fi
    if ((major > best)); then best=$major QUEENCELL_PG_BIN=$bin; fi
  done
  if ((best < PG_MAJOR_MIN)); then
    die "--pg system needs PostgreSQL $PG_MAJOR_MIN or newer with postgres and initdb${seen:+; found only$seen}; install one (package postgresql-$PG_MAJOR_MIN or newer) or use --pg embedded"
  fi
  if ! as_account "$QUEENCELL_PG_BIN/postgres" --version >/dev/null 2>&1; then die "the services' user '$ACCOUNT' can't run $QUEENCELL_PG_BIN/postgres"; fi
  STEP_NOTE="PostgreSQL $best in $QUEENCELL_PG_BIN"
}

pg_major() {
  local text
  text=$("$1/postgres" --version 2>/dev/null) || true
  if [[ $text =~ \)\ ([0-9]+) ]]; then printf '%s' "${BASH_REMATCH[1]}"; else printf 0; fi
}

# prepare_servers: those that this cell runs itself, together.
prepare_servers() {
  local name pid
  local -a pids=()
  for name in $(cell_units); do
    case $name in
      pg | statepg)
        check_data_version "$name"
        if [[ -e $QUEENCELL_HOME/$name ]]; then STEP_NOTE+="${STEP_NOTE:+, }$name kept its data"; else STEP_NOTE+="${STEP_NOTE:+, }$name is new"; fi
        add_own_settings "$name"
        prepare_server "$name" &
        pids+=($!)
        ;;
    esac
  done
  # Both end before this does: a failure leaves nobody writing.
  local failed=0
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  if ((failed)); then exit 1; fi
}

# add_own_settings NAME: what is not part of the budget.
add_own_settings() {
  {
    printf '%s\n' "log_line_prefix = '%m [%p] %d '"
    if [[ $1 == pg && $QUEENCELL_PGSS == 1 ]]; then
      printf '%s\n' "shared_preload_libraries = 'pg_stat_statements'" "pg_stat_statements.track = 'all'"
    fi
  } >>"$QUEENCELL_HOME/conf/$1.conf"
}

# prepare_server NAME: initialises the data directory when there is none, and writes its settings.
prepare_server() {
  local name=$1 port=$QUEENCELL_PORT_PG database=$PG_DATABASE log=$QUEENCELL_HOME/log/$1.init.log cause
  if [[ $name == statepg ]]; then port=$QUEENCELL_PORT_STATEPG database=$STATEPG_DATABASE; fi
  if cell_jar pg init --bin "$QUEENCELL_PG_BIN" --data "$QUEENCELL_HOME/$name" --port "$port" --user "$PG_ROLE" \
    --password-file "$(secret_file "$name-password")" --settings "$QUEENCELL_HOME/conf/$name.conf" --database "$database" >"$log" 2>&1; then
    return 0
  fi
  # initdb tells its whole story; the first complaint in it is the reason.
  cause=$(grep -m 1 -E 'FATAL|PANIC|ERROR|error: ' -- "$log" || tail -n 1 -- "$log")
  die "$name could not be prepared: ${cause:-the log of it could not be written} ($(free_space_text "$QUEENCELL_HOME"))" "$(quoted cat "$log")"
}

# A data directory opens only with the release that made it.
check_data_version() {
  local made version
  if [[ ! -r $QUEENCELL_HOME/$1/PG_VERSION ]]; then return 0; fi
  read -r made <"$QUEENCELL_HOME/$1/PG_VERSION"
  version=$(pg_major "$QUEENCELL_PG_BIN")
  if [[ $made != "$version" ]]; then
    die "the data in $QUEENCELL_HOME/$1 was made by PostgreSQL $made and this cell would run $version; use the --pg that it was made with, or remove the data" \
      "$(quoted "$QUEENCELL_ROOT/vm-cell.sh" down --purge --home "$QUEENCELL_HOME")"
  fi
}

# create_pgss: the extension's view in the messages' database, for PGSS=1.
create_pgss() {
  local out
  out=$(cell_jar sql --jdbc-url "$QUEENCELL_PG_JDBC_URL" --user "$QUEENCELL_PG_USER" --password-file "$QUEENCELL_PG_PASSWORD_FILE" \
    'CREATE EXTENSION IF NOT EXISTS pg_stat_statements' 2>&1) || die "$out" "$(logs_command pg)"
}

# check_external_postgres: whether the server that --pg names can hold the messages.
check_external_postgres() {
  STEP_NOTE=$(cell_jar pg check --jdbc-url "$QUEENCELL_PG_JDBC_URL" --user "$QUEENCELL_PG_USER" \
    --password-file "$QUEENCELL_PG_PASSWORD_FILE" --min-major "$PG_MAJOR_MIN" 2>&1) ||
    die "$QUEENCELL_PG_HOST:$QUEENCELL_PORT_PG can't hold the messages: $STEP_NOTE" "$(quoted psql -h "$QUEENCELL_PG_HOST" -p "$QUEENCELL_PORT_PG" -U "$QUEENCELL_PG_USER" "$QUEENCELL_PG_DB")"
}
