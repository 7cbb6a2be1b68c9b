#!/usr/bin/env bats
# A whole cell on real processes: looked at, changed, hurt, reset, taken down. Runs as root and as
# anyone else. Needs the jars (`mvn -DskipTests package`); never builds them.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit
load cells

# One cell for all tests here that only look at one or change one and back.
setup_file() {
  load kit
  load cells
  need_jars_built
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
  load cells
  kit down --purge >/dev/null 2>&1 || true
}

# Every home that a test makes of its own is taken down after it.
OWN_HOME=''
teardown() {
  if [[ -n $OWN_HOME && -d $OWN_HOME ]]; then "$ROOT/vm-cell.sh" down --purge --home "$OWN_HOME" >/dev/null 2>&1 || true; fi
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
  for text in '"name" : "broker"' '"healthy" : true' '"cpuMicros"' '"memoryBytes"' "\"port\" : $((BASE + 3))" "\"proxyAdmin\" : $((BASE + 5))"; do has "$text"; done
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
  has 'heaps, pools and PostgreSQL settings stay those of 1 CPU and 1 GiB'
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

@test "a process that fails again and again waits longer each time, and status tells how long and how it ended" {
  local -a waits=()
  # Each look at it kills it anew, until it is met while it waits.
  met_waiting() {
    kill -KILL "$(pid_of proxy 2>/dev/null)" 2>/dev/null || true
    told=$(kit status --json | sed -n '/"name" : "proxy"/,/}/p')
    if [[ $told == *'"state" : "restarting"'* && $told =~ \"waitMs\"\ :\ ([1-9][0-9]*) ]]; then waits+=("${BASH_REMATCH[1]}"); fi
    ((${#waits[@]} > 1 && waits[-1] > waits[0]))
  }
  first=$(pid_of proxy)
  kill -KILL "$first" 2>/dev/null || skip 'this user may not kill it'
  eventually 120 met_waiting
  if [[ $(setting QUEENCELL_CAP) != systemd ]]; then [[ $told == *'"lastExit" : "status 137 after'* ]]; fi
  eventually 60 all_well
  pid_changed proxy "$first"
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

@test "down and a changing up refuse while a measured point runs, unless forced" {
  echo $$ >"$CELL_HOME/run/point.lock"
  run kit down
  exits 1
  has "a measured point is running (process $$) and would be worthless; wait for it or use --force"
  run kit up --enforce 1
  exits 1
  has "a measured point is running (process $$)"
  run kit up
  exits 0
  has 'nothing differs'
  if capped; then
    run kit up --cell-cpus 1.5
    exits 1
    has "a measured point is running (process $$)"
    run kit up --cell-cpus 1.5 --force
    exits 0
    run kit up --cell-cpus 1 --force
    exits 0
  fi
  rm -f "$CELL_HOME/run/point.lock"
  all_well
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
