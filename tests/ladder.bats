#!/usr/bin/env bats
# A short ladder on a cell of its own: nothing here is written by the test.

load kit
load cells

setup() {
  open_folder
  need_jars_built
  OWN_HOME=$FOLDER/cell
}

teardown() { own down --purge >/dev/null 2>&1 || true; }

@test "two rates of a few seconds: from no cell to a table, and the cell is down again" {
  # The limits are wide: what a shared machine does to a short point is no matter here.
  QUEENCELL_AOT=0 run "$ROOT/tools/ceiling.sh" --home "$OWN_HOME" --cap none --no-build --cell-cpus 1 --cell-mem 2 \
    --port-base "$(free_port_base)" --out "$FOLDER/out" --force --rates 20,40 --seconds 4 --drain 60 --warmup 2 \
    --p99-limit-ms 60000 --refine 0 3>&-
  echo "$output"
  [[ $status == 0 || $status == 3 ]]
  has 'make the tenants that are missing'
  [[ $(grep -c '"ratePerSec"' "$FOLDER/out/ladder.json") -ge 2 ]]
  grep -q '"verdict" : "PASS"' "$FOLDER/out/rate-20.summary.json"
  grep -q '"proxyRequestsPerSec" : [1-9]' "$FOLDER/out/rate-20.summary.json"
  [[ $(sed -n 2p "$FOLDER/out/ladder.csv") == 20,rate-20,*,PASS,* ]]
  run "$ROOT/vm-cell.sh" status --home "$OWN_HOME"
  exits 4
}
