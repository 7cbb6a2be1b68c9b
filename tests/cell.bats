#!/usr/bin/env bats
# A whole cell on real processes: up, changed, hurt, reset, down. Runs as root and as anyone else.
# Needs the jars (`mvn -DskipTests package`); never builds them.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

# One cell for all tests here that only look at one or change one and back.
setup_file() {
  for module in cell state-db broker proxy; do
    if [[ ! -f $BATS_TEST_DIRNAME/../$module/target/$module.jar ]]; then
      printf 'missing %s/target/%s.jar: mvn -DskipTests package\n' "$module" "$module" >&2
      return 1
    fi
  done
  load kit
  BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR open_folder
  export FOLDER CELL_HOME="$FOLDER/a cell" BASE
  BASE=$(free_port_base)
  kit up --port-base "$BASE" --cell-cpus 1 --cell-mem 1 >"$BATS_FILE_TMPDIR/up.out" 2>&1 || {
    cat "$BATS_FILE_TMPDIR/up.out" >&2
    return 1
  }
}

teardown_file() {
  load kit
  kit down --purge >/dev/null 2>&1 || true
}

# Every home that a test makes of its own is taken down after it.
OWN_HOME=''
teardown() {
  if [[ -n $OWN_HOME && -d $OWN_HOME ]]; then "$ROOT/vm-cell.sh" down --purge --home "$OWN_HOME" >/dev/null 2>&1 || true; fi
}

# kit COMMAND…: on the shared cell. No descriptor of bats goes along.
kit() {
  local command=$1
  shift
  if [[ $command == up ]]; then set -- --no-build "$@"; fi
  "$ROOT/vm-cell.sh" "$command" --home "$CELL_HOME" "$@" 3>&-
}

own() {
  local command=$1
  shift
  if [[ $command == up ]]; then set -- --no-build "$@"; fi
  # Caches are the shared cell's matter: making them takes longer than they save here.
  QUEENCELL_AOT=${OWN_AOT:-0} "$ROOT/vm-cell.sh" "$command" --home "$OWN_HOME" "$@" 3>&-
}

