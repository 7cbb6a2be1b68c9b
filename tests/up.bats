#!/usr/bin/env bats
# What goes wrong while a cell comes up, and the less usual ways to bring one up: each test has a
# cell of its own, on real processes. Runs as root and as anyone else. Needs the jars.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit
load cells

setup_file() {
  load kit
  load cells
  need_jars_built
  BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR open_folder
  export FOLDER BASE
  BASE=$(free_port_base)
}

# Every home that a test makes of its own is taken down after it; an `up` that a failed test left would
# hold it, and its ports.
OWN_HOME='' up=''
teardown() {
  if [[ -n $up ]] && alive "$up"; then
    kill -TERM "$up"
    wait "$up" || true
  fi
  if [[ -n $OWN_HOME && -d $OWN_HOME ]]; then "$ROOT/vm-cell.sh" down --purge --home "$OWN_HOME" >/dev/null 2>&1 || true; fi
}

@test "a training run that is broken off leaves neither process nor half a cache" {
  OWN_HOME=$FOLDER/training
  "$ROOT/vm-cell.sh" up --no-build --home "$OWN_HOME" --port-base "$BASE" --cell-cpus 1 --cell-mem 1 >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  up=$!
  eventually 180 grep -q 'ready on' "$OWN_HOME/log/state.training.log" 2>/dev/null
  kill -TERM "$up"
  status=0
  wait "$up" || status=$?
  [[ $status == 130 ]]
  nothing_runs "$OWN_HOME"
  [[ -z $(find "$OWN_HOME/lib" -name '*.aot*') ]]
}

@test "a service that fails ends the up with its step, its own words and where to look, nothing left" {
  OWN_HOME=$FOLDER/failing
  mkdir -p "$OWN_HOME/conf"
  echo 'QUEENCELL_STATE_PORT=none' >"$OWN_HOME/conf/state.local.env"
  run own up --port-base "$BASE" --cell-cpus 1 --cell-mem 1
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
  run own logs
  exits 0
  # What was wrong is mended, and the same home comes up.
  rm "$OWN_HOME/conf/state.local.env"
  run own up --port-base "$BASE" --cell-cpus 1 --cell-mem 1
  exits 0
  run own down --purge
  exits 0
}

@test "an interrupted up leaves nothing half up" {
  OWN_HOME=$FOLDER/interrupted
  # The script itself, not a function around it, is to be interrupted.
  QUEENCELL_AOT=0 "$ROOT/vm-cell.sh" up --no-build --home "$OWN_HOME" --port-base "$BASE" --cell-cpus 1 --cell-mem 1 >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
  up=$!
  eventually 180 test -s "$OWN_HOME/run/state.pid"
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
  own up --port-base "$BASE" --cell-cpus 1 --cell-mem 1 >"$BATS_TEST_TMPDIR/out" 2>&1 &
  up=$!
  eventually 180 test -s "$OWN_HOME/.lock"
  run own up --port-base "$BASE"
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
  ln -sfn "$(kit_shell 'find_jdk; QUEENCELL_HOME=/nonexistent; cell_jar pg install')" "$FOLDER/postgresql/18/bin"
  QUEENCELL_POSTGRES_FOLDER=$FOLDER/postgresql PGSS=1 run own up --port-base "$BASE" --cell-cpus 1 --cell-mem 1 --pg system --cap none
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
  QUEENCELL_POSTGRES_FOLDER=$FOLDER/no-postgresql PATH=/usr/bin:/bin run own up --port-base "$BASE" --pg system
  exits 1
  has '--pg system needs PostgreSQL 16 or newer'
  has 'or use --pg embedded'
}

@test "--pg system refuses a PostgreSQL that is too old and tells which it found" {
  OWN_HOME=$FOLDER/old
  for place in postgresql/15 bin; do
    mkdir -p "$FOLDER/too-old/$place/bin"
    printf '#!/bin/sh\necho "postgres (PostgreSQL) 15.4 (Debian 15.4-1)"\n' >"$FOLDER/too-old/$place/bin/postgres"
    printf '#!/bin/sh\n' >"$FOLDER/too-old/$place/bin/initdb"
    chmod -R a+rx "$FOLDER/too-old"
  done
  QUEENCELL_POSTGRES_FOLDER=$FOLDER/too-old/postgresql PATH=$FOLDER/too-old/bin/bin:/usr/bin:/bin run own up --port-base "$BASE" --pg system
  exits 1
  has '--pg system needs PostgreSQL 16 or newer with postgres and initdb; found only 15; install one'
  nothing_runs "$OWN_HOME"
  run own status
  exits 4
}

@test "an up that fails is not remembered: the settings are those from before it, or none" {
  OWN_HOME=$FOLDER/forgotten
  run own up --port-base "$BASE" --cell-cpus 1 --cell-mem 1 --pg postgres://u:p@127.0.0.1:1/db
  exits 1
  has "127.0.0.1:1 can't hold the messages"
  [[ ! -e $OWN_HOME/cell.env && ! -e $OWN_HOME/secrets/pg-external-password ]]
  printf '%s\n' "QUEENCELL_CELL_CPUS='1.5'" "QUEENCELL_PORT_BASE='$BASE'" "QUEENCELL_PG_MODE='embedded'" >"$OWN_HOME/cell.env"
  cp -- "$OWN_HOME/cell.env" "$BATS_TEST_TMPDIR/before"
  run own up --cell-cpus 1 --cell-mem 1 --pg postgres://u:p@127.0.0.1:1/db
  exits 1
  cmp "$OWN_HOME/cell.env" "$BATS_TEST_TMPDIR/before"
  [[ ! -e $OWN_HOME/secrets/pg-external-password ]]
}

@test "a full disk is one clear line" {
  if ((EUID != 0)); then skip 'only root can mount a small disk'; fi
  OWN_HOME=$FOLDER/full
  mkdir -p "$OWN_HOME"
  mount -t tmpfs -o size=64m tmpfs "$OWN_HOME"
  run own up --port-base "$BASE" --cell-cpus 1 --cell-mem 1
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
