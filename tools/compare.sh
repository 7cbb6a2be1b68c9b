#!/usr/bin/env bash
# Measures the same points on two sides in turn (A B A B), so that what drifts hits both, and says
# what differs: by default what the proxy costs. The arithmetic is `cell.jar compare`'s.
set -euo pipefail
SAY_AS=compare.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk account jars shapes points; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

RATES_DEFAULT=500,1000
ROUNDS_DEFAULT=3

usage() {
  cat <<END
Usage: tools/compare.sh [OPTIONS] [-- LOADER-OPTIONS…]

Measures every rate through the proxy (A, shape s1) and straight at the broker (B, shape s2), in
turn and over several rounds. Prints per rate the median and the spread of both sides and of their
differences, and what the proxy costs: CPU per request (by its own count) and latency. Leaves the
points, compare.json and compare.csv. LOADER-OPTIONS are added to both sides and win.

  --rates A,B,C       messages/s                                        (default $RATES_DEFAULT)
  --rounds N          how often each point is measured                  (default $ROUNDS_DEFAULT)
  --resume            go on with the comparison in --out

Two other things:
  --a 'OPTIONS' --b 'OPTIONS'  what differs: options of the loader, added to shape s1; they win
  --a-name, --b-name           what the sides are called                (default a and b)
  --b-home DIR                 B is another cell, one that is up, for example of other jars

$POINT_USAGE

Ends with 0, 3 when no round counts because a verdict is no PASS, 130 when interrupted (what is
finished stays), 2 for a wrong command line, 1 for the rest.

Example: tools/compare.sh --cell-cpus 1 --cell-mem 4 --rates 500,2000 --rounds 5
END
}

SERIES_LOADER_OPTIONS=1

parse_options() {
  RATES=$RATES_DEFAULT ROUNDS=$ROUNDS_DEFAULT NAME_A='' NAME_B='' HOME_B='' OPTION_A='' OPTION_B='' GIVEN=''
  series_options comparison take_option ' --rates --rounds --a --b --a-name --b-name --b-home ' "$@"
  choose_sides "$GIVEN" "$OPTION_A" "$OPTION_B"
}

take_option() {
  case $1 in
    --rates) check_rates "$1" "$2" && RATES=$2 ;;
    --rounds) check_whole "$1" "$2" 1 100 && ROUNDS=$2 ;;
    --a) OPTION_A=$2 GIVEN=1 ;;
    --b) OPTION_B=$2 GIVEN=1 ;;
    --a-name) check_name "$1" "$2" && NAME_A=$2 ;;
    --b-name) check_name "$1" "$2" && NAME_B=$2 ;;
    --b-home) HOME_B=$2 GIVEN=1 ;;
  esac
}

check_name() {
  if [[ ! $2 =~ ^[A-Za-z0-9][A-Za-z0-9.]{0,30}$ ]]; then wrong_use "$1 is '$2'; it takes up to 31 letters, digits and dots"; fi
}

# choose_sides GIVEN A B: sets SIDE_A and SIDE_B, the loader's options.
choose_sides() {
  local -a words_a words_b
  if [[ -z $1 ]]; then
    NAME_A=${NAME_A:-proxy} NAME_B=${NAME_B:-broker}
    shape s1
    SIDE_A=("${SHAPE_OPTIONS[@]}" "${LOADER_WORDS[@]}")
    shape s2
    SIDE_B=("${SHAPE_OPTIONS[@]}" "${LOADER_WORDS[@]}")
  else
    NAME_A=${NAME_A:-a} NAME_B=${NAME_B:-b}
    read -r -a words_a <<<"$2"
    read -r -a words_b <<<"$3"
    shape s1
    SIDE_A=("${SHAPE_OPTIONS[@]}" "${LOADER_WORDS[@]}" "${words_a[@]}")
    SIDE_B=("${SHAPE_OPTIONS[@]}" "${LOADER_WORDS[@]}" "${words_b[@]}")
  fi
  if [[ $NAME_A == "$NAME_B" ]]; then wrong_use "both sides are called '$NAME_A'"; fi
}

begin_comparison() {
  local word
  local -a words=()
  for word in "${SIDE_A[@]}"; do words+=("--a=$word"); done
  for word in "${SIDE_B[@]}"; do words+=("--b=$word"); done
  begin_series compare --a-name "$NAME_A" --b-name "$NAME_B" --rates "$RATES" --rounds "$ROUNDS" \
    --seconds "$OPT_SECONDS" --drain "$OPT_DRAIN" --warmup "$OPT_WARMUP" ${RESUME:+--resume} "${words[@]}"
}

# check_other_home: B's cell is somebody else's to bring up and down.
check_other_home() {
  local home=$QUEENCELL_HOME
  if [[ -z $HOME_B ]]; then
    HOME_B=$home
    return 0
  fi
  resolve_home "$HOME_B"
  need_cell
  need_up
  HOME_B=$QUEENCELL_HOME
  use_home "$home"
}

# use_home DIR: the cell that the next point is measured on.
use_home() {
  QUEENCELL_HOME=$1
  load_cell_env || true
}

# measure_side a|b RATE RUN-ID
measure_side() {
  local home=$QUEENCELL_HOME
  local -a options=("${SIDE_A[@]}")
  if [[ $1 == b ]]; then
    options=("${SIDE_B[@]}")
    use_home "$HOME_B"
  fi
  point "$3" "$(rate_option_of "${options[@]}")" "$2" "${options[@]}"
  use_home "$home"
  STEP_NOTE=$(point_line "$3")
}

provision_sides() {
  local home=$QUEENCELL_HOME wanted
  wanted=$(tenants_wanted "${SIDE_A[@]}")
  if ((wanted > 0)); then step 'make the tenants that are missing' provision "$wanted"; fi
  wanted=$(tenants_wanted "${SIDE_B[@]}")
  if ((wanted > 0)) && { [[ $HOME_B != "$home" ]] || [[ "${SIDE_B[*]}" != "${SIDE_A[*]}" ]]; }; then
    use_home "$HOME_B"
    step "make the tenants of $NAME_B that are missing" provision "$wanted"
    use_home "$home"
  fi
}

parse_options "$@"
resolve_home "$OPT_HOME"
find_jdk
take_out compare
begin_points
step 'build the jars' build_if_needed
check_other_home
begin_comparison
show_at_end compare 'points, compare.json and compare.csv'
ensure_cell
provision_sides
stop_if_interrupted
while next_point; do
  read -r side rate run_id <<<"$NEXT"
  step "$run_id" measure_side "$side" "$rate" "$run_id"
done
