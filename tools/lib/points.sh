# shellcheck shell=bash disable=SC2317 # traps call functions by name
# What the scripts that measure several points share: a cell to measure, tenants, one point after the
# other, and an end that leaves what there is. Sourced after say.sh, home.sh, jdk.sh, account.sh,
# jars.sh and shapes.sh.
#
# Children run in process groups of their own, so that Ctrl-C reaches the script alone: a point is
# asked to end with what it has, everything else is left to finish, and then the script ends.

SECONDS_DEFAULT=45
DRAIN_DEFAULT=45
WARMUP_DEFAULT=30
# How often a point is begun on a machine that others use, and how long apart.
QUIET_TRIES=10
QUIET_PAUSE_S=15

POINT_USAGE=$(
  cat <<'END'
The cell, as for vm-cell.sh; one that is up with these caps is measured as it is. Otherwise it is
brought up, and afterwards taken down or given its former caps again:
  --cell-cpus N --cell-mem G --cap HOW --pg WHERE --home DIR --port-base N --build|--no-build
  --keep-up           leave the cell as it was measured

Every point starts on an EMPTY database of the broker; messages that were in it are gone.
  --seconds N         length of a point's load                          (default 45)
  --drain N           longest wait for what is left afterwards, seconds (default 45)
  --warmup N          seconds of a ramp before it, which don't count    (default 30)
  --force             measure on a machine that others use, too; the records say so
  --out DIR           where the points and tables go        (default: a new folder in out/)
END
)

# wrong_use CAUSE: what was wrong with the command line; exit status 2.
wrong_use() {
  printf '%s: %s\n  look further: %s -h\n' "$SAY_AS" "$1" "$(quoted "$0")" >&2
  exit 2
}

reset_point_options() {
  OPT_HOME='' OPT_OUT='' OPT_CPUS='' OPT_MEM='' OPT_KEEP_UP=''
  OPT_SECONDS=$SECONDS_DEFAULT OPT_DRAIN=$DRAIN_DEFAULT OPT_WARMUP=$WARMUP_DEFAULT
  OPT_BUILD=auto UP_OPTIONS=()
}

# need_option_value OPTION COUNT [VALUE]
need_option_value() {
  if (($2 < 2)) || [[ -z $3 ]]; then wrong_use "$1 needs a value"; fi
}

# check_whole OPTION VALUE MIN MAX
check_whole() {
  if [[ ! $2 =~ ^[0-9]{1,7}$ ]] || ((10#$2 < $3 || 10#$2 > $4)); then wrong_use "$1 is '$2'; it takes a whole number from $3 to $4"; fi
}

# check_decimal OPTION VALUE: a plain number above 0.
check_decimal() {
  if [[ ! $2 =~ ^[0-9]{1,8}(\.[0-9]{1,3})?$ || $2 =~ ^[0.]*$ ]]; then wrong_use "$1 is '$2'; it takes a number above 0"; fi
}

# point_option WORD…: takes the option at the front if it is one of those above, and sets TAKEN to
# how many words it was; returns 1 when it is none of them.
point_option() {
  TAKEN=2
  case $1 in
    --cell-cpus | --cell-mem | --cap | --pg | --home | --port-base | --seconds | --drain | --warmup | --out)
      need_option_value "$1" $# "${2:-}"
      ;;&
    --cell-cpus) OPT_CPUS=$2 UP_OPTIONS+=("$1" "$2") ;;
    --cell-mem) OPT_MEM=$2 UP_OPTIONS+=("$1" "$2") ;;
    --cap | --pg | --port-base) UP_OPTIONS+=("$1" "$2") ;;
    --home) OPT_HOME=$2 ;;
    --out) OPT_OUT=$2 ;;
    --seconds) check_whole "$1" "$2" 1 86400 && OPT_SECONDS=$2 ;;
    --drain) check_whole "$1" "$2" 0 86400 && OPT_DRAIN=$2 ;;
    --warmup) check_whole "$1" "$2" 0 3600 && OPT_WARMUP=$2 ;;
    --build | --no-build) TAKEN=1 OPT_BUILD=${1#--} ;;
    --keep-up) TAKEN=1 OPT_KEEP_UP=1 ;;
    --force)
      TAKEN=1
      export QUEENCELL_FORCE_POINT=1
      ;;
    *) return 1 ;;
  esac
}

