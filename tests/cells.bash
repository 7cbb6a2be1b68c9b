# shellcheck shell=bash disable=SC2034,SC2154
# What the tests on whole cells share: a cell of a test's own, and questions about a cell. Loaded
# after kit.bash.

need_jars_built() {
  local module
  for module in cell state-db broker proxy; do
    if [[ ! -f $ROOT/$module/target/$module.jar ]]; then
      printf 'missing %s/target/%s.jar: mvn -DskipTests package\n' "$module" "$module" >&2
      return 1
    fi
  done
}

# kit COMMAND…: on the shared cell. No descriptor of bats goes along.
kit() {
  local command=$1
  shift
  if [[ $command == up ]]; then set -- --no-build "$@"; fi
  "$ROOT/vm-cell.sh" "$command" --home "$CELL_HOME" "$@" 3>&-
}

# own COMMAND…: on the cell in OWN_HOME.
own() {
  local command=$1
  shift
  if [[ $command == up ]]; then set -- --no-build "$@"; fi
  # Caches are the shared cell's matter: making them takes longer than they save here.
  QUEENCELL_AOT=${OWN_AOT:-0} "$ROOT/vm-cell.sh" "$command" --home "$OWN_HOME" "$@" 3>&-
}

free_port_base() {
  local base port
  while :; do
    base=$((20000 + RANDOM % 10000))
    for ((port = base; port < base + 12; port++)); do
      if (exec 4<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue 2; fi
    done
    printf '%d' "$base"
    return 0
  done
}

pid_of() { head -n 1 "${2:-$CELL_HOME}/run/$1.pid"; }
pid_changed() { local pid && pid=$(pid_of "$1" 2>/dev/null) && [[ -n $pid && $pid != "$2" ]]; }
all_well() { "$ROOT/vm-cell.sh" status --home "${1:-$CELL_HOME}" >/dev/null 2>&1; }
# shellcheck disable=SC1091 # written by up
setting() { (. "$CELL_HOME/cell.env" && printf '%s' "${!1}"); }
capped() { [[ $(setting QUEENCELL_CAPPED) == true ]]; }

# nothing_runs HOME: no process mentions the home, and no group of its slice is left.
nothing_runs() {
  local file
  for file in /proc/[0-9]*/cmdline; do
    if { tr '\0' ' ' <"$file"; } 2>/dev/null | grep -qF -- "$1/"; then
      if [[ $file != "/proc/$$/cmdline" && $file != "/proc/$BASHPID/cmdline" ]]; then
        printf 'still runs: %s\n' "$(tr '\0' ' ' <"$file")" >&2
        return 1
      fi
    fi
  done
}

http_get() {
  exec 5<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n' "$2" "${3:+$3$'\r\n'}" >&5
  cat <&5
  exec 5<&-
}
