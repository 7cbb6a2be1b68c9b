#!/usr/bin/env bats
# ceiling.sh, compare.sh and bench.sh over a cell, a loader and points that the test writes: the
# scripts and the jar that decides and computes are the real ones.

load kit

setup() {
  TREE=$BATS_TEST_TMPDIR/root
  CELL=$BATS_TEST_TMPDIR/home
  OUT=$BATS_TEST_TMPDIR/out
  CALLS=$BATS_TEST_TMPDIR/calls
  mkdir -p -- "$TREE/tools" "$TREE/cell/target" "$CELL/run"
  cp -r -- "$ROOT/tools/." "$TREE/tools/"
  if [[ ! -f $ROOT/cell/target/cell.jar ]]; then skip 'cell/target/cell.jar is not built'; fi
  ln -s -- "$ROOT/cell/target/cell.jar" "$TREE/cell/target/cell.jar"
  for module in state-db broker proxy loader; do
    mkdir -p -- "$TREE/$module/target"
    : >"$TREE/$module/target/$module.jar"
  done
  : >"$TREE/pom.xml"
  : >"$CALLS"
  # Fast enough for the stop rule up to 1200/s; above it half of the messages arrive.
  ceiling_at 1200
  script vm-cell.sh <<'END'
home='' cpus=2 mem=8
args=("$@")
for ((i = 0; i < ${#args[@]}; i++)); do
  case ${args[i]} in
    --home) home=${args[i + 1]} ;;
    --cell-cpus) cpus=${args[i + 1]} ;;
    --cell-mem) mem=${args[i + 1]} ;;
  esac
done
case $1 in
  up)
    if [[ -e $home.broken ]]; then echo 'no port is free'; exit 1; fi
    cell "$home" "$cpus" "$mem" && : >"$home/up"
    ;;
  down) rm -f -- "$home/up" ;;
esac
END
  script reset-cell-db.sh <<<''
  script loader.sh <<<'echo "tenants.json: 4 created, 0 given a new key, 0 kept"'
  script runpt.sh <<'END'
if [[ -e $HERE/noisy ]]; then rm -- "$HERE/noisy"; echo 'others use 0.7 CPUs; wait for it, or measure all the same with --force'; exit 1; fi
if [[ -e $HERE/refusing ]]; then echo 'no such option'; exit 2; fi
out=$3 id=$4 rate=0 target=proxy
args=("$@")
for ((i = 0; i < ${#args[@]}; i++)); do
  case ${args[i]} in
    -rate | -rate-events) rate=${args[i + 1]} ;;
    -target) target=${args[i + 1]} ;;
  esac
done
if [[ -e $HERE/slow ]]; then
  trap 'point true; exit 130' INT
  : >"$HERE/begun"
  while :; do sleep 0.05; done
fi
point false
END
}

# script NAME < TEXT: puts a script in the tree that notes its call and then runs the text.
script() {
  {
    printf '#!/usr/bin/env bash\nHERE=%q CALLS=%q NAME=%q\n' "$BATS_TEST_TMPDIR" "$CALLS" "$1"
    cat <<'END'
printf '%s %s\n' "$NAME" "$*" >>"$CALLS"
cell() {
  mkdir -p -- "$1"
  printf "QUEENCELL_%s='%s'\n" CELL_CPUS "$2" CELL_MEM "$3" PLANNED_CPUS "$2" PLANNED_MEM "$3" CAPPED true >"$1/cell.env"
}
# point PARTIAL: a summary of a point at $rate.
point() {
  local delivered=$rate verdict=PASS limited=nothing proxy=60
  if awk -v r="$rate" -v c="$(<"$HERE/ceiling")" 'BEGIN {exit !(r > c)}'; then delivered=$(awk -v r="$rate" 'BEGIN {print r / 2}') limited=cpu-cap; fi
  if [[ -e $HERE/losing ]]; then verdict=FAIL; fi
  if [[ $target == broker ]]; then proxy=0; fi
  cat >"$out/$id.summary.json" <<JSON
{"runId": "$id", "verdict": "$verdict", "partial": $1, "target": "$target", "offeredPerSec": $rate,
 "achievedPushPerSec": $rate, "deliveredPerSec": $delivered, "cellCores": 0.5, "cellCpuMicrosPerMessage": $((300 + proxy * 2)),
 "cpuMicrosPerMessage": {"broker": 100, "proxy": $((proxy * 2)), "pg": 200}, "proxyRequestsPerMessage": 2,
 "proxyCpuMicrosPerRequest": $proxy, "throttledShare": 0.1, "commitsPerMessage": 0.5, "walBytesPerMessage": 600,
 "loaderCores": 0.3, "loaderSaturated": false, "limitedBy": "$limited", "latencyMs": {"p50": $((5 + proxy / 30)), "p99": 20, "p999": 40}}
JSON
  printf 'point       %s  %s  through %s\nrate        offered %s.0/s\n' "$id" "$verdict" "$target" "$rate"
}
END
    cat
  } >"$TREE/$1"
  chmod 0755 -- "$TREE/$1"
}

