#!/usr/bin/env bats
# Which JDK is taken, and what is said when there is none.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

# jdk FOLDER RELEASE: something that looks like a JDK.
jdk() {
  mkdir -p "$1/bin"
  printf 'JAVA_VERSION="%s"\n' "$2" >"$1/release"
  printf '#!/bin/sh\n' >"$1/bin/java"
  chmod +x "$1/bin/java"
}

setup() {
  PLACES=$BATS_TEST_TMPDIR/jdks
  mkdir -p "$PLACES"
  export QUEENCELL_JDK_FOLDER=$PLACES HOME=$BATS_TEST_TMPDIR PATH=/usr/bin:/bin
  unset JAVA_HOME
}

# Only where this machine has no JDK in the other usual places does "none" mean none.
found() { run kit_shell "jdk_places() { $1; }; find_jdk; echo \"\$QUEENCELL_JDK\""; }

@test "JAVA_HOME comes first" {
  jdk "$PLACES/a" 25.0.1
  jdk "$BATS_TEST_TMPDIR/mine" 26
  JAVA_HOME=$BATS_TEST_TMPDIR/mine run kit_shell 'find_jdk; echo "$QUEENCELL_JDK"'
  exits 0
  [[ $output == "$BATS_TEST_TMPDIR/mine" ]]
}

@test "a JAVA_HOME that is too old is passed over" {
  jdk "$PLACES/new" 25.0.1
  jdk "$BATS_TEST_TMPDIR/old" 17.0.15
  JAVA_HOME=$BATS_TEST_TMPDIR/old PATH=/usr/bin:/bin run kit_shell 'command() { return 1; }; find_jdk; echo "$QUEENCELL_JDK"'
  exits 0
  [[ $output == "$PLACES/new" ]]
}

@test "the Java on PATH is found through its links" {
  jdk "$BATS_TEST_TMPDIR/real" 25
  mkdir "$BATS_TEST_TMPDIR/bin"
  ln -s "$BATS_TEST_TMPDIR/real/bin/java" "$BATS_TEST_TMPDIR/bin/java"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run kit_shell 'find_jdk; echo "$QUEENCELL_JDK"'
  exits 0
  [[ $output == "$BATS_TEST_TMPDIR/real" ]]
}

@test "Maven's toolchains file is asked" {
  jdk "$BATS_TEST_TMPDIR/tool chain" 25
  mkdir "$BATS_TEST_TMPDIR/.m2"
  cat >"$BATS_TEST_TMPDIR/.m2/toolchains.xml" <<XML
<toolchains><toolchain><type>jdk</type><configuration>
  <jdkHome> $BATS_TEST_TMPDIR/tool chain </jdkHome>
</configuration></toolchain></toolchains>
XML
  run kit_shell 'command() { return 1; }; find_jdk; echo "$QUEENCELL_JDK"'
  exits 0
  [[ $output == "$BATS_TEST_TMPDIR/tool chain" ]]
}

@test "without one, what to install is said, and what was found" {
  jdk "$PLACES/a" 17.0.1
  jdk "$PLACES/b" 21
  found "printf '%s\n' '$PLACES/a' '$PLACES/b' '$PLACES/nothing'"
  exits 1
  has 'no JDK of release 25 or newer (found only 17 21); install one'
  has 'JAVA_HOME'
}
