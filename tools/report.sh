#!/usr/bin/env bash
# One page about measured points: what passed, what limited them, and what the cell did meanwhile.
set -euo pipefail
SAY_AS=report.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk account jars; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

usage() {
  cat <<'END'
Usage: tools/report.sh [--out FILE.html] [--title TEXT] [--markdown] [--png] DIR…

Reads every measured point in the folders (what runpt.sh, tools/ceiling.sh and tools/compare.sh leave
there) and writes one HTML page that needs nothing from elsewhere. Points at several rates are drawn
as a ladder; points at one rate through the proxy and at the broker are compared by rounds.

  --out FILE.html  default: report.html in the first DIR
  --title TEXT     default: the folders' names
  --markdown       also FILE.md, for a pull request
  --png            also a picture of each figure in FILE-png/, where a Chromium is installed

Exits 0 with a report, whatever the points' verdicts; 1 when a folder holds no point or a file can't
be written; 2 for a wrong command line.

Example: tools/report.sh --markdown out
END
}

for word in "$@"; do
  if [[ $word == -h || $word == --help ]]; then
    usage
    exit 0
  fi
done
find_jdk
if [[ ! -f $(jar_path report) ]]; then
  die "report/target/report.jar is not built" "$(quoted mvn -f "$QUEENCELL_ROOT/pom.xml" -q -DskipTests -pl report -am package)"
fi
exec "$JAVA" "${CELL_JVM[@]}" -Xmx512m -jar "$(jar_path report)" "$@"
