#!/usr/bin/env bats
# runpt.sh with a load generator that the test writes: the scripts and the sampler are the real ones,
# in a copy of the repository's scripts beside which the loader's place can be taken.

load kit

setup() {
  RUNPT_ROOT=$BATS_TEST_TMPDIR/root
  CELL=$BATS_TEST_TMPDIR/home
  RECORD=$BATS_TEST_TMPDIR/out
  mkdir -p -- "$RUNPT_ROOT/tools" "$CELL/run" "$CELL/lib"
  cp -r -- "$ROOT/tools/lib" "$RUNPT_ROOT/tools/lib"
  cp -- "$ROOT/runpt.sh" "$RUNPT_ROOT/runpt.sh"
  if [[ ! -f $ROOT/cell/target/cell.jar ]]; then skip 'cell/target/cell.jar is not built'; fi
  ln -s -- "$ROOT/cell/target/cell.jar" "$CELL/lib/cell.jar"
  # Nothing listens on port 1: the sampler has a machine to look at and no database.
  cat >"$CELL/cell.env" <<'END'
QUEENCELL_CAP='none'
QUEENCELL_CAPPED='false'
QUEENCELL_PG_JDBC_URL='jdbc:postgresql://127.0.0.1:1/queencell'
QUEENCELL_PG_USER='queencell'
QUEENCELL_PG_PASSWORD_FILE=''
END
  : >"$CELL/up"
}

teardown() {
  if [[ -z ${POINT:-} ]]; then return 0; fi
  # The third signal ends a loader that does not listen.
  for _ in 1 2 3; do
    kill -TERM "$POINT" 2>/dev/null || return 0
    eventually 1 gone "$POINT" 2>/dev/null || true
  done
  eventually 40 gone "$POINT"
}

# loader < TEXT: what loader.sh does; its arguments are in $RECORD-arguments.
loader() {
  {
    printf '#!/usr/bin/env bash\nprintf "%%s\\n" "$@" >%q\n' "$RECORD-arguments"
    cat
  } >"$RUNPT_ROOT/loader.sh"
  chmod 0755 -- "$RUNPT_ROOT/loader.sh"
}

# record_line [EXTRA]: a line for a loader that leaves a run record.
record_line() {
  printf 'printf %%s %q >%q\n' \
    "{\"runId\":\"p1\",\"verdict\":\"PASS\",\"offeredPerSec\":10,\"deliveredPerSec\":10,\"latencyMs\":{\"p50\":1.5}${1:-}}" \
    "$RECORD/p1.json"
}

runpt() { run "$RUNPT_ROOT/runpt.sh" --home "$CELL" "$@"; }

wrong() {
  runpt "$@"
  exits 2
  [[ ${lines[0]} == 'runpt.sh: '* ]]
}

summary() { tr -d ' \n' <"$RECORD/p1.summary.json"; }

@test "it explains itself with -h, with one example" {
  run "$ROOT/runpt.sh" -h
  exits 0
  [[ ${lines[0]} == 'Usage: runpt.sh'* ]]
  [[ $(grep -c '^Example: ' <<<"$output") == 1 ]]
}

@test "a wrong command line ends with 2 and says what is accepted" {
  wrong
  has 'it takes OUTDIR and RUN-ID, and got 0 words'
  wrong "$RECORD" -- -mode max
  has 'got 1 word'
  lacks '1 words'
  wrong "$RECORD" p1
  has "the loader's options are missing; they come after --"
  wrong "$RECORD" p1 --
  has "the loader's options are missing"
  wrong "$RECORD" p1 -mode max
  has "no option '-mode'; the loader's options come after --"
  wrong "$RECORD" p1 p2 -- -mode max
  has 'got 3 words'
  for id in ../p1 .p1 -p1 'p 1' 'p/1' "$(printf 'p%.0s' {1..101})"; do
    wrong "$RECORD" "$id" -- -mode max
  done
}

@test "what runpt.sh gives to the loader can't be given again" {
  for option in -out --out=/x -run-id=p2 --run-id -home; do
    wrong "$RECORD" p1 -- -mode max "$option" x
    has 'is set by runpt.sh'
  done
}

