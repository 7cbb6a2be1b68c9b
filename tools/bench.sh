#!/usr/bin/env bash
# Measures the standard shapes on a capped cell and prints what a message costs in each: the table
# that two versions are compared by. The arithmetic is `cell.jar bench`'s.
set -euo pipefail
SAY_AS=bench.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk account jars shapes points; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

CASES_DEFAULT=s1:500,s1:2000,s2:2000,s3:20000,s4:20000
ROUNDS_DEFAULT=3

usage() {
  cat <<END
Usage: tools/bench.sh [OPTIONS]

Measures the standard shapes, each at a rate, in turn and over several rounds, and prints a table:
messages/s, CPU per message of every process and of the loader, commits and WAL per message,
latencies, memory, allocation. Leaves the points, bench.json and bench.csv.

  s1  4 tenants × 8 lanes through the proxy, one message a push, explicit acknowledgement
  s2  the same straight at the broker
  s3  batches of 100 over 100 lanes at the broker, leased, acknowledged asynchronously
  s4  the same, acknowledged by the pop
  s5  the pipeline cm over 1,000 properties (the rate is of events); 12,000 connections
  s6  a million lanes, made during the run
  s7  no load: 10,000 parked consumers

  --cases A:R,B:R     shape and messages/s of each column; s7 goes without a rate
                      (default $CASES_DEFAULT)
  --rounds N          how often each is measured                        (default $ROUNDS_DEFAULT)
  --resume            go on with the bench in --out

$POINT_USAGE
  Without --cell-cpus and --cell-mem: 1 CPU and 4 GiB.

Ends with 0, 3 when a shape has no point whose verdict is PASS, 130 when interrupted, 2 for a wrong
command line, 1 for the rest.

Example: tools/bench.sh --seconds 20 --rounds 1 --cases s1:1000,s3:20000
END
}

parse_options() {
  CASES=$CASES_DEFAULT ROUNDS=$ROUNDS_DEFAULT
  series_options bench take_option ' --cases --rounds ' "$@"
  if [[ -z $OPT_CPUS ]]; then OPT_CPUS=1 UP_OPTIONS+=(--cell-cpus 1); fi
  if [[ -z $OPT_MEM ]]; then OPT_MEM=4 UP_OPTIONS+=(--cell-mem 4); fi
}

take_option() {
  case $1 in
    --cases) check_cases "$2" && CASES=$2 ;;
    --rounds) check_whole "$1" "$2" 1 100 && ROUNDS=$2 ;;
  esac
}

check_cases() {
  local one
  local -a cases
  IFS=, read -r -a cases <<<"$1,"
  for one in "${cases[@]}"; do
    if [[ $one == s7 ]]; then continue; fi
    if [[ ! $one =~ ^s[1-6]:([^:]+)$ ]]; then wrong_use "--cases has '$one'; it takes s1:RATE to s6:RATE, and s7"; fi
    check_decimal --cases "${BASH_REMATCH[1]}"
  done
}

# measure_case CASE RUN-ID
measure_case() {
  local rate=${1#*:}
  shape "${1%%:*}"
  # A rate so low that nothing is pushed.
  if [[ $1 == s7 ]]; then rate=0.001; fi
  point "$2" "$SHAPE_RATE" "$rate" "${SHAPE_OPTIONS[@]}"
  STEP_NOTE=$(point_line "$2")
}

# tenants_of_cases: the most that one of them needs.
tenants_of_cases() {
  local one most=0
  local -a cases
  IFS=, read -r -a cases <<<"$CASES"
  for one in "${cases[@]}"; do
    shape "${one%%:*}"
    if ((SHAPE_TENANTS > most)); then most=$SHAPE_TENANTS; fi
  done
  printf '%d' "$most"
}

parse_options "$@"
resolve_home "$OPT_HOME"
find_jdk
take_out bench
begin_points
step 'build the jars' build_if_needed
begin_series bench --cases "$CASES" --rounds "$ROUNDS" --seconds "$OPT_SECONDS" ${RESUME:+--resume}
show_at_end bench 'points, bench.json and bench.csv'
ensure_cell
tenants=$(tenants_of_cases)
if ((tenants > 0)); then step 'make the tenants that are missing' provision "$tenants"; fi
stop_if_interrupted
while next_point; do
  read -r one run_id <<<"$NEXT"
  step "$run_id" measure_case "$one" "$run_id"
done