# series_options KIND TAKE OPTIONS WORD…: reads the command line of a script that measures several points.
# What it has beside the options of a point and --resume is in OPTIONS (one word, blanks around each), takes
# a value and is given with it to the function TAKE. Sets LOADER_WORDS to what comes after --, where the
# script has said by SERIES_LOADER_OPTIONS that something may.
series_options() {
  local kind=$1 take=$2 options=$3 hint=''
  shift 3
  reset_point_options
  RESUME='' LOADER_WORDS=()
  if [[ -n ${SERIES_LOADER_OPTIONS:-} ]]; then hint="; the loader's options come after --"; fi
  while (($# > 0)); do
    if [[ $1 == --*=* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
    if point_option "$@"; then
      shift "$TAKEN"
      continue
    fi
    if [[ $1 == -- && -n $hint ]]; then
      LOADER_WORDS=("${@:2}")
      break
    fi
    case $1 in
      -h | --help)
        usage
        exit 0
        ;;
      --resume) RESUME=1 ;;
      --*)
        if [[ $options != *" $1 "* ]]; then wrong_use "no option '$1'$hint"; fi
        need_option_value "$1" $# "${2:-}"
        "$take" "$1" "$2"
        shift
        ;;
      *) wrong_use "no option '$1'$hint" ;;
    esac
    shift
  done
  if [[ -n $RESUME && -z $OPT_OUT ]]; then wrong_use "--resume needs --out, the folder of the $kind"; fi
  check_loader_words "${LOADER_WORDS[@]}"
}

# check_rates OPTION LIST: numbers above 0, by commas.
check_rates() {
  local one
  local -a rates
  IFS=, read -r -a rates <<<"$2,"
  for one in "${rates[@]}"; do check_decimal "$1" "$one"; done
}

# check_loader_words WORD…: what the script sets itself can't be given to the loader again.
check_loader_words() {
  local word
  for word in "$@"; do
    if [[ $word =~ ^--?(out|run-id|home|rate|rate-events|per-tenant-rate|ramp-sec|duration|drain|target|h|help)(=|$) ]]; then
      wrong_use "-${BASH_REMATCH[1]} is set by $SAY_AS; leave it out of the loader's options"
    fi
  done
}

# take_out NAME: sets OUT to the folder asked for, else to a new one below out/.
take_out() {
  OUT=${OPT_OUT:-out/$1-$(date +%Y%m%d-%H%M%S)}
  mkdir -p -- "$OUT" 2>/dev/null || die "can't make the folder $OUT"
  OUT=$(cd -- "$OUT" && pwd -P)
  if [[ ! -w $OUT ]]; then die "can't write in $OUT"; fi
  POINT_LOG=$OUT/$1.log
  printf '%s %s\n' "$(date -u +%FT%TZ)" "$SAY_AS begins" >>"$POINT_LOG" || die "can't write $POINT_LOG"
}

# tools_jar SUBCOMMAND…: the jar that came with these scripts; a cell that is up may run an older one.
tools_jar() {
  local jar
  jar=$(jar_path cell)
  if [[ ! -f $jar ]]; then jar=$(cell_jar_path); fi
  "$JAVA" "${CELL_JVM[@]}" -jar "$jar" "$@"
}

# begin_series KIND OPTION…: writes the plan into OUT. What the jar refuses is the caller's mistake.
begin_series() {
  local kind=$1 status=0
  shift
  tools_jar "$kind" begin --out "$OUT" "$@" 2>"$WORK/error" || status=$?
  if ((status == 0)); then return 0; fi
  # A folder that was made for nothing.
  if [[ ! -e $OUT/$kind.json ]]; then
    rm -f -- "$POINT_LOG"
    rmdir -- "$OUT" 2>/dev/null || true
  fi
  case $status in
    2) wrong_use "$(head -n 1 -- "$WORK/error" | sed 's/^[^:]*: //')" ;;
    *) die "$(head -n 1 -- "$WORK/error")" ;;
  esac
}

# show_at_end KIND FILES: also at an end that was not planned, what was measured is shown.
show_at_end() {
  SERIES_KIND=$1 SERIES_FILES=$2
  trap finish_series EXIT
}

finish_series() {
  local status=$? shown=0
  trap - EXIT
  trap '' INT TERM HUP
  set +e
  say ''
  tools_jar "$SERIES_KIND" show --out "$OUT" || shown=$?
  say "$SERIES_FILES: $OUT"
  if ((status == 0)); then status=$shown; fi
  end_points "$status"
}

# next_point: sets NEXT to the line that says which point comes next; empty when there is none.
next_point() {
  NEXT=$(tools_jar "$SERIES_KIND" next --out "$OUT") || {
    # Ctrl-C reaches the jar, too.
    stop_if_interrupted
    die "the plan in $OUT can't be read"
  }
  stop_if_interrupted
  [[ -n $NEXT ]]
}

