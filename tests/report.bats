#!/usr/bin/env bats
# tools/report.sh on recorded points. Needs report/target/report.jar (`mvn -DskipTests package`); never
# builds it.

load kit

setup() {
  POINTS=$ROOT/report/src/test/resources/points
  if [[ ! -f $ROOT/report/target/report.jar ]]; then
    printf 'missing report/target/report.jar: mvn -DskipTests package\n' >&2
    return 1
  fi
  mkdir -p -- "$BATS_TEST_TMPDIR/my points"
  cd -- "$BATS_TEST_TMPDIR" || return 1
}

report() { "$ROOT/tools/report.sh" "$@"; }
take() { cp -- "$POINTS/$1"[.-]* "$BATS_TEST_TMPDIR/my points/"; }

@test "help and a bad command line say what to do" {
  run report -h
  exits 0
  has 'tools/report.sh --markdown out'
  run report
  exits 2
  has "Missing required parameter: 'DIR'"
  has 'look further: tools/report.sh -h'
  run report --colour out
  exits 2
  has "Unknown option: '--colour'"
  run report --out page.txt "my points"
  exits 2
  has 'it takes a name that ends in .html'
}

@test "an empty folder and one that is not there are named" {
  run report "my points"
  exits 1
  has 'no measured point in'
  [[ ! -e "my points/report.html" ]]
  run report none
  exits 1
  has 'none is no folder'
}

@test "two runs become one page, and text for a pull request" {
  take br-2000
  take px-3000
  run report --markdown "my points"
  exits 0
  has 'PASS: every message accounted for at all 2 points'
  has 'my points/report.html'
  has 'my points/report.md'
  grep -q 'data-figure="p2-memory"' "my points/report.html"
  grep -q '^| px-3000 | ✓ PASS | proxy | 3,000/s |' "my points/report.md"
}

@test "a ladder and a comparison are told as the scripts that measured them judged them" {
  take br-2000
  take px-3000
  printf '%s\n' '{"kind": "ladder", "plan": {"target": "broker", "p99LimitMs": 1000}, "ceiling": {"text": "ceiling 1000/s, limited by latency"}, "rungs": [{"ratePerSec": 2000, "runId": "br-2000", "failure": "achieved 33.0% of offered", "deliveredPerSec": 660}]}' >"my points/ladder.json"
  printf '%s\n' '{"kind": "comparison", "plan": {"a": {"name": "px"}, "b": {"name": "br"}}, "results": [{"ratePerSec": 2500, "points": [{"a": "px-3000", "b": "br-2000"}]}]}' >"my points/compare.json"
  run report --markdown "my points"
  exits 0
  grep -q '^ceiling 1000/s, limited by latency$' "my points/report.md"
  grep -q '^| 2,000/s | ✗ achieved 33.0% of offered |' "my points/report.md"
  grep -q '^### px and br at 2,500/s$' "my points/report.md"
  printf '{' >"my points/ladder.json"
  run report "my points"
  exits 0
  grep -q 'ladder.json is no JSON' "my points/report.html"
}

@test "half a run is reported as far as it goes" {
  cp -- "$POINTS/br-2000.pg.csv" "my points/half.pg.csv"
  run report --out half.html "my points"
  exits 0
  has 'No verdict: 0 of 1 points passed'
  grep -q 'there is no half.summary.json' half.html
}

@test "where no browser is installed, --png says so and the report is written" {
  take br-2000
  mkdir -- "$BATS_TEST_TMPDIR/bin"
  for tool in bash env dirname readlink sort find sed awk head grep tr cat java; do
    if command -v "$tool" >/dev/null; then ln -s -- "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"; fi
  done
  PATH=$BATS_TEST_TMPDIR/bin run report --png --out r.html "my points"
  exits 0
  has 'no pictures: no Chromium on the PATH'
  [[ -s r.html ]]
}

@test "--png draws a picture of each figure where a browser is installed" {
  if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    skip 'no Chromium is installed'
  fi
  take br-2000
  run report --png --markdown --out r.html "my points"
  exits 0
  has '9 pictures'
  [[ $(head -c 4 r-png/br-2000.p1-cpu.png | tail -c 3) == PNG ]]
  grep -q '!\[CPU by process br-2000\](r-png/br-2000.p1-cpu.png)' r.md
}