ceiling_at() { printf '%s' "$1" >"$BATS_TEST_TMPDIR/ceiling"; }

# cell_up CPUS MEM: a cell that is up already.
cell_up() {
  "$TREE/vm-cell.sh" up --home "$CELL" --cell-cpus "$1" --cell-mem "$2"
  : >"$CALLS"
}

tool() {
  local name=$1
  shift
  run "$TREE/tools/$name.sh" --home "$CELL" --no-build --out "$OUT" "$@"
}

wrong() {
  local text=$1 name=$2
  shift 2
  run "$TREE/tools/$name.sh" "$@"
  exits 2
  has "$text"
  [[ ${lines[0]} == "$name.sh: "* ]]
}

calls() { grep -c -- "$1" "$CALLS" || true; }
# The points that were begun, in their order.
points() { awk '$1 == "runpt.sh" {print $5}' "$CALLS" | paste -sd' '; }

@test "each explains itself with -h, with one example" {
  for name in ceiling compare bench; do
    for option in -h --help; do
      run "$ROOT/tools/$name.sh" "$option"
      exits 0
      [[ ${lines[0]} == "Usage: tools/$name.sh"* ]]
      [[ $(grep -c '^Example: ' <<<"$output") == 1 ]]
    done
  done
}

@test "options that all of them have are checked" {
  for name in ceiling compare bench; do
    wrong "no option '--fast'" "$name" --fast
    wrong "no option 'out'" "$name" out
    for option in --home --out --cell-cpus --cell-mem --cap --pg --port-base --seconds --drain --warmup; do
      wrong "$option needs a value" "$name" "$option"
      wrong "$option needs a value" "$name" "$option="
    done
    for value in 0 -1 1.5 x 86401; do
      wrong "--seconds is '$value'; it takes a whole number from 1 to 86400" "$name" --seconds "$value"
    done
    wrong "--drain is 'x'" "$name" --drain=x
    wrong "--warmup is '3601'" "$name" --warmup 3601
    wrong '--resume needs --out' "$name" --resume
  done
}

@test "ceiling.sh checks its own options" {
  wrong "--target is 'state'; it takes proxy or broker" ceiling --target state
  wrong "--shape is 's6'; it takes s1 to s5 or none" ceiling --shape s6
  wrong 'shape s1 loads the proxy, --target says broker' ceiling --shape s1 --target broker
  wrong "--shape none needs the loader's options after --" ceiling --shape none
  wrong 'this mode of the loader has no rate' ceiling --shape none -- -mode max
  for value in 0 -5 a 1e3 ''; do
    wrong '--rates' ceiling --rates "5,$value"
    wrong '--from' ceiling --from "$value"
    wrong '--p99-limit-ms' ceiling --p99-limit-ms "$value"
  done
  wrong "--refine is '11'" ceiling --refine 11
  for word in -rate --rate=5 -duration -drain -out -run-id -target=broker -h; do
    wrong 'is set by ceiling.sh' ceiling -- "$word" 1
  done
}