# point_line RUN-ID: what the point's table says of its rate and its verdict, on one line.
point_line() {
  local from
  from=$(grep -n "^point  *$1 " -- "$POINT_LOG" | tail -n 1 | cut -d: -f1)
  if [[ -z $from ]]; then
    printf 'no summary'
    return 0
  fi
  tail -n "+$from" -- "$POINT_LOG" | head -n 2 | awk '
    NR == 1 {verdict = $3; for (i = 4; i <= NF && $i != "through"; i++) verdict = verdict " " $i}
    NR == 2 {sub(/^rate +/, ""); print verdict ", " $0}'
}

# child COMMAND…: runs it with its output in the log, and sets STATUS.
child() {
  printf '\n$ %s\n' "$(quoted "$@")" >>"$POINT_LOG"
  set -m
  "${INTERRUPTIBLE[@]}" "$@" </dev/null >>"$POINT_LOG" 2>&1 9>&- &
  CHILD=$!
  set +m
  while :; do
    SIGNALLED=false
    STATUS=0
    wait "$CHILD" || STATUS=$?
    if ! $SIGNALLED; then break; fi
  done
  CHILD=''
}

# child_or_die COMMAND…: like child; when it fails, the end of what it printed is the reason.
child_or_die() {
  child "$@"
  if ((STATUS != 0)) && ! $INTERRUPTED; then die_with_log "${1##*/} ended with status $STATUS" "$POINT_LOG" "$(quoted less "$POINT_LOG")"; fi
}

# Measured points end at the first signal with what they have; the rest at the second.
on_signal() {
  SIGNALLED=true INTERRUPTED=true SIGNALS=$((SIGNALS + 1))
  if [[ -n $CHILD ]] && { $CHILD_IS_POINT || ((SIGNALS > 1)); }; then kill -INT -- "-$CHILD" 2>/dev/null || true; fi
}

begin_points() {
  CHILD='' CHILD_IS_POINT=false SIGNALLED=false INTERRUPTED=false SIGNALS=0 PUT_BACK='' WORK=''
  trap end_points EXIT
  trap on_signal INT TERM HUP
  WORK=$(mktemp -d)
}

# end_points [STATUS]
end_points() {
  local status=${1:-$?}
  trap - EXIT
  trap '' INT TERM HUP
  set +e
  SAY_STEP=''
  if [[ -n $CHILD ]]; then kill -INT -- "-$CHILD" 2>/dev/null; fi
  if [[ -n $PUT_BACK && -z $OPT_KEEP_UP ]]; then put_back_cell; fi
  if [[ -n $WORK ]]; then rm -rf -- "$WORK"; fi
  exit "$status"
}

# stop_if_interrupted: the finished points stay.
stop_if_interrupted() { if $INTERRUPTED; then exit 130; fi; }

# build_if_needed: before anything else, so that the scripts and the jar that computes for them agree.
build_if_needed() {
  local home=$QUEENCELL_HOME
  # The build's log: there may be no home yet.
  QUEENCELL_HOME=$WORK
  mkdir -p -- "$WORK/log"
  need_jars "$OPT_BUILD"
  QUEENCELL_HOME=$home
}

same_number() { [[ -z $1 ]] || awk -v a="$1" -v b="$2" 'BEGIN {exit !(a + 0 == b + 0)}'; }

# cell_is_up: with the caps asked for, and a budget made for them.
cell_is_up() {
  load_cell_env && [[ -e $QUEENCELL_HOME/up ]] &&
    same_number "$OPT_CPUS" "$QUEENCELL_CELL_CPUS" && same_number "$OPT_MEM" "$QUEENCELL_CELL_MEM" &&
    same_number "$QUEENCELL_CELL_CPUS" "$QUEENCELL_PLANNED_CPUS" && same_number "$QUEENCELL_CELL_MEM" "$QUEENCELL_PLANNED_MEM"
}

# cell_caps_text: as the cell's home tells them; 0 is no cap.
cell_caps_text() {
  printf '%s CPUs and %s GiB' "$QUEENCELL_CELL_CPUS" "$QUEENCELL_CELL_MEM"
  if [[ $QUEENCELL_CAPPED != true ]]; then printf ', NOT CAPPED'; fi
}

# bring_up_cell: what ran before with other caps runs again afterwards.
bring_up_cell() {
  local -a up=("$QUEENCELL_ROOT/vm-cell.sh" up --no-build --home "$QUEENCELL_HOME" "${UP_OPTIONS[@]}")
  PUT_BACK=down
  if load_cell_env && [[ -e $QUEENCELL_HOME/up ]]; then
    FORMER_CPUS=$QUEENCELL_CELL_CPUS FORMER_MEM=$QUEENCELL_CELL_MEM
    PUT_BACK=former
    child_or_die "$QUEENCELL_ROOT/vm-cell.sh" down --home "$QUEENCELL_HOME"
  fi
  child_or_die "${up[@]}"
  need_cell
  STEP_NOTE="$(cell_caps_text) in $QUEENCELL_HOME"
}