@test "without a cell, and with one that is down, it ends with 1" {
  rm -- "$CELL/up"
  runpt "$RECORD" p1 -- -mode max
  exits 1
  has "the cell in $CELL is down"
  rm -- "$CELL/cell.env"
  runpt "$RECORD" p1 -- -mode max
  exits 1
  has "no cell in $CELL"
  [[ ! -e $RECORD ]]
}

@test "the loader's status is the script's, and its options arrive with the place of the record" {
  for status_wanted in 0 3; do
    rm -rf -- "$RECORD"
    loader <<<"echo so it went; exit $status_wanted"
    runpt "$RECORD" p1 -- -mode cloud -note 'two words'
    exits "$status_wanted"
    has 'so it went'
    has 'the loader left no run record'
    [[ $(<"$RECORD/p1.stdout") == 'so it went' ]]
    [[ $(<"$RECORD-arguments") == "--home"$'\n'"$CELL"$'\n-mode\ncloud\n-note\ntwo words\n-out\n'"$RECORD"$'\n-run-id\np1' ]]
    [[ ! -e $CELL/run/point.lock ]]
  done
}

@test "a point that never began leaves nothing, keeps its message and status, and can be taken again" {
  # Exit status 2: the loader refused its options. Status 1: it ended before the load.
  for status_wanted in 2 1; do
    rm -rf -- "$RECORD"
    loader <<<"echo 'no such rate'; exit $status_wanted"
    runpt "$RECORD" p1 -- -mode cloud -rate abc
    exits "$status_wanted"
    has 'no such rate'
    has "the point never began; nothing of 'p1' is left"
    [[ ! -e $RECORD ]]
    # A folder and another point's files that were there stay.
    mkdir -- "$RECORD"
    : >"$RECORD/p1-b.cpu.csv"
    runpt "$RECORD" p1 -- -mode cloud -rate abc
    exits "$status_wanted"
    [[ $(ls -- "$RECORD") == p1-b.cpu.csv ]]
  done
  loader < <(record_line)
  runpt "$RECORD" p1 -- -mode cloud -rate 10
  exits 0
  [[ -e $RECORD/p1.summary.json ]]
}

@test "a load that was broken off without a record keeps what there is" {
  mkdir -- "$RECORD"
  loader <<<"printf 'seconds\\n' >'$RECORD/p1-interval.csv'; exit 1"
  runpt "$RECORD" p1 -- -mode cloud
  exits 1
  has 'the loader left no run record'
  [[ -e $RECORD/p1.stdout && -e $RECORD/p1-interval.csv ]]
}

@test "a run leaves every file and a summary, and prints it" {
  loader < <(
    record_line
    echo 'sleep 2.5'
  )
  runpt "$RECORD" p1 -- -mode max
  exits 0
  has 'p1  PASS'
  has 'offered 10.0/s'
  for file in stdout shape.txt cpu.csv pg.csv waits.csv metrics.csv sample.json summary.json json; do
    [[ -e $RECORD/p1.$file ]] || {
      echo "no $file"
      return 1
    }
  done
  [[ $(grep -c ',loader,proc,' "$RECORD/p1.cpu.csv") -ge 2 ]]
  [[ $(summary) == *'"capped":false'* ]]
  # There is no database behind the URL: said, and nothing else lost by it.
  [[ $(<"$RECORD/p1.sample.json") == *'database'*'refused'* ]]
}

@test "a record is never written over" {
  mkdir -- "$RECORD"
  : >"$RECORD/p1.cpu.csv"
  wrong "$RECORD" p1 -- -mode max
  has "there is a record of 'p1'"
}

# start_point: a point in the background whose loader runs until $BATS_TEST_TMPDIR/end is there.
start_point() {
  # A background command of a script starts with SIGINT ignored; one at a terminal does not.
  env --default-signal=INT "$RUNPT_ROOT/runpt.sh" --home "$CELL" "$RECORD" p1 -- -mode max >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
  POINT=$!
  eventually 120 test -s "$RECORD/p1.stdout"
}

