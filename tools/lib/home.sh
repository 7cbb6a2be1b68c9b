# shellcheck shell=bash
# The cell's home: where it is, what it remembers (cell.env), and the lock that lets one command at a
# time change it. Sourced after say.sh.
#
#   HOME/cell.env      what every other script takes its defaults from; KEY='VALUE' lines, no secrets
#   HOME/up            exists from the first process of an `up` to the last of a `down`
#   HOME/lib/          the jars that run, copied, so that a build never changes a running cell
#   HOME/conf/         settings derived from the budget
#   HOME/secrets/      tokens and passwords, a file each
#   HOME/pg/ statepg/  the two data directories
#   HOME/log/ run/     a log, and pids and restart counts, per unit

# The repository, whatever folder the caller stands in.
QUEENCELL_ROOT=$(cd -- "${BASH_SOURCE[0]%/*}/../.." && pwd -P)

# A path goes unchanged into unit properties, PostgreSQL settings and a Java class path; these
# characters mean something in one of them.
HOME_REFUSED_CHARACTERS=$'[][:cntrl:]\'"`$%:;|&<>*?!\\{}[]'
HOME_PATH_MAX=200

# resolve_home [DIR]: sets QUEENCELL_HOME to an absolute path; DIR, else the environment, else .cell
# beside the scripts, so that a call from any folder means the same cell.
resolve_home() {
  local dir=${1:-${QUEENCELL_HOME:-$QUEENCELL_ROOT/.cell}}
  if [[ $dir != /* ]]; then dir=$PWD/$dir; fi
  while [[ $dir == *//* ]]; do dir=${dir//\/\//\/}; done
  while [[ $dir == */./* ]]; do dir=${dir//\/.\//\/}; done
  dir=${dir%/.} dir=${dir%/}
  if [[ -d $dir ]]; then dir=$(cd -- "$dir" && pwd -P); fi
  if [[ -z $dir || $dir == / ]]; then die "--home is the root folder; it takes a folder of its own"; fi
  if [[ $dir =~ $HOME_REFUSED_CHARACTERS ]]; then
    die "--home '$dir' has one of ' \" \` \$ % : ; | & < > * ? ! \\ [ ] { } or a control character in it; spaces and letters are fine"
  fi
  if ((${#dir} > HOME_PATH_MAX)); then die "--home is ${#dir} characters long; it takes at most $HOME_PATH_MAX"; fi
  if [[ -e $dir && ! -d $dir ]]; then die "--home '$dir' is not a folder"; fi
  QUEENCELL_HOME=$dir
}

# load_cell_env: takes what the home remembers; returns 1 when there is no cell here.
# Lines are read, not sourced: a file that someone else could write never runs as code.
load_cell_env() {
  local file=$QUEENCELL_HOME/cell.env line home=$QUEENCELL_HOME
  if [[ ! -f $file ]]; then return 1; fi
  while IFS= read -r line || [[ -n $line ]]; do
    if [[ $line =~ ^(QUEENCELL_[A-Z0-9_]+)=\'([^\']*)\'$ ]]; then
      printf -v "${BASH_REMATCH[1]}" '%s' "${BASH_REMATCH[2]}"
    fi
  done <"$file"
  # A home that was moved is where it is now, not where it was.
  QUEENCELL_HOME=$home
}

# need_cell: for the scripts that only make sense with one.
need_cell() {
  load_cell_env || die "no cell in $QUEENCELL_HOME" "$(quoted "$QUEENCELL_ROOT/vm-cell.sh" up --home "$QUEENCELL_HOME")"
}

# need_up: for what only makes sense while its processes run.
need_up() {
  if [[ ! -e $QUEENCELL_HOME/up ]]; then die "the cell in $QUEENCELL_HOME is down" "$(quoted "$QUEENCELL_ROOT/vm-cell.sh" up --home "$QUEENCELL_HOME")"; fi
}

# refuse_during_point: runpt.sh keeps its pid in run/point.lock while it measures.
refuse_during_point() {
  local pid='' lock=$QUEENCELL_HOME/run/point.lock
  if [[ -n ${OPT_FORCE:-} || ! -r $lock ]]; then return 0; fi
  read -r pid _ <"$lock" || true
  if [[ $pid =~ ^[0-9]+$ ]] && [[ -d /proc/$pid ]]; then
    die "a measured point is running (process $pid) and would be worthless; wait for it or use --force" "$(quoted ps -fp "$pid")"
  fi
}

# write_file FILE MODE < TEXT: replaces the file at once or not at all.
write_file() {
  local file=$1 mode=$2 draft=$1.$BASHPID
  if ! (umask 077 && cat >"$draft") || ! chmod "$mode" "$draft" || ! mv -f -- "$draft" "$file"; then
    rm -f -- "$draft"
    die "can't write $file ($(free_space_text "${file%/*}"))"
  fi
}

free_space_mb() { df -Pm -- "$1" 2>/dev/null | awk 'NR==2 {print $4}'; }
free_space_text() { printf '%s MiB free there' "$(free_space_mb "$1")"; }

# lock_home: one command at a time changes a cell. The lock is held on descriptor 9 until exit;
# everything that outlives this command must be started with that descriptor closed.
lock_home() {
  if ! command -v flock >/dev/null; then die "flock is missing; install util-linux"; fi
  exec 9>>"$QUEENCELL_HOME/.lock" || die "can't write in $QUEENCELL_HOME; is it yours?"
  if ! flock -n 9; then
    die "another command is changing this cell (process $(tr -d '\n' <"$QUEENCELL_HOME/.lock" || true)); wait for it or choose another --home"
  fi
  printf '%s\n' "$$" >"$QUEENCELL_HOME/.lock"
}