put_back_cell() {
  say "taking the cell in $QUEENCELL_HOME down"
  child "$QUEENCELL_ROOT/vm-cell.sh" down --home "$QUEENCELL_HOME"
  if [[ $PUT_BACK == former ]]; then
    say "bringing it up again with $FORMER_CPUS CPUs and $FORMER_MEM GiB"
    child "$QUEENCELL_ROOT/vm-cell.sh" up --no-build --home "$QUEENCELL_HOME" --cell-cpus "$FORMER_CPUS" --cell-mem "$FORMER_MEM"
  fi
  if ((STATUS != 0)); then note "the cell could not be put back as it was; see $POINT_LOG"; fi
}

ensure_cell() {
  if cell_is_up; then
    say "measuring the cell in $QUEENCELL_HOME as it is: $(cell_caps_text)"
  else
    step 'bring the cell up' bring_up_cell
    stop_if_interrupted
  fi
}

# tenants_wanted LOADER-OPTION…: how many tenants these options load; the last one counts.
tenants_wanted() {
  local wanted=$SHAPE_TENANTS
  while (($# > 0)); do
    case $1 in
      -tenants | --tenants) wanted=${2:-} ;;
      -tenants=* | --tenants=*) wanted=${1#*=} ;;
      -tenants-file | --tenants-file | -tenants-file=* | --tenants-file=*) wanted=0 && break ;;
    esac
    shift
  done
  if [[ $wanted =~ ^[0-9]{1,6}$ ]]; then printf '%d' "$wanted"; else printf 0; fi
}

# provision COUNT: makes the tenants that are missing.
provision() {
  child_or_die "$QUEENCELL_ROOT/loader.sh" --home "$QUEENCELL_HOME" -mode provision -tenants "$1"
  STEP_NOTE=$(tail -n 1 -- "$POINT_LOG")
}

# mode_of LOADER-OPTION…: the mode that these options choose; the last one counts.
mode_of() {
  local mode=max
  while (($# > 0)); do
    case $1 in
      -mode | --mode) mode=${2:-} ;;
      -mode=* | --mode=*) mode=${1#*=} ;;
    esac
    shift
  done
  printf '%s' "$mode"
}

# rate_option_of LOADER-OPTION…: the option that sets the rate in their mode.
rate_option_of() { if [[ $(mode_of "$@") == cm ]]; then printf -- -rate-events; else printf -- -rate; fi; }

# point RUN-ID RATE-OPTION RATE LOADER-OPTION…: empties the database, warms up, measures. Sets STATUS
# to the loader's; 130 when it was interrupted.
#
# The reset has made the broker cold, and the loader begins cold too; the load's own ramp, which is no
# part of the steady window, warms both. A warm-up by another loader would leave the measuring one cold,
# whose first seconds would be the point's highest percentiles.
point() {
  local run_id=$1 rate_option=$2 rate=$3
  local -a ramp=()
  shift 3
  set -- "$@" "$rate_option" "$rate"
  child_or_die "$QUEENCELL_ROOT/reset-cell-db.sh" --home "$QUEENCELL_HOME"
  stop_if_interrupted
  if ((OPT_WARMUP > 0)); then ramp=(-ramp-sec "$OPT_WARMUP"); fi
  measure "$run_id" "$@" "${ramp[@]}" -duration "$((OPT_WARMUP + OPT_SECONDS))" -drain "$OPT_DRAIN"
}

# measure RUN-ID LOADER-OPTION…: one point. What never began because others used the machine is begun
# again.
measure() {
  local run_id=$1 tries=0
  shift
  while :; do
    CHILD_IS_POINT=true
    child "$QUEENCELL_ROOT/runpt.sh" --home "$QUEENCELL_HOME" "$OUT" "$run_id" -- "$@"
    CHILD_IS_POINT=false
    if $INTERRUPTED; then exit 130; fi
    case $STATUS in
      0 | 3) return 0 ;;
      1)
        tries=$((tries + 1))
        ;;
      *) die_with_log "the point ended with status $STATUS" "$POINT_LOG" "$(quoted less "$POINT_LOG")" ;;
    esac
    if ((tries >= QUIET_TRIES)) || ! tail -n 8 -- "$POINT_LOG" | grep -q -- --force; then
      die_with_log "the point did not begin" "$POINT_LOG" "$(quoted less "$POINT_LOG")"
    fi
    sleep "$QUIET_PAUSE_S" &
    wait $! || true
    stop_if_interrupted
  done
}
