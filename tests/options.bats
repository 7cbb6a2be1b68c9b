#!/usr/bin/env bats
# What every script accepts and refuses. Nothing is started: each case ends at its first check.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

refused() {
  run "$ROOT/vm-cell.sh" "$@"
  exits 1
  [[ ${lines[0]} == 'vm-cell.sh: '* ]]
}

@test "each script explains itself with -h, with one example" {
  for script in "$ROOT"/*.sh "$ROOT"/tools/*.sh; do
    for option in -h --help; do
      run "$script" "$option"
      exits 0
      [[ ${lines[0]} == "Usage: ${script#"$ROOT"/}"* ]]
      [[ $(grep -c '^Example: ' <<<"$output") == 1 ]]
    done
  done
}

@test "each script finds its parts however it is called: by bash from its folder, by a link, with a CDPATH" {
  export CDPATH=/
  for script in "$ROOT"/*.sh "$ROOT"/tools/*.sh; do
    cd -- "${script%/*}"
    run bash "${script##*/}" -h
    exits 0
    has "Usage: ${script#"$ROOT"/}"
    ln -s -- "$script" "$BATS_TEST_TMPDIR/link"
    run "$BATS_TEST_TMPDIR/link" -h
    exits 0
    has "Usage: ${script#"$ROOT"/}"
    rm -- "$BATS_TEST_TMPDIR/link"
  done
}

@test "-h works after a command too" {
  run "$ROOT/vm-cell.sh" up -h
  exits 0
  has 'Usage: vm-cell.sh'
}

@test "no command and an unknown command are refused" {
  refused
  has 'no command'
  refused start
  has "no command 'start'; it takes up, down, status, logs or psql"
}

@test "an unknown option is refused" {
  refused up --cpu 2
  has "no option '--cpu'"
}

@test "an option without its value is refused" {
  for option in --cell-cpus --cell-mem --enforce --cap --pg --port-base --home; do
    refused up "$option"
    has "$option needs a value"
    refused up "$option" ''
    has "$option is empty"
  done
}

@test "an option of another command is refused" {
  refused down --cell-cpus 2
  has '--cell-cpus goes with up, not with down'
  refused logs --force
  has '--force goes with up or down, not with logs'
  refused up --purge
  has '--purge goes with down, not with up'
  refused up --follow
  has '--follow goes with logs, not with up'
  refused logs --json
  has '--json goes with status, not with logs'
}

@test "a word too many is refused" {
  refused up broker
  has "'broker' is one word too many for up"
  refused logs broker proxy
  has "'proxy' is one word too many for logs"
}

@test "--cell-mem takes GiB without a unit, within limits, or 0" {
  for value in 8GB 8G -1 0.5 1e3 abc 5000 1,5 ' 2' 08.0.1; do
    refused up --cell-mem "$value"
    has "--cell-mem is '$value'; it takes GiB from 1 to 4096"
  done
}

@test "--cell-cpus takes fractions within limits, or 0" {
  for value in two -1 0.1 0.49 2000 1/2 .5; do
    refused up --cell-cpus "$value"
    has "--cell-cpus is '$value'; it takes a number of CPUs from 0.5 to 1024"
  done
}

@test "the checks accept what is documented" {
  run kit_shell 'for v in 0 0.5 1 1.5 2 64; do check_cell_cpus $v; done; for v in 0 1 1.25 8 512; do check_cell_mem $v; done; echo fine'
  exits 0
  has fine
}

@test "numbers are written in one way, so that equal caps compare equal" {
  run kit_shell 'for v in 2 2.0 02 0.50 1.125 10 100 0; do plain_number $v; done'
  exits 0
  [[ $output == $'2\n2\n2\n0.5\n1.125\n10\n100\n0' ]]
}

@test "--enforce, --cap and PGSS take closed choices" {
  refused up --enforce yes
  has "--enforce is 'yes'; it takes 0"
  refused up --cap docker
  has "--cap is 'docker'; it takes auto, systemd, cgroup or none"
  PGSS=on refused up
  has "PGSS is 'on'; it takes 0 or 1"
}

@test "QUEENCELL_PATIENCE multiplies the deadlines, and takes whole numbers only" {
  for value in 0 -1 1.5 101 many; do
    QUEENCELL_PATIENCE=$value run "$ROOT/vm-cell.sh" status
    exits 1
    has "QUEENCELL_PATIENCE is '$value'; it takes a whole number from 1 to 100"
  done
  QUEENCELL_PATIENCE=3 run kit_shell 'QUEENCELL_HOME=/x QUEENCELL_PG_BIN=/y
    build_unit pg; echo "$UNIT_READY_DEADLINE_MS $UNIT_STOP_STEPS ${UNIT_SYSTEMD[*]} ${STATUS_OPTIONS[*]}"'
  exits 0
  [[ $output == '180000 INT:60 QUIT:15 KILL:5 KillMode=mixed KillSignal=SIGINT TimeoutStopSec=75 --answer-seconds 15' ]]
  run kit_shell 'echo "$UNIT_READY_DEADLINE_MS${STATUS_OPTIONS[*]}"'
  [[ $output == 60000 ]]
}

