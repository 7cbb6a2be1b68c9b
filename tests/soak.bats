#!/usr/bin/env bats
# tools/soak.sh with a load generator that the test writes, in a copy of the repository's scripts; the
# last test soaks a whole cell.

load kit
load cells

setup() {
  SOAK_ROOT=$BATS_TEST_TMPDIR/root
  CELL=$BATS_TEST_TMPDIR/home
  RECORD=$BATS_TEST_TMPDIR/out
  OWN_HOME=''
  mkdir -p -- "$SOAK_ROOT/tools" "$CELL/run" "$CELL/lib"
  cp -r -- "$ROOT/tools/lib" "$SOAK_ROOT/tools/lib"
  cp -- "$ROOT/runpt.sh" "$SOAK_ROOT/runpt.sh"
  cp -- "$ROOT/tools/soak.sh" "$SOAK_ROOT/tools/soak.sh"
  if [[ ! -f $ROOT/cell/target/cell.jar ]]; then skip 'cell/target/cell.jar is not built'; fi
  ln -s -- "$ROOT/cell/target/cell.jar" "$CELL/lib/cell.jar"
  # Nothing listens on port 1: there is a machine to look at and no database.
  cat >"$CELL/cell.env" <<'END'
QUEENCELL_CAP='none'
QUEENCELL_CAPPED='false'
QUEENCELL_STATE_URL='http://127.0.0.1:1'
QUEENCELL_BROKER_URL='http://127.0.0.1:1'
QUEENCELL_PROXY_URL='http://127.0.0.1:1'
QUEENCELL_PG_JDBC_URL='jdbc:postgresql://127.0.0.1:1/queencell'
QUEENCELL_PG_USER='queencell'
QUEENCELL_PG_PASSWORD_FILE=''
END
  : >"$CELL/up"
}

teardown() {
  if [[ -n ${SOAK:-} ]]; then kill -TERM "$SOAK" 2>/dev/null || true; fi
  if [[ -n $OWN_HOME ]]; then "$ROOT/vm-cell.sh" down --purge --home "$OWN_HOME" >/dev/null 2>&1 || true; fi
}

# loader: what loader.sh does: a line every second until $BATS_TEST_TMPDIR/end is there or a signal
# comes, a record at the end, and the text on standard input once before.
loader() {
  {
    printf '#!/usr/bin/env bash\nOUT=%q END=%q CELL=%q\n' "$RECORD" "$BATS_TEST_TMPDIR/end" "$CELL"
    cat
    cat <<'END'
finish() {
  printf '{"runId":"s1","verdict":"%s","partial":%s}' "$VERDICT" "$1" >"$OUT/s1.json"
  echo "VERDICT: $VERDICT"
  exit "$2"
}
trap 'finish true 130' INT
echo 'seconds,delivered,endToEndP99Ms' >"$OUT/s1-interval.csv"
for ((second = 1; ; second++)); do
  sleep 1
  echo "$second,50,7.5" >>"$OUT/s1-interval.csv"
  echo "     ${second}s offered 50/s accepted 50/s"
  each_second
  if [[ -e $END ]]; then finish false "$CODE"; fi
done
END
  } >"$SOAK_ROOT/loader.sh"
  chmod 0755 -- "$SOAK_ROOT/loader.sh"
}

soak() { QUEENCELL_FORCE_POINT=1 run "$SOAK_ROOT/tools/soak.sh" --home "$CELL" "$@"; }

wrong() {
  soak "$@"
  exits 2
  [[ ${lines[0]} == 'soak.sh: '* || ${lines[0]} == 'runpt.sh: '* ]]
}

# document: the run's RUN-ID.soak.json on one line.
document() { tr -d ' \n' <"$RECORD/s1.soak.json"; }

@test "it explains itself with -h, with one example" {
  run "$ROOT/tools/soak.sh" -h
  exits 0
  [[ ${lines[0]} == 'Usage: tools/soak.sh'* ]]
  [[ $(grep -c '^Example: ' <<<"$output") == 1 ]]
}

@test "a wrong command line ends with 2 and says what is accepted" {
  wrong "$RECORD" -- -mode max
  has 'it takes OUTDIR and RUN-ID, and got 1 of them'
  wrong "$RECORD" s1
  has "the loader's options are missing; they come after --"
  wrong "$RECORD" s1 --
  wrong "$RECORD" s1 -mode max
  has "no option '-mode'; the loader's options come after --"
  wrong --every
  has '--every has no value'
  for value in 4 86401 5m -1 ''; do
    wrong "--every=$value" "$RECORD" s1 -- -mode max
  done
  wrong --every 4 "$RECORD" s1 -- -mode max
  has "--every is '4'; it takes a whole number from 5 to 86400"
  wrong --warm-up 10001 "$RECORD" s1 -- -mode max
  has "--warm-up is '10001'; it takes a whole number from 0 to 10000"
  wrong "$RECORD" ../s1 -- -mode max
  has "RUN-ID is '../s1'"
  wrong "$RECORD" s1 -- -mode max -out /x
  has 'is set by runpt.sh'
  [[ ! -e $RECORD ]]
}

