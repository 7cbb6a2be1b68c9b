#!/usr/bin/env bats
# The home: its path, its cell.env, its lock, its secrets.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

setup() { open_folder; }

@test "a home is absolute, whatever way it was written" {
  run kit_shell 'cd /; resolve_home "srv/./x//y/"; echo "$QUEENCELL_HOME"; unset QUEENCELL_HOME; resolve_home; echo "$QUEENCELL_HOME"'
  exits 0
  [[ ${lines[0]} == /srv/x/y ]]
  [[ ${lines[1]} == "$ROOT/.cell" ]]
}

@test "the environment names the home and an option wins over it" {
  run kit_shell 'export QUEENCELL_HOME=/a; resolve_home; echo $QUEENCELL_HOME; resolve_home /b; echo $QUEENCELL_HOME'
  exits 0
  [[ $output == $'/a\n/b' ]]
}

@test "a home with spaces and letters of any alphabet is fine" {
  run kit_shell 'resolve_home "/x/my cell (1)"; resolve_home "/x/käfig"; echo fine'
  exits 0
  has fine
}

@test "a home with a character that means something elsewhere is refused" {
  for name in "a'b" 'a"b' 'a$b' 'a:b' 'a%b' 'a;b' 'a|b' 'a&b' 'a*b' 'a?b' 'a\b' 'a`b' $'a\nb' 'a{b' 'a[b'; do
    run "$ROOT/vm-cell.sh" up --home "/x/$name"
    exits 1
    has 'spaces and letters are fine'
  done
}

@test "the root folder, a file and a very long path are refused as home" {
  run "$ROOT/vm-cell.sh" up --home /
  exits 1
  has 'is the root folder'
  : >"$FOLDER/file"
  run "$ROOT/vm-cell.sh" up --home "$FOLDER/file"
  exits 1
  has 'is not a folder'
  run "$ROOT/vm-cell.sh" up --home "/$(printf 'x%.0s' {1..250})"
  exits 1
  has 'it takes at most 200'
}

@test "cell.env is read, never run" {
  mkdir -p "$FOLDER/home"
  printf '%s\n' "QUEENCELL_CELL_CPUS='2'" "QUEENCELL_X='\$(touch $FOLDER/ran)'" "touch $FOLDER/ran" "PATH='/nowhere'" >"$FOLDER/home/cell.env"
  run kit_shell "resolve_home '$FOLDER/home'; load_cell_env; echo \"\$QUEENCELL_CELL_CPUS \$QUEENCELL_X\"; ls >/dev/null"
  exits 0
  has '2 $(touch'
  [[ ! -e $FOLDER/ran ]]
}

@test "cell.env can be sourced by a shell" {
  run kit_shell "QUEENCELL_HOME='$FOLDER'; QUEENCELL_CELL_CPUS=1.5 QUEENCELL_CAP_WHY='no (a; b) \"c\"'; write_cell_env; (unset QUEENCELL_CAP_WHY; set -u; . '$FOLDER/cell.env'; echo \"\$QUEENCELL_CELL_CPUS|\$QUEENCELL_CAP_WHY\")"
  exits 0
  has '1.5|no (a; b) "c"'
}

@test "two commands at once on one home do not mix" {
  kit_shell "QUEENCELL_HOME='$FOLDER'; lock_home; echo locked >'$FOLDER/locked'; read -r _ <'$FOLDER/fifo' || true" 3>&- &
  mkfifo "$FOLDER/fifo"
  eventually 5 test -s "$FOLDER/locked"
  run kit_shell "QUEENCELL_HOME='$FOLDER'; lock_home"
  exits 1
  has 'another command is changing this cell (process '
  echo >"$FOLDER/fifo"
  wait
  run kit_shell "QUEENCELL_HOME='$FOLDER'; lock_home; echo mine"
  exits 0
}

@test "secrets are random, private and kept" {
  run kit_shell "QUEENCELL_HOME='$FOLDER'; ACCOUNT_UID=\$EUID ACCOUNT_GID=\$(id -g); mkdir -m 700 '$FOLDER/secrets'; make_secrets; sha256sum '$FOLDER'/secrets/*; make_secrets; sha256sum '$FOLDER'/secrets/*"
  exits 0
  [[ $(sort -u <<<"$output" | wc -l) == 5 ]]
  [[ $(cut -d' ' -f1 <<<"$output" | sort -u | wc -l) == 5 ]]
  for file in "$FOLDER"/secrets/*; do
    [[ $(stat -c %a "$file") == 600 ]]
    [[ $(cat "$file") =~ ^[0-9a-f]{64}$ ]]
  done
}

@test "ports follow the base, in order" {
  run kit_shell 'set_ports 7000; echo $QUEENCELL_PORT_PG $QUEENCELL_PORT_STATEPG $QUEENCELL_PORT_STATE $QUEENCELL_PORT_BROKER $QUEENCELL_PORT_PROXY $QUEENCELL_PORT_PROXY_ADMIN; set_ports; echo $QUEENCELL_PORT_PG $QUEENCELL_PORT_STATEPG $QUEENCELL_PORT_STATE $QUEENCELL_PORT_BROKER $QUEENCELL_PORT_PROXY $QUEENCELL_PORT_PROXY_ADMIN'
  exits 0
  [[ ${lines[0]} == '7000 7001 7002 7003 7004 7005' ]]
  [[ ${lines[1]} == '5466 5465 6720 6632 6711 6712' ]]
}
