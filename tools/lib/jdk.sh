# shellcheck shell=bash
# Finds the Java that builds and runs the cell. Sourced after say.sh.

JDK_RELEASE_MIN=25

# jdk_release DIR: the feature release of the JDK in DIR, from its release file (no process is
# started); nothing when there is none.
jdk_release() {
  local line
  if [[ ! -x $1/bin/java || ! -r $1/release ]]; then return 0; fi
  while IFS= read -r line; do
    if [[ $line =~ ^JAVA_VERSION=\"([0-9]+) ]]; then
      printf '%s' "${BASH_REMATCH[1]}"
      return 0
    fi
  done <"$1/release"
}

# jdk_places: where JDKs are, most wanted first, one a line.
jdk_places() {
  local java
  if [[ -n ${JAVA_HOME:-} ]]; then printf '%s\n' "$JAVA_HOME"; fi
  if java=$(command -v java); then
    java=$(readlink -f -- "$java")
    printf '%s\n' "${java%/bin/java}"
  fi
  # The toolchains file says where this machine's owner keeps them.
  if [[ -r ${HOME:-}/.m2/toolchains.xml ]]; then
    sed -n 's:.*<jdkHome>[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*</jdkHome>.*:\1:p' "$HOME/.m2/toolchains.xml"
  fi
  local -a usual=(
    "${QUEENCELL_JDK_FOLDER:-/usr/lib/jvm}"/* /usr/java/* /opt/java/* /opt/jdk* /opt/*/jdk*
    "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/*
  )
  printf '%s\n' "${usual[@]}"
}

# find_jdk: sets QUEENCELL_JDK (its folder) and JAVA (its launcher), or says what to install.
find_jdk() {
  local place release older=''
  local -a places
  mapfile -t places < <(jdk_places)
  for place in "${places[@]}"; do
    release=$(jdk_release "$place")
    if [[ -z $release ]]; then continue; fi
    if ((release >= JDK_RELEASE_MIN)); then
      QUEENCELL_JDK=$place JAVA=$place/bin/java
      return 0
    fi
    older+=" $release"
  done
  die "no JDK of release $JDK_RELEASE_MIN or newer${older:+ (found only$older)}; install one (package openjdk-$JDK_RELEASE_MIN-jdk-headless or temurin-$JDK_RELEASE_MIN-jdk) or set JAVA_HOME to it"
}