@test "what only the plan can tell is refused before a cell is touched" {
  tool ceiling --from 10 --to 5
  exits 2
  has '--from 10 --to 5 is no range'
  tool ceiling --rates 5 --step 2
  exits 2
  has '--rates goes without --from'
  tool ceiling --step 2 --factor 3
  exits 2
  has 'it takes --step or --factor, not both'
  [[ ! -s $CALLS && ! -e $OUT ]]
}

@test "compare.sh and bench.sh check their own options" {
  wrong "--rates is '0'" compare --rates 5,0
  wrong "--rounds is '0'" compare --rounds 0
  wrong "--a-name is 'a b'" compare --a-name 'a b'
  wrong "both sides are called 'x'" compare --a-name x --b-name x
  wrong 'is set by compare.sh' compare -- -rate 5
  wrong "no option '--'" bench -- -rate 5
  wrong "no option '--factor'" compare --factor 2
  wrong "no option '--cases'" ceiling --cases s1:5
  wrong "--cases has 's8:5'" bench --cases s8:5
  wrong "--cases has 's1'" bench --cases s1
  wrong "--cases is 'x'" bench --cases s1:x
  wrong "--rounds is 'x'" bench --rounds x
}

@test "a ladder brings the cell up, climbs to its end, and takes the cell down again" {
  tool ceiling --cell-cpus 1 --cell-mem 4 --cap none --pg system --port-base 21000 --rates 500,1000,2000,4000 --refine 1 --seconds 5 --drain 6 --warmup 3
  exits 0
  grep -q -- "^vm-cell.sh up --no-build --home $CELL --cell-cpus 1 --cell-mem 4 --cap none --pg system --port-base 21000$" "$CALLS"
  [[ $(tail -n 1 "$CALLS") == "vm-cell.sh down --home $CELL" ]]
  [[ $(points) == 'rate-500 rate-1000 rate-2000 rate-1400' ]]
  [[ $(calls '^reset-cell-db.sh ') == 4 ]]
  [[ $(calls '^loader.sh .*-mode provision -tenants 4$') == 1 ]]
  grep -q -- '-mode cloud -tenants 4 -shared-queue -partitions 8 -push-batch 1 -producers-per-tenant 2 -consumers-per-tenant 3 -pop-batch 50 -pop-wait -payload 256 -lease-time 30 -target proxy -rate 500 -ramp-sec 3 -duration 8 -drain 6$' "$CALLS"
  has 'ceiling 1000/s, limited by cpu-cap: at 1400/s achieved 50.0% of offered, 10.0% throttled'
  has '500/s: delivered 500/s, p99 20.0 ms'
  has 'delivered (.: offered only)'
  [[ -s $OUT/ladder.csv && -s $OUT/ladder.json ]]
}

@test "a cell that is up with these caps is measured as it is and stays up" {
  cell_up 1 4
  tool ceiling --cell-cpus 1.0 --cell-mem 4 --rates 500 --warmup 0
  exits 0
  [[ $(calls '^vm-cell.sh') == 0 ]]
  [[ $(calls 'ramp-sec') == 0 ]]
  has 'and no higher rate was tried'
}

@test "a cell that is up with other caps gets them back" {
  cell_up 2 8
  tool ceiling --cell-cpus 1 --cell-mem 4 --rates 500
  exits 0
  [[ $(grep '^vm-cell' "$CALLS" | awk '{print $2}' | paste -sd' ') == 'down up down up' ]]
  [[ $(tail -n 1 "$CALLS") == *'--cell-cpus 2 --cell-mem 8' ]]
}

@test "--keep-up leaves the cell as it was measured" {
  tool ceiling --rates 500 --keep-up
  exits 0
  [[ $(calls '^vm-cell.sh down') == 0 ]]
}

@test "a cell that does not come up ends it with the reason" {
  : >"$CELL.broken"
  tool ceiling --rates 500
  exits 1
  has 'no port is free'
}

@test "--target broker takes the shape s2, and the loader's options win" {
  cell_up 1 4
  tool ceiling --target broker --rates 500 -- -tenants 2 -payload 1024
  exits 0
  [[ $(calls 'provision -tenants 2$') == 1 ]]
  grep -q -- '-target broker -tenants 2 -payload 1024 -rate 500 ' "$CALLS"
}

