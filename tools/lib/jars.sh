# shellcheck shell=bash
# The jars: built when missing or older than the sources, copied into the home to run from there.
# Sourced after home.sh, jdk.sh and account.sh.

# Modules whose fat jar is MODULE/target/MODULE.jar.
JAR_MODULES=(cell state-db broker proxy loader report)
# Those that run inside a home.
JAR_INSTALLED=(cell state-db broker proxy)

# What makes a short-lived JVM start fast; nothing here lives long enough for the optimising compiler.
CELL_JVM=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto)

# How long each process may take to tell that it is well, where the usual time is too short.
STATUS_OPTIONS=()
if ((PATIENCE > 1)); then STATUS_OPTIONS=(--answer-seconds "$((5 * PATIENCE))"); fi

jar_path() { printf '%s/%s/target/%s.jar' "$QUEENCELL_ROOT" "$1" "$1"; }

# cell_jar SUBCOMMAND…: the part of the kit that computes.
cell_jar() { QUEENCELL_USER=${ACCOUNT:-${QUEENCELL_USER:-}} "$JAVA" "${CELL_JVM[@]}" -jar "$(cell_jar_path)" "$@"; }

# The home's copy belongs to what runs there; before the first `up` there is only the built one.
cell_jar_path() {
  if [[ -f $QUEENCELL_HOME/lib/cell.jar ]]; then printf '%s' "$QUEENCELL_HOME/lib/cell.jar"; else jar_path cell; fi
}

# stale_jar: says why jars must be built; nothing when they are up to date.
stale_jar() {
  local module jar newer
  local -a sources=("$QUEENCELL_ROOT/pom.xml" "$QUEENCELL_ROOT"/*/pom.xml "$QUEENCELL_ROOT"/*/src/main)
  for module in "${JAR_MODULES[@]}"; do
    jar=$(jar_path "$module")
    if [[ ! -f $jar ]]; then
      printf '%s is not built' "${jar#"$QUEENCELL_ROOT"/}"
      return 0
    fi
    newer=$(find "${sources[@]}" -type f -newer "$jar" -print -quit 2>/dev/null)
    if [[ -n $newer ]]; then
      printf '%s is newer than %s' "${newer#"$QUEENCELL_ROOT"/}" "${jar#"$QUEENCELL_ROOT"/}"
      return 0
    fi
  done
}

# need_jars auto|build|no-build
need_jars() {
  local mode=$1 reason
  reason=$(stale_jar)
  case $mode in
    build) build_jars ;;
    no-build)
      if [[ $reason == *'is not built' ]]; then
        die "$reason and --no-build forbids building it" "$(quoted mvn -f "$QUEENCELL_ROOT/pom.xml" -q -DskipTests package)"
      fi
      if [[ -n $reason ]]; then STEP_NOTE="$reason; --no-build runs what is built"; else STEP_NOTE='up to date'; fi
      ;;
    *) if [[ -n $reason ]]; then build_jars "$reason"; else STEP_NOTE='up to date'; fi ;;
  esac
}

build_jars() {
  local log=$QUEENCELL_HOME/log/build.log modules
  if ! command -v mvn >/dev/null; then die "${1:+$1 and }Maven is missing; install it (package maven) or build the jars elsewhere"; fi
  # Two homes may come up at once from one source tree.
  exec 8<"$QUEENCELL_ROOT/pom.xml"
  flock 8
  if [[ $# -gt 0 && -z $(stale_jar) ]]; then
    STEP_NOTE='built by another command meanwhile'
  else
    modules=$(IFS=, && printf '%s' "${JAR_MODULES[*]}")
    # Tests, and the checks of form and style, are for those who change the code.
    if ! (cd -- "$QUEENCELL_ROOT" && JAVA_HOME=$QUEENCELL_JDK mvn -B -q -T2 -Dmaven.test.skip=true -Dspotless.check.skip=true -Djavac.checks=-proc:none -pl "$modules" -am package) >"$log" 2>&1 </dev/null 8<&- 9>&-; then
      die_with_log 'the build failed' "$log" "$(quoted mvn -f "$QUEENCELL_ROOT/pom.xml" -DskipTests package)"
    fi
    # A build that had nothing to do for a module leaves its jar's time as it was.
    for modules in "${JAR_MODULES[@]}"; do
      if [[ ! -f $(jar_path "$modules") ]]; then die "the build made no $(jar_path "$modules")"; fi
      touch -c -- "$(jar_path "$modules")"
    done
    STEP_NOTE=${1:-asked for}
  fi
  exec 8<&-
}

# install_jars: copies what differs; a running process keeps the file that it has open.
install_jars() {
  local module from to changed=0
  for module in "${JAR_INSTALLED[@]}"; do
    from=$(jar_path "$module") to=$QUEENCELL_HOME/lib/$module.jar
    if cmp -s -- "$from" "$to"; then continue; fi
    install_file "$from" "$to"
    rm -f -- "${to%.jar}.aot"
    changed=$((changed + 1))
  done
  for module in supervise backoff; do install_file "$QUEENCELL_ROOT/tools/lib/$module.sh" "$QUEENCELL_HOME/lib/$module.sh"; done
  STEP_NOTE="$changed of ${#JAR_INSTALLED[@]} jars copied"
}

install_file() {
  if ! cp -- "$1" "$2.draft" 2>/dev/null || ! chmod 0644 "$2.draft" || ! mv -f -- "$2.draft" "$2"; then
    rm -f -- "$2.draft"
    die "can't copy ${1##*/} into $QUEENCELL_HOME/lib ($(free_space_text "$QUEENCELL_HOME"))"
  fi
}

# newer_jars: the installed modules whose built jar differs from the one that runs.
newer_jars() {
  local module
  for module in "${JAR_INSTALLED[@]}"; do
    if [[ -f $(jar_path "$module") ]] && ! cmp -s -- "$(jar_path "$module")" "$QUEENCELL_HOME/lib/$module.jar"; then printf '%s ' "$module"; fi
  done
}