free_port_base() {
  local base port
  while :; do
    base=$((20000 + RANDOM % 10000))
    for ((port = base; port < base + 12; port++)); do
      if (exec 4<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue 2; fi
    done
    printf '%d' "$base"
    return 0
  done
}

pid_of() { head -n 1 "${2:-$CELL_HOME}/run/$1.pid"; }
pid_changed() { local pid && pid=$(pid_of "$1" 2>/dev/null) && [[ -n $pid && $pid != "$2" ]]; }
all_well() { "$ROOT/vm-cell.sh" status --home "${1:-$CELL_HOME}" >/dev/null 2>&1; }
# shellcheck disable=SC1091 # written by up
setting() { (. "$CELL_HOME/cell.env" && printf '%s' "${!1}"); }
capped() { [[ $(setting QUEENCELL_CAPPED) == true ]]; }

# nothing_runs HOME: no process mentions the home, and no group of its slice is left.
nothing_runs() {
  local file
  for file in /proc/[0-9]*/cmdline; do
    if { tr '\0' ' ' <"$file"; } 2>/dev/null | grep -qF -- "$1/"; then
      if [[ $file != "/proc/$$/cmdline" && $file != "/proc/$BASHPID/cmdline" ]]; then
        printf 'still runs: %s\n' "$(tr '\0' ' ' <"$file")" >&2
        return 1
      fi
    fi
  done
}

http_get() {
  exec 5<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n' "$2" "${3:+$3$'\r\n'}" >&5
  cat <&5
  exec 5<&-
}

@test "up prints a line per step with its time, and then the status" {
  run cat "$BATS_FILE_TMPDIR/up.out"
  for text in 'find a JDK' 'prepare the databases: pg is new, statepg is new' 'start queencell-pg and queencell-statepg' \
    'start queencell-state and queencell-broker' 'register the cell: bench at' 'start queencell-proxy'; do
    grep -qE "^ +[0-9]+\.[0-9] s  $text" <<<"$output"
  done
  has 'queencell-proxy'
  lacks 'NOT WELL'
}

@test "status exits 0 and tells caps, processes, ports and settings, for machines too" {
  run kit status
  exits 0
  has "cell $CELL_HOME"
  has 'shared_buffers=256MB'
  run kit status --json
  exits 0
  for text in '"name" : "broker"' '"healthy" : true' '"cpuMicros"' '"memoryBytes"' "\"port\" : $((BASE + 3))"; do has "$text"; done
  [[ $(grep -c '"restarts" : 0' <<<"$output") == 5 ]]
}

@test "no process of the cell runs as root, each is in its own group under the one cap" {
  for unit in pg statepg state broker proxy; do
    pid=$(pid_of "$unit")
    [[ $(stat -c %u "/proc/$pid") != 0 ]]
    if [[ $(setting QUEENCELL_CAP) == cgroup ]]; then grep -qE ":/?queencell$BASE/$unit\$" "/proc/$pid/cgroup"; fi
  done
}

@test "the cap bites: a process that joins it and spins is held back" {
  if [[ $EUID != 0 || $(setting QUEENCELL_CAP) != cgroup ]]; then skip 'needs groups that this user may join'; fi
  throttled() { sed -n 's/^nr_throttled //p' "$(sed -n 's/^broker \(.*\/cpu[^ ]*\)\/queencell.*/\1/p' "$CELL_HOME/conf/cgroup.join" | head -n 1)/queencell$BASE/cpu.stat"; }
  before=$(throttled)
  # A cap far below what even a busy machine leaves.
  "$(setting QUEENCELL_JDK)/bin/java" -jar "$CELL_HOME/lib/cell.jar" cgroup caps --name "queencell$BASE" --cpus 0.05
  (
    while read -r unit file; do if [[ $unit == broker ]]; then echo "$BASHPID" >"$file"; fi; done <"$CELL_HOME/conf/cgroup.join"
    exec timeout 2 bash -c 'while :; do :; done'
  ) 3>&- || true
  after=$(throttled)
  "$(setting QUEENCELL_JDK)/bin/java" -jar "$CELL_HOME/lib/cell.jar" cgroup caps --name "queencell$BASE" --cpus 1
  ((after >= before + 5))
}

@test "the JVMs start from caches that the first up made, which their user can't change" {
  for unit in state broker proxy; do
    tr '\0' '\n' <"/proc/$(pid_of "$unit")/cmdline" | grep -q -- '^-XX:AOTCache='
  done
  for cache in state-db broker proxy; do
    [[ -s "$CELL_HOME/lib/$cache.aot" ]]
    if ((EUID == 0)); then [[ $(stat -c %U:%a "$CELL_HOME/lib/$cache.aot") == root:644 ]]; fi
  done
  run grep -i 'warning.*aot' "$CELL_HOME"/log/{state,broker,proxy}.log
  exits 1
}

@test "a training run that is broken off leaves neither process nor half a cache" {
  OWN_HOME=$FOLDER/training
  "$ROOT/vm-cell.sh" up --no-build --home "$OWN_HOME" --port-base $((BASE + 6)) --cell-cpus 1 --cell-mem 1 >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  up=$!
  eventually 60 grep -q 'ready on' "$OWN_HOME/log/state.training.log" 2>/dev/null
  kill -TERM "$up"
  status=0
  wait "$up" || status=$?
  [[ $status == 130 ]]
  nothing_runs "$OWN_HOME"
  [[ -z $(find "$OWN_HOME/lib" -name '*.aot*') ]]
}

@test "everything listens on the loopback address only" {
  if ! command -v ss >/dev/null; then skip 'ss is not installed'; fi
  for ((port = BASE; port < BASE + 5; port++)); do
    run ss -Hltn "sport = :$port"
    [[ -n $output ]]
    [[ $output != *'0.0.0.0:'"$port"* && $output != *"[::]:$port"* && $output != *" *:$port"* ]]
  done
}

@test "secrets are private, and appear in no log, command line or cell.env" {
  [[ $(stat -c %a "$CELL_HOME/secrets") == 700 ]]
  for file in "$CELL_HOME"/secrets/*; do
    [[ $(stat -c %a "$file") == 600 ]]
    secret=$(cat "$file")
    [[ ${#secret} -ge 32 ]]
    run grep -rlF -- "$secret" "$CELL_HOME/log" "$CELL_HOME/cell.env" "$CELL_HOME/conf" "$BATS_FILE_TMPDIR/up.out"
    [[ -z $output ]]
    for unit in pg statepg state broker proxy; do
      [[ $(tr '\0' ' ' <"/proc/$(pid_of "$unit")/cmdline") != *"$secret"* ]]
    done
  done
}

@test "up on a cell that is up changes nothing and says so" {
  broker=$(pid_of broker)
  run kit up
  exits 0
  has 'is up already; nothing differs'
  [[ $(pid_of broker) == "$broker" ]]
}

@test "the caps change while it runs, no process is restarted, and the kernel has the new ones" {
  if ! capped; then skip 'there is no cap here to change'; fi
  broker=$(pid_of broker) proxy=$(pid_of proxy)
  run kit up --cell-cpus 1.5 --cell-mem 1.25
  exits 0
  has 'change the caps: now 1.5 CPUs and 1.25 GiB'
  has 'heaps, pools and PostgreSQL settings stay those of 1 CPUs and 1 GiB'
  run kit status --json
  has '"cpus" : 1.5'
  has '"memoryBytes" : 1342177280'
  [[ $(pid_of broker) == "$broker" && $(pid_of proxy) == "$proxy" ]]
  run kit up --cell-cpus 1 --cell-mem 1
  exits 0
}

@test "--enforce restarts the proxy alone" {
  broker=$(pid_of broker) proxy=$(pid_of proxy)
  run kit up --enforce 1
  exits 0
  has 'restart queencell-proxy with --enforce 1'
  has 'enforce: what is over a limit is refused'
  [[ $(pid_of broker) == "$broker" && $(pid_of proxy) != "$proxy" ]]
  run kit up --enforce 0
  exits 0
  has 'shadow: what is over a limit is counted and passes'
}

@test "what can't change while it runs is refused, naming the way" {
  run kit up --port-base $((BASE + 100))
  exits 1
  has "can't change its --port-base while it runs"
  has 'vm-cell.sh down --home'
  PGSS=1 run kit up
  exits 1
  has "can't change its PGSS"
  run kit up --pg system
  exits 1
  has "can't change its --pg"
}

@test "a killed process comes back by itself and the restart is counted" {
  broker=$(pid_of broker)
  kill -KILL "$broker" 2>/dev/null || skip 'this user may not kill it'
  eventually 60 pid_changed broker "$broker"
  eventually 60 all_well
  run kit status --json
  has '"restarts" : 1'
}

@test "a killed supervisor and its process are started again by up, the others stay" {
  if [[ $(setting QUEENCELL_CAP) == systemd ]]; then skip 'systemd supervises'; fi
  broker=$(pid_of broker) state=$(pid_of state)
  read -r supervisor _ <"$CELL_HOME/run/broker.supervisor"
  kill -KILL "$supervisor" "$broker"
  eventually 5 gone "$broker"
  run kit status
  exits 3
  has 'NOT WELL'
  run kit up
  exits 0
  has 'start queencell-broker, which was down'
  [[ $(pid_of state) == "$state" ]]
  pid_changed broker "$broker"
}

@test "logs shows one log or the end of each" {
  run kit logs broker
  exits 0
  has 'ready on http'
  run kit logs queencell-state
  exits 0
  has 'ready on http'
  run kit logs
  exits 0
  for unit in pg statepg state broker proxy; do has "log/$unit.log"; done
  run kit logs nothing
  exits 1
  has "no unit 'nothing' in this cell; it takes one of pg statepg state broker proxy"
}

@test "psql opens a session on either database, also without a psql on the machine" {
  run kit psql <<<'SELECT current_database();'
  exits 0
  has queencell
  run kit psql statepg <<<'SELECT current_database();'
  exits 0
  has queencell_state
  # A PATH that has everything but psql.
  mkdir "$BATS_TEST_TMPDIR/bin"
  for tool in bash awk cat cut grep head id readlink sed stat tr nproc dirname; do ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/"; done
  PATH=$BATS_TEST_TMPDIR/bin run kit psql <<<'SELECT 40 + 2 AS answer;'
  exits 0
  has 42
}

@test "the cell is registered in state-db under its slug" {
  token=$(cat "$CELL_HOME/secrets/admin-token" 2>/dev/null) || skip 'this user may not read it'
  run http_get $((BASE + 2)) /api/cp/cells "x-queen-cp-token: $token"
  has '"bench"'
  has "http://127.0.0.1:$((BASE + 3))"
}

@test "reset empties the broker's database, restarts the broker and leaves the tenants' alone" {
  kit psql <<<'CREATE TABLE left_over (x int);' >/dev/null
  kit psql statepg <<<'CREATE TABLE kept (x int);' >/dev/null
  broker=$(pid_of broker) proxy=$(pid_of proxy)
  run "$ROOT/reset-cell-db.sh" --home "$CELL_HOME" 3>&-
  exits 0
  grep -qE '^reset in [0-9]+\.[0-9] s$' <<<"$output"
  [[ $(pid_of broker) != "$broker" && $(pid_of proxy) == "$proxy" ]]
  run kit psql <<<"SELECT 'tables ' || count(*) FROM pg_class WHERE relname = 'left_over';"
  has 'tables 0'
  run kit psql statepg <<<"SELECT 'tables ' || count(*) FROM pg_class WHERE relname = 'kept';"
  has 'tables 1'
  kit psql statepg <<<'DROP TABLE kept;' >/dev/null
}

@test "reset --with-proxy restarts the proxy too" {
  proxy=$(pid_of proxy)
  run "$ROOT/reset-cell-db.sh" --home "$CELL_HOME" --with-proxy 3>&-
  exits 0
  [[ $(pid_of proxy) != "$proxy" ]]
  eventually 30 all_well
}

@test "reset refuses while a measured point runs, unless forced; a dead one's lock does not count" {
  echo $$ >"$CELL_HOME/run/point.lock"
  run "$ROOT/reset-cell-db.sh" --home "$CELL_HOME" 3>&-
  exits 1
  has "a measured point is running (process $$)"
  run "$ROOT/reset-cell-db.sh" --home "$CELL_HOME" --force 3>&-
  exits 0
  sleep 0 3>&- &
  wait $!
  echo $! >"$CELL_HOME/run/point.lock"
  run "$ROOT/reset-cell-db.sh" --home "$CELL_HOME" 3>&-
  exits 0
  rm -f "$CELL_HOME/run/point.lock"
}

@test "a second cell lives beside the first, with an existing server for its messages" {
  OWN_HOME=$FOLDER/second
  # The first cell's server is the second one's existing one.
  password=$(cat "$CELL_HOME/secrets/pg-password" 2>/dev/null) || skip 'this user may not read it'
  kit psql <<<'CREATE DATABASE elsewhere;' >/dev/null
  run own up --port-base $((BASE + 6)) --cell-cpus 1 --cell-mem 1 --pg "postgres://queencell:$password@127.0.0.1:$BASE/elsewhere"
  exits 0
  has 'check the existing PostgreSQL: PostgreSQL 18'
  has 'start queencell-statepg'
  lacks "$password"
  lacks 'start queencell-pg'
  run own status --json
  exits 0
  has '"mode" : "external"'
  all_well
  run own down
  exits 0
  all_well
  run own down --purge
  exits 0
  [[ ! -e $OWN_HOME ]]
  kit psql <<<'DROP DATABASE elsewhere WITH (FORCE);' >/dev/null
}

@test "ports that are taken are named with their holder, and nothing is started" {
  OWN_HOME=$FOLDER/taken
  run own up --port-base "$BASE" --cell-cpus 1 --cell-mem 1
  exits 1
  has "check ports and disk: port taken: $BASE for pg"
  has "$((BASE + 4)) for proxy"
  has -- '--port-base'
  has 'look further: ss -ltnp'
  nothing_runs "$OWN_HOME"
  run own status
  exits 4
}

@test "a service that fails ends the up with its step, its own words and where to look, nothing left" {
  OWN_HOME=$FOLDER/failing
  mkdir -p "$OWN_HOME/conf"
  echo 'QUEENCELL_STATE_PORT=none' >"$OWN_HOME/conf/state.local.env"
  run own up --port-base $((BASE + 6)) --cell-cpus 1 --cell-mem 1
  exits 1
  has 'vm-cell.sh: start queencell-state and queencell-broker: the process ended (status 1'
  has "QUEENCELL_STATE_PORT is 'none'"
  has "look further: $ROOT/vm-cell.sh logs state --home $OWN_HOME"
  has 'stopped what this call had started: pg statepg state broker'
  nothing_runs "$OWN_HOME"
  run own status
  exits 4
  run own logs state
  exits 0
  has "QUEENCELL_STATE_PORT is 'none'"
  # What was wrong is mended, and the same home comes up.
  rm "$OWN_HOME/conf/state.local.env"
  run own up
  exits 0
  run own down --purge
  exits 0
}

@test "an interrupted up leaves nothing half up" {
  OWN_HOME=$FOLDER/interrupted
  # The script itself, not a function around it, is to be interrupted.
  QUEENCELL_AOT=0 "$ROOT/vm-cell.sh" up --no-build --home "$OWN_HOME" --port-base $((BASE + 6)) --cell-cpus 1 --cell-mem 1 >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  up=$!
  eventually 60 test -s "$OWN_HOME/run/state.pid"
  kill -TERM "$up"
  status=0
  wait "$up" || status=$?
  [[ $status == 130 ]]
  grep -q 'stopped what this call had started' "$BATS_TEST_TMPDIR/out"
  nothing_runs "$OWN_HOME"
  run own status
  exits 4
}

@test "two ups at once on one home: one goes on, the other says who is at it" {
  OWN_HOME=$FOLDER/twice
  own up --port-base $((BASE + 6)) --cell-cpus 1 --cell-mem 1 >"$BATS_TEST_TMPDIR/out" 2>&1 &
  up=$!
  eventually 30 test -s "$OWN_HOME/.lock"
  run own up --port-base $((BASE + 6))
  exits 1
  has 'another command is changing this cell (process '
  wait "$up"
  all_well "$OWN_HOME"
  # From another folder, with the home in the environment.
  cd /
  QUEENCELL_HOME=$OWN_HOME run "$ROOT/vm-cell.sh" status
  exits 0
  QUEENCELL_HOME=$OWN_HOME run "$ROOT/vm-cell.sh" down --purge
  exits 0
  [[ ! -e $OWN_HOME ]]
}

@test "--pg system finds a PostgreSQL of this machine, PGSS=1 preloads its statistics, --cap none is loud" {
  OWN_HOME=$FOLDER/system
  mkdir -p "$FOLDER/postgresql/18"
  ln -sfn "$(setting QUEENCELL_PG_BIN)" "$FOLDER/postgresql/18/bin"
  QUEENCELL_POSTGRES_FOLDER=$FOLDER/postgresql PGSS=1 run own up --port-base $((BASE + 6)) --cell-cpus 1 --cell-mem 1 --pg system --cap none
  exits 0
  has "find PostgreSQL: PostgreSQL 18 in $FOLDER/postgresql/18/bin"
  has '*** THIS CELL RUNS UNCAPPED (asked for)'
  has '*** UNCAPPED'
  run own psql <<<'SELECT count(*) > 0 AS tracked FROM pg_stat_statements;'
  exits 0
  grep -qE '\bt(rue)?\b' <<<"$output"
  grep -qx "QUEENCELL_CAPPED='false'" "$OWN_HOME/cell.env"
  run own up --cell-cpus 2
  exits 1
  has 'this cell runs without a cap'
  run own down --purge
  exits 0
}

@test "--pg system without one says what to install" {
  OWN_HOME=$FOLDER/none
  mkdir -p "$FOLDER/no-postgresql"
  QUEENCELL_POSTGRES_FOLDER=$FOLDER/no-postgresql PATH=/usr/bin:/bin run own up --port-base $((BASE + 6)) --pg system
  exits 1
  has '--pg system needs PostgreSQL 16 or newer'
  has 'or use --pg embedded'
}

@test "a full disk is one clear line" {
  if ((EUID != 0)); then skip 'only root can mount a small disk'; fi
  OWN_HOME=$FOLDER/full
  mkdir -p "$OWN_HOME"
  mount -t tmpfs -o size=64m tmpfs "$OWN_HOME"
  run own up --port-base $((BASE + 6)) --cell-cpus 1 --cell-mem 1
  umount "$OWN_HOME"
  exits 1
  has 'MiB are free where'
  has 'a cell needs 512 MiB'
}

@test "a parent that can't be written is one clear line" {
  mkdir -p "$BATS_TEST_TMPDIR/file"
  : >"$BATS_TEST_TMPDIR/file/x"
  run "$ROOT/vm-cell.sh" up --no-build --home "$BATS_TEST_TMPDIR/file/x/home"
  exits 1
  has "can't make the home"
}

@test "down ends everything, keeps the data, and a second down has nothing to do" {
  kit psql <<<'CREATE TABLE still_here (x int);' >/dev/null
  run kit down
  exits 0
  for unit in proxy broker state statepg pg; do has "stop queencell-$unit"; done
  [[ $(grep -o 'queencell-[a-z]*' <<<"$output" | paste -sd ' ') == 'queencell-proxy queencell-broker queencell-state queencell-statepg queencell-pg' ]]
  nothing_runs "$CELL_HOME"
  if [[ -d /sys/fs/cgroup ]]; then [[ -z $(find /sys/fs/cgroup -maxdepth 3 -type d -name "queencell$BASE*" 2>/dev/null) ]]; fi
  run kit status
  exits 4
  run kit down
  exits 0
  has 'is down already'
  # The ports, the caps and the data are remembered.
  run kit up
  exits 0
  has "prepare the databases: pg kept its data, statepg kept its data"
  run kit psql <<<'SELECT count(*) AS rows FROM still_here;'
  exits 0
}