@test "one point at a time; what a killed one left is taken over" {
  loader <<<"echo runs; until [[ -e $BATS_TEST_TMPDIR/end ]]; do sleep 0.05; done"
  start_point
  [[ $(<"$CELL/run/point.lock") == "$POINT" ]]
  runpt "$RECORD" p2 -- -mode max
  exits 1
  has "another point is running on this cell (process $POINT)"
  : >"$BATS_TEST_TMPDIR/end"
  wait "$POINT"
  [[ ! -e $CELL/run/point.lock ]]
  for left_behind in 999999999 "$BASHPID" '' nonsense; do
    printf '%s\n' "$left_behind" >"$CELL/run/point.lock"
    rm -rf -- "$RECORD"
    runpt "$RECORD" p1 -- -mode max
    exits 0
  done
}

@test "Ctrl-C lets the loader finish its partial record, and leaves what there is" {
  loader < <(
    printf 'trap %q INT\necho runs\n' "$(record_line ',"partial":true'); exit 130"
    echo 'while :; do sleep 0.05; done'
  )
  start_point
  kill -INT "$POINT"
  status=0
  wait "$POINT" || status=$?
  output=$(<"$BATS_TEST_TMPDIR/said")
  exits 130
  has 'the run was cut short'
  [[ $(summary) == *'"partial":true'* ]]
  [[ $(<"$RECORD/p1.sample.json") == *'"endedEpochMs" : 1'* ]]
  [[ ! -e $CELL/run/point.lock ]]
}

@test "a sampler that dies in the middle is told and does not end the run" {
  loader < <(
    record_line
    echo "echo runs; until [[ -e $BATS_TEST_TMPDIR/end ]]; do sleep 0.05; done; exit 3"
  )
  start_point
  sampler=$(pgrep -f -- "sample --home $CELL ")
  kill -KILL "$sampler"
  eventually 10 gone "$sampler"
  : >"$BATS_TEST_TMPDIR/end"
  status=0
  wait "$POINT" || status=$?
  output=$(<"$BATS_TEST_TMPDIR/said")
  exits 3
  has 'the sampler died during the run'
  [[ -e $RECORD/p1.summary.json ]]
}

@test "a script that is killed takes its sampler along" {
  loader <<<"echo runs; until [[ -e $BATS_TEST_TMPDIR/end ]]; do sleep 0.05; done"
  start_point
  sampler=$(pgrep -f -- "sample --home $CELL ")
  kill -KILL "$POINT"
  eventually 20 gone "$sampler"
  : >"$BATS_TEST_TMPDIR/end"
}

@test "beside busy processes it refuses; with --force the record says so" {
  loader < <(record_line)
  # One hog takes a CPU; a tenth of a larger machine takes more of them.
  hogs=()
  for ((i = 0; i * 10 <= $(nproc); i++)); do
    bash -c 'while :; do :; done' queencell-hog 3>&- &
    hogs+=($!)
  done
  QUEENCELL_FORCE_POINT=0 runpt "$RECORD" p1 -- -mode max
  refusal_status=$status refusal=$output
  QUEENCELL_FORCE_POINT=0 runpt --force "$RECORD" p1 -- -mode max
  kill -KILL "${hogs[@]}"
  exits 0
  has 'measuring all the same: '
  [[ $(summary) == *'"quiet":false,"forced":true'* ]]
  grep -q '^neighbours before: .*the machine is not quiet enough' "$RECORD/p1.shape.txt"
  status=$refusal_status output=$refusal
  exits 1
  has 'the machine is not quiet enough to measure: others use '
  has 'or measure all the same with --force'
  has "nothing of 'p1' is left"
}

@test "beside a point of another cell it refuses" {
  loader <<<"echo runs; until [[ -e $BATS_TEST_TMPDIR/end ]]; do sleep 0.05; done"
  start_point
  cp -r -- "$CELL" "$CELL-b"
  rm -- "$CELL-b/run/point.lock"
  QUEENCELL_FORCE_POINT=0 run "$RUNPT_ROOT/runpt.sh" --home "$CELL-b" "$RECORD-b" p2 -- -mode max
  exits 1
  has 'another point runs on this machine and would disturb this one'
  has "process $POINT"
  [[ ! -e $RECORD-b ]]
  : >"$BATS_TEST_TMPDIR/end"
  wait "$POINT"
}

@test "a sampler that can't start is told and does not end the run" {
  rm -- "$CELL/lib/cell.jar"
  loader <<<'exit 0'
  runpt "$RECORD" p1 -- -mode max
  exits 0
  has 'sampling did not begin'
}
