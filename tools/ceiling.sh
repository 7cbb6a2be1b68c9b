#!/usr/bin/env bash
# Climbs a ladder of rates, one measured point each, until the cell can't follow, and says where its
# ceiling is and what it is made of. Which rate comes next and what a point says is decided by
# `cell.jar ladder`; this script runs the points.
set -euo pipefail
SAY_AS=ceiling.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk account jars shapes points; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

usage() {
  cat <<END
Usage: tools/ceiling.sh [OPTIONS] [-- LOADER-OPTIONS…]

For each rate: empties the broker's database, warms up, measures one point (runpt.sh). Stops at the
first rate of which less than 97% was pushed and delivered or whose verdict is no PASS, or when p99
is over its limit at two rates in a row; then tries rates between. The ceiling is the highest rate
that passed. Leaves the points, ladder.json and ladder.csv, and prints a table and a chart.

  --target WHAT       proxy (shape s1) or broker (shape s2)             (default proxy)
  --shape NAME        s1 to s5, the standard shapes; none = only what comes after --
                      LOADER-OPTIONS come after the shape's and win
  --rates A,B,C       messages/s of each step, instead of
  --from A --to B     the first and the last rate                       (default 500, 16000)
  --factor F          each rate by that much above the one before       (default 1.4142)
  --step N            each rate N above the one before
  --p99-limit-ms MS   how late messages may be at p99                   (default 1000)
  --refine N          rates tried between the last that passed and the next (default 2)
  --resume            go on with the ladder in --out: points that are there are kept

$POINT_USAGE

Ends with 0 when a rate passed and the ladder is finished, 3 when no rate passed, 130 when
interrupted (the finished points and the table stay), 2 for a wrong command line, 1 for the rest.

Example: tools/ceiling.sh --cell-cpus 1 --cell-mem 4 --target broker
END
}

SERIES_LOADER_OPTIONS=1

parse_options() {
  PLAN_OPTIONS=() TARGET='' SHAPE=''
  series_options ladder take_option \
    ' --target --shape --rates --from --to --factor --step --p99-limit-ms --refine ' "$@"
  choose_shape "$TARGET" "$SHAPE"
}

take_option() {
  case $1 in
    --target) TARGET=$2 ;;
    --shape) SHAPE=$2 ;;
    --refine) check_whole "$1" "$2" 0 10 ;;
    --rates) check_rates "$1" "$2" ;;
    *) check_decimal "$1" "$2" ;;
  esac
  if [[ $1 != @(--target|--shape) ]]; then PLAN_OPTIONS+=("$1" "$2"); fi
}

# choose_shape TARGET SHAPE: one names the other where it is not given.
choose_shape() {
  TARGET=$1 SHAPE=$2
  case $TARGET in '' | proxy | broker) ;; *) wrong_use "--target is '$TARGET'; it takes proxy or broker" ;; esac
  if [[ -z $SHAPE ]]; then
    SHAPE=s1
    if [[ $TARGET == broker ]]; then SHAPE=s2; fi
  fi
  case $SHAPE in
    s[1-5]) shape "$SHAPE" ;;
    none)
      if ((${#LOADER_WORDS[@]} == 0)); then wrong_use "--shape none needs the loader's options after --"; fi
      SHAPE_OPTIONS=() SHAPE_RATE=-rate SHAPE_TENANTS=0 SHAPE_TARGET=${TARGET:-broker}
      case $(mode_of "${LOADER_WORDS[@]}") in
        cloud) SHAPE_OPTIONS=(-target "${TARGET:-proxy}") SHAPE_TENANTS=1 SHAPE_TARGET=${TARGET:-proxy} ;;
        openloop | app) ;;
        cm) SHAPE_RATE=-rate-events ;;
        *) wrong_use "this mode of the loader has no rate; a ladder takes cloud, openloop, cm or app" ;;
      esac
      ;;
    *) wrong_use "--shape is '$SHAPE'; it takes s1 to s5 or none" ;;
  esac
  if [[ -n $TARGET && $TARGET != "$SHAPE_TARGET" ]]; then wrong_use "shape $SHAPE loads the $SHAPE_TARGET, --target says $TARGET"; fi
  TARGET=$SHAPE_TARGET
}

# climb RATE RUN-ID: one step.
climb() {
  point "$2" "$SHAPE_RATE" "$1" "${OPTIONS[@]}"
  STEP_NOTE=$(tools_jar ladder add --out "$OUT" --rate "$1") || die "the point $2 is no step of the ladder" "$(quoted less "$POINT_LOG")"
}

parse_options "$@"
resolve_home "$OPT_HOME"
OPTIONS=("${SHAPE_OPTIONS[@]}" "${LOADER_WORDS[@]}")
find_jdk
take_out ceiling
begin_points
step 'build the jars' build_if_needed
begin_series ladder --target "$TARGET" --shape "$SHAPE" --seconds "$OPT_SECONDS" --drain "$OPT_DRAIN" \
  --warmup "$OPT_WARMUP" ${RESUME:+--resume} "${PLAN_OPTIONS[@]}" -- "${OPTIONS[@]}"
show_at_end ladder 'points, ladder.json and ladder.csv'
ensure_cell
tenants=$(tenants_wanted "${OPTIONS[@]}")
if ((tenants > 0)); then step 'make the tenants that are missing' provision "$tenants"; fi
stop_if_interrupted
while next_point; do
  read -r rate run_id <<<"$NEXT"
  step "$rate/s" climb "$rate" "$run_id"
done
