#!/usr/bin/env bats
# tools/chaos.sh: its options, and a real schedule of two faults on a cell of its own.

load kit
load cells

setup() { CHAOS=$ROOT/tools/chaos.sh; }

wrong() {
  run "$CHAOS" "$@"
  exits 2
  [[ ${lines[0]} == 'chaos.sh: '* ]]
  has 'look further: tools/chaos.sh -h'
}

@test "it explains itself with -h, with one example" {
  run "$CHAOS" -h
  exits 0
  [[ ${lines[0]} == 'Usage: tools/chaos.sh'* ]]
  [[ $(grep -c '^Example: ' <<<"$output") == 1 ]]
}

@test "a wrong option ends with 2 and says what is accepted" {
  wrong --nonsense
  wrong word
  wrong --out
  has '--out needs a value'
  wrong --faults kill-broker,kill-them-all
  has "--faults has 'kill-them-all'; it takes kill-proxy kill-broker"
  wrong --modes cloud,max
  has "--modes has 'max'; it takes cloud, order and app"
  wrong --seed 7
  has '--seed goes with --minutes'
  for option in --rate --minutes --slot --hold --recovery; do
    wrong "$option" 0
    has "$option is '0'; it takes a whole number from 1 to 99999"
    wrong "$option=1.5"
  done
  wrong --cell-cpus 1 --port-base x
  has '--port-base'
}

@test "it names its faults" {
  run "$CHAOS" --list
  exits 0
  for fault in kill-{proxy,broker,state,statepg,pg} pause-{proxy,broker,state,statepg,pg} kill-backend stop-pg delay stall cut full-disk; do
    has "$fault"
  done
}

@test "without a cell it ends with 1 and leaves nothing" {
  run "$CHAOS" --home "$BATS_TEST_TMPDIR/none" --out "$BATS_TEST_TMPDIR/out"
  exits 1
  has 'no cell in'
  [[ ! -e $BATS_TEST_TMPDIR/out ]]
}

@test "a cell of its own comes through a kill and a cut without a loss, and is gone afterwards" {
  need_jars_built
  open_folder
  out=$BATS_TEST_TMPDIR/out
  QUEENCELL_AOT=0 run "$CHAOS" --no-build --cell-cpus 0 --cell-mem 0 --cap none --port-base "$(free_port_base)" \
    --home "$FOLDER/home" --out "$out" --faults kill-broker,cut --rate 20 --slot 60 --hold 3 3>&-
  exits 0
  has 'kill-broker    well'
  has 'kill-broker    delivering'
  has 'cut            ended'
  has 'cut            delivering'
  has 'VERDICT: PASS'
  has 'not recovered from: none; left out: none; verdict status 0'
  [[ $(grep -c ',began,' "$out/events.csv") == 2 ]]
  grep -q '"fault":"cut","event":"well","ms":[0-9]' "$out/events.json"
  [[ -e $out/chaos.summary.json && -e $out/chaos-order.json ]]
  [[ ! -e $FOLDER/home ]]
  nothing_runs "$FOLDER/home"
}