@test "the pipeline has its own option for the rate and needs no tenants" {
  cell_up 1 4
  tool ceiling --shape s5 --rates 100 --warmup 3 --seconds 9
  exits 0
  grep -q -- ' -mode cm -properties 1000 -rate-events 100 -ramp-sec 3 -duration 12 ' "$CALLS"
  [[ $(calls '^loader.sh') == 0 ]]
}

@test "--shape none takes the loader's options alone" {
  cell_up 1 4
  tool ceiling --shape none --rates 100 --warmup 0 -- -mode openloop -verify
  exits 0
  grep -q -- " -- -mode openloop -verify -rate 100 -duration 45 -drain 45$" "$CALLS"
}

@test "where no rate passes it ends with 3 and still shows the table" {
  cell_up 1 4
  ceiling_at 1
  tool ceiling --rates 500,1000
  exits 3
  has 'no rate passed, limited by cpu-cap'
  [[ $(points) == rate-500 ]]
}

@test "a verdict that is no PASS stops the ladder" {
  cell_up 1 4
  : >"$BATS_TEST_TMPDIR/losing"
  tool ceiling --rates 500,1000
  exits 3
  has 'limited by verdict'
}

@test "--resume keeps the points that are there; without it a ladder is not written over" {
  cell_up 1 4
  tool ceiling --rates 500,1000 --warmup 0
  : >"$CALLS"
  tool ceiling --rates 500,1000 --warmup 0
  exits 2
  has 'there is a ladder in'
  rm -- "$OUT/rate-1000.summary.json"
  tool ceiling --rates 500,1000 --warmup 0 --resume
  exits 0
  [[ $(points) == rate-1000 ]]
  tool ceiling --rates 500,2000 --warmup 0 --resume
  exits 2
  has "can't be resumed with other options: its rates is"
}

@test "a machine that is not quiet yet is waited for, and --force goes to the points" {
  cell_up 1 4
  : >"$BATS_TEST_TMPDIR/noisy"
  sed -i 's/^QUIET_PAUSE_S=.*/QUIET_PAUSE_S=0.1/' "$TREE/tools/lib/points.sh"
  tool ceiling --rates 500 --warmup 0
  exits 0
  [[ $(points) == 'rate-500 rate-500' ]]
  script runpt.sh <<'END'
echo "force is ${QUEENCELL_FORCE_POINT:-unset}"
exit 2
END
  rm -r -- "$OUT"
  tool ceiling --rates 500 --warmup 0 --force
  has 'force is 1'
}

@test "a point that the loader refuses ends the ladder with the reason" {
  cell_up 1 4
  : >"$BATS_TEST_TMPDIR/refusing"
  tool ceiling --rates 500 --warmup 0
  exits 1
  has 'no such option'
}

@test "Ctrl-C asks the point to end, leaves what is finished, and puts the cell back" {
  ceiling_at 5000
  tool ceiling --rates 500,1000 --warmup 0 --keep-up
  rm -- "$OUT"/rate-1000* "$CELL/up"
  : >"$BATS_TEST_TMPDIR/slow"
  env --default-signal=INT "$TREE/tools/ceiling.sh" --home "$CELL" --no-build --out "$OUT" --rates 500,1000 --warmup 0 --resume \
    >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
  eventually 120 test -e "$BATS_TEST_TMPDIR/begun"
  kill -INT $!
  status=0
  wait $! || status=$?
  output=$(<"$BATS_TEST_TMPDIR/said")
  exits 130
  has 'ceiling 500/s so far'
  [[ $(tail -n 1 "$CALLS") == "vm-cell.sh down --home $CELL" ]]
  # What was cut short does not count and is measured again under another name.
  rm -- "$BATS_TEST_TMPDIR/slow"
  : >"$CALLS"
  tool ceiling --rates 500,1000 --warmup 0 --resume
  exits 0
  [[ $(points) == rate-1000_2 ]]
}

