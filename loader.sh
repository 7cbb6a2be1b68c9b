#!/usr/bin/env bash
# Runs the load generator against the cell, outside of its cap. Where the cell is comes from its
# home, so that nobody types a port twice.
set -euo pipefail
SAY_AS=loader.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/tools/lib
for part in say home jdk account jars; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

usage() {
  cat <<'END'
Usage: loader.sh [--home DIR] LOADER-OPTIONS…

Runs loader.jar with the URLs and the admin token of the cell in --home (default $QUEENCELL_HOME,
else .cell here). `loader.sh -help` lists the modes, `loader.sh -mode MODE -h` a mode's options;
`loader.sh merge A.json B.json …` joins records. LOADER_JAVA_OPTS adds JVM flags.

Example: loader.sh -mode provision -tenants 10
END
}

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  usage
  exit 0
fi
home=''
if [[ ${1:-} == --home ]]; then
  if (($# < 2)); then die "--home needs a folder" "loader.sh -h"; fi
  home=$2
  shift 2
elif [[ ${1:-} == --home=* ]]; then
  home=${1#--home=}
  shift
fi
resolve_home "$home"
# The loader reads the home's cell.env for its defaults.
export QUEENCELL_HOME
find_jdk
if [[ ! -f $(jar_path loader) ]]; then
  die "loader/target/loader.jar is not built" "$(quoted "$QUEENCELL_ROOT/vm-cell.sh" up)"
fi
# shellcheck disable=SC2086 # a list of flags
exec "$JAVA" -XX:+UseParallelGC ${LOADER_JAVA_OPTS:-} -jar "$(jar_path loader)" "$@"