@test "--port-base takes the first of six ports" {
  for value in 80 1023 65531 99999 7000x 0x1000; do
    refused up --port-base "$value"
    has "--port-base is '$value'; it takes the first of six ports, from 1024 to 65530"
  done
}

@test "--pg takes embedded, system or a whole URL, and never repeats a password" {
  refused up --pg mysql
  has '--pg is'
  for url in postgres:// postgres://host/db postgres://u:sesame@host postgres://u:sesame@host:port/db \
    'postgres://u:sesame@host:5432/db?sslmode=require'; do
    refused up --pg "$url"
    has '--pg'
    lacks sesame
  done
}

@test "a --pg URL is taken apart and decoded" {
  run kit_shell 'parse_pg "postgres://us%40er:p%2Fw%3A1@db.example:6543/my_db"
    echo "$QUEENCELL_PG_MODE $QUEENCELL_PG_USER $PG_EXTERNAL_PASSWORD $QUEENCELL_PG_HOST $QUEENCELL_PG_EXTERNAL_PORT $QUEENCELL_PG_DB"
    parse_pg "postgresql://u:p@h/d"; echo "$QUEENCELL_PG_EXTERNAL_PORT"'
  exits 0
  [[ ${lines[0]} == 'external us@er p/w:1 db.example 6543 my_db' ]]
  [[ ${lines[1]} == 5432 ]]
}

@test "--option=value reads like --option value" {
  refused up --cell-mem=8GB
  has "--cell-mem is '8GB'"
  refused status --home=
  has '--home is empty'
}

@test "status of a home without a cell says so and exits 4" {
  run "$ROOT/vm-cell.sh" status --home "$BATS_TEST_TMPDIR/nothing"
  exits 4
  has 'no cell is up in'
  run "$ROOT/vm-cell.sh" status --json --home "$BATS_TEST_TMPDIR/nothing"
  exits 4
  [[ $output == '{"home": "'*'", "up": false, "processes": []}' ]]
  [[ ! -e $BATS_TEST_TMPDIR/nothing ]]
}

@test "logs, psql, reset and down say when there is no cell" {
  for command in logs psql; do
    refused "$command" --home "$BATS_TEST_TMPDIR/nothing"
    has 'no cell in'
    has 'look further:'
  done
  run "$ROOT/reset-cell-db.sh" --home "$BATS_TEST_TMPDIR/nothing"
  exits 1
  has 'no cell in'
  run "$ROOT/vm-cell.sh" down --home "$BATS_TEST_TMPDIR/nothing"
  exits 0
  has 'no cell in'
}

@test "psql of a cell that is down says so" {
  mkdir -p "$BATS_TEST_TMPDIR/down"
  echo "QUEENCELL_PG_MODE='embedded'" >"$BATS_TEST_TMPDIR/down/cell.env"
  refused psql --home "$BATS_TEST_TMPDIR/down"
  has "the cell in $BATS_TEST_TMPDIR/down is down"
  has 'vm-cell.sh up --home'
}

@test "down --purge touches no folder that is not a cell's home" {
  mkdir -p "$BATS_TEST_TMPDIR/precious/pg"
  refused down --purge --home "$BATS_TEST_TMPDIR/precious"
  has "is no cell's home"
  [[ -d $BATS_TEST_TMPDIR/precious/pg ]]
}

@test "psql takes pg or statepg" {
  refused psql mysql
  has 'psql takes pg or statepg'
}

@test "the test on a virtual machine refuses what it can't use, and names everything that is missing" {
  for option in '--accel xen' '--mem 1' '--mem 2G' '--cpus 0' '--deadline none' '--work' '--color'; do
    # shellcheck disable=SC2086 # an option and its value
    run "$ROOT/tools/test-systemd.sh" $option
    exits 1
    has "${option%% *}"
  done
  mkdir "$BATS_TEST_TMPDIR/bin"
  for tool in bash dirname readlink uname; do ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/"; done
  PATH=$BATS_TEST_TMPDIR/bin run "$ROOT/tools/test-systemd.sh" --work "$BATS_TEST_TMPDIR/work"
  exits 1
  if [[ $(uname -m) == x86_64 ]]; then
    for text in 'mmdebstrap (package mmdebstrap)' 'qemu-system-x86_64 (package qemu-system-x86)' 'mke2fs (package e2fsprogs)'; do has "$text"; done
  fi
  [[ ! -e $BATS_TEST_TMPDIR/work ]]
}

@test "the loader is told where the cell is" {
  run "$ROOT/loader.sh" --home
  exits 1
  has '--home needs a folder'
}

@test "reset refuses an unknown option" {
  run "$ROOT/reset-cell-db.sh" --all
  exits 1
  has "no option '--all'"
}