@test "a comparison measures both sides in turn and says what the proxy costs" {
  cell_up 1 4
  tool compare --rates 500 --rounds 2 --warmup 0 --seconds 5 --drain 5
  exits 0
  [[ $(points) == 'proxy-500-1 broker-500-1 proxy-500-2 broker-500-2' ]]
  [[ $(calls 'runpt.*-target proxy -rate 500 ') == 2 && $(calls 'runpt.*-target broker -rate 500 ') == 2 ]]
  has 'the proxy at 500/s: 60.0 (60.0..60.0) CPU µs per request of its own, 60.0 (60.0..60.0) of the cell; latency p50 2.0 (2.0..2.0) ms'
  has 'proxy-500-1: PASS, offered 500.0/s'
  [[ -s $OUT/compare.json && $(head -n 1 "$OUT/compare.csv") == 'ratePerSec,metric,side,median,min,max,rounds' ]]
  rm -- "$OUT/broker-500-2.summary.json"
  : >"$CALLS"
  tool compare --rates 500 --rounds 2 --warmup 0 --seconds 5 --drain 5 --resume
  exits 0
  [[ $(points) == broker-500-2 ]]
}

@test "two sets of the loader's options can be compared, also on two cells" {
  cell_up 1 4
  tool compare --rates 500 --rounds 1 --warmup 0 --a '-pop-batch 10' --b '-pop-batch 500 -payload 64' --a-name small --b-name large -- -lease-time 9
  exits 0
  [[ $(points) == 'small-500-1 large-500-1' ]]
  grep -q -- '-target proxy -lease-time 9 -pop-batch 500 -payload 64 -rate 500 ' "$CALLS"
  lacks 'the proxy at'
  "$TREE/vm-cell.sh" up --home "$CELL-2"
  : >"$CALLS"
  rm -r -- "$OUT"
  tool compare --rates 500 --rounds 1 --warmup 0 --b-home "$CELL-2"
  exits 0
  [[ $(awk '$1 == "runpt.sh" {print $3}' "$CALLS" | paste -sd' ') == "$CELL $CELL-2" ]]
  [[ $(calls "provision") == 2 ]]
  rm -- "$CELL-2/up"
  rm -r -- "$OUT"
  tool compare --b-home "$CELL-2"
  exits 1
  has "the cell in $CELL-2 is down"
}

@test "a comparison whose verdicts are no PASS counts nothing" {
  cell_up 1 4
  : >"$BATS_TEST_TMPDIR/losing"
  tool compare --rates 500 --rounds 1 --warmup 0
  exits 3
  has "1 rounds don't count"
}

@test "a bench measures every shape in turn on 1 CPU and 4 GiB, and makes one table" {
  ceiling_at 99999
  tool bench --cases s1:500,s3:2000,s5:50,s6:100,s7 --rounds 2 --warmup 0 --seconds 6
  exits 0
  grep -q -- '^vm-cell.sh up .*--cell-cpus 1 --cell-mem 4$' "$CALLS"
  [[ $(points) == 's1-500-1 s3-2000-1 s5-50-1 s6-100-1 s7-1 s1-500-2 s3-2000-2 s5-50-2 s6-100-2 s7-2' ]]
  grep -q -- '-mode openloop -partitions 100 -consumers 64 -push-batch 100 -pop-batch 1000 -pop-partitions 10 -payload 256 -verify -manual-ack -ack-async -rate 2000 ' "$CALLS"
  grep -q -- '-partitions 1000000 -active-partitions 1000 -push-batch 100 -verify -rate 100 ' "$CALLS"
  grep -q -- '-rate 0.001 ' "$CALLS"
  [[ $(grep 'rounds that count' <<<"$output" | tr -s ' ') == 'rounds that count 2 of 2 2 of 2 2 of 2 2 of 2 2 of 2' ]]
  [[ -s $OUT/bench.json && $(head -n 1 "$OUT/bench.csv") == 'case,metric,median,min,max,rounds' ]]
  : >"$CALLS"
  rm -- "$OUT/s7-2.summary.json"
  tool bench --cases s1:500,s3:2000,s5:50,s6:100,s7 --rounds 2 --warmup 0 --seconds 6 --resume
  [[ $(points) == s7-2 ]]
}