@test "without a cell, and with one that is down, it ends with 1" {
  rm -- "$CELL/up"
  soak "$RECORD" s1 -- -mode max
  exits 1
  has "the cell in $CELL is down"
  rm -- "$CELL/cell.env"
  soak "$RECORD" s1 -- -mode max
  exits 1
  has "no cell in $CELL"
}

@test "a loader that refuses its options ends it with 2 and leaves nothing" {
  printf '#!/usr/bin/env bash\necho "-rate is wrong"; exit 2\n' >"$SOAK_ROOT/loader.sh"
  chmod 0755 -- "$SOAK_ROOT/loader.sh"
  soak "$RECORD" s1 -- -mode max -rate x
  exits 2
  has '-rate is wrong'
  [[ ! -e $RECORD ]]
}

@test "a row for each check and one at the end, and the loader's verdict and status" {
  loader <<'END'
VERDICT=FAIL CODE=3
each_second() { if [[ -e $OUT/s1.soak.csv && $(wc -l <"$OUT/s1.soak.csv") -ge 3 ]]; then : >"$END"; fi; }
END
  soak --every 5 "$RECORD" s1 -- -mode max
  exits 3
  local row
  for row in 1 2 3; do
    if ! grep -qE "^ +$row +[0-9]+ +50\.0 +7\.5 " <<<"$output"; then has "row $row with its numbers"; fi
  done
  has 'VERDICT: FAIL'
  lacks 's offered'
  [[ $(wc -l <"$RECORD/s1.soak.csv") -ge 4 ]]
  [[ $(document) == *'"everySeconds":5,"warmUpChecks":6,"checks":'*'"ended":true,"trends":[]'* ]]
  [[ -e $RECORD/s1.summary.json && -e $RECORD/s1.stdout ]]
}

@test "a process that is restarted again and again ends the run with 4" {
  loader <<'END'
VERDICT=PASS CODE=0
each_second() { echo "$((second / 4))" >"$CELL/run/broker.restarts"; }
END
  soak --every=5 "$RECORD" s1 -- -mode max
  exits 4
  has 'trend: broker was restarted before 2 of'
  has 'something grows for good; the run is ended'
  has 'VERDICT: PASS'
  [[ $(document) == *'"series":"brokerRestarts"'* ]]
  [[ $(<"$RECORD/s1.json") == *'"partial":true'* ]]
}

@test "Ctrl-C leaves a valid record of the run and of its checks" {
  loader <<'END'
VERDICT=PASS CODE=0
each_second() { :; }
END
  # A background command of a script starts with SIGINT ignored; one at a terminal does not.
  env --default-signal=INT QUEENCELL_FORCE_POINT=1 "$SOAK_ROOT/tools/soak.sh" --home "$CELL" --every 5 "$RECORD" s1 -- -mode max >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
  SOAK=$!
  eventually 240 test -s "$RECORD/s1.soak.csv"
  kill -INT "$SOAK"
  status=0
  wait "$SOAK" || status=$?
  output=$(<"$BATS_TEST_TMPDIR/said")
  exits 130
  [[ $(document) == *'"ended":true'* ]]
  [[ $(<"$RECORD/s1.json") == *'"partial":true'* ]]
  [[ $(<"$RECORD/s1.summary.json") == *'"partial" : true'* ]]
  [[ ! -e $CELL/run/point.lock ]]
}

@test "a minute of a real cell" {
  if [[ ! -f $ROOT/loader/target/loader.jar ]]; then skip 'loader/target/loader.jar is not built'; fi
  need_jars_built
  open_folder
  OWN_HOME=$FOLDER/cell
  own up --port-base "$(free_port_base)" --cell-cpus 1 --cell-mem 1
  "$ROOT/loader.sh" --home "$OWN_HOME" -mode provision -tenants 2
  run "$ROOT/tools/soak.sh" --home "$OWN_HOME" --force --every 10 --warm-up 2 "$RECORD" s1 -- \
    -mode cloud -rate 50 -duration 60 -drain 30 -report 2
  exits 0
  has 'VERDICT: PASS'
  [[ $(wc -l <"$RECORD/s1.soak.csv") -ge 6 ]]
  # Nothing is unknown of the row before the last, which may come too soon after it to have news of the load.
  [[ $(tail -n 2 -- "$RECORD/s1.soak.csv" | head -n 1) != *,,* ]]
  [[ $(document) == *'"trends":[]'* ]]
}
