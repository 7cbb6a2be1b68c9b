#!/usr/bin/env bats
# The backend without systemd, on real processes that stand in for a cell's.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

setup() {
  open_folder
  HOME_FOLDER="$FOLDER/my cell"
  mkdir -p "$HOME_FOLDER"/{lib,log,run,conf}
  cp "$ROOT/tools/lib/supervise.sh" "$HOME_FOLDER/lib/"
  chmod -R a+rX "$FOLDER"
  chmod 0777 "$HOME_FOLDER/run"
}

teardown() {
  as_up 'for unit in one two; do UNIT_STOP_STEPS="TERM:2 KILL:2"; supervised_stop $unit; done' || true
}

# as_up TEXT: with an account as `up` finds it; root's processes become nobody's.
as_up() {
  kit_shell "
    QUEENCELL_USER=nobody
    find_account
    QUEENCELL_HOME='$HOME_FOLDER' QUEENCELL_SLICE=queencell QUEENCELL_CAP=none BACKEND=supervised
    # start NAME PROGRAM…
    start() { UNIT_ENV=(PATH=/usr/bin:/bin MARK=\$1) UNIT_STOP_STEPS='TERM:5 KILL:5' UNIT_ARGV=(\"\${@:2}\"); supervised_start \$1; }
    state_is() { [[ \$(supervised_state \$1) == \$2 ]]; }
    $1"
}

pid_of() { cat "$HOME_FOLDER/run/$1.pid"; }

@test "a process runs as the services' user, never as root, and leaves no descriptor of the caller open" {
  run as_up 'start one sleep 600; wait_until 5000 state_is one running'
  exits 0
  pid=$(pid_of one)
  if ((EUID == 0)); then
    [[ $(stat -c %U "/proc/$pid") == nobody ]]
    [[ $(awk '/^CapEff:/ {print $2}' "/proc/$pid/status") == 0000000000000000 ]]
  else
    [[ $(stat -c %u "/proc/$pid") == "$EUID" ]]
  fi
  [[ $(awk '/^NoNewPrivs:/ {print $2}' "/proc/$pid/status") == $((EUID == 0)) ]]
  read -r supervisor _ <"$HOME_FOLDER/run/one.supervisor"
  for process in "$pid" "$supervisor"; do
    # The supervisor has its script open on a descriptor of its own.
    for descriptor in "/proc/$process/fd"/*; do
      target=$(readlink "$descriptor")
      [[ $target == /dev/null || $target == *.log || $target == */lib/supervise.sh ]]
    done
  done
}

@test "its environment is its own: nothing of the caller's leaks in" {
  LEAK=secret run as_up 'start one sleep 600; wait_until 5000 state_is one running'
  run as_up 'cat "/proc/$(cat "$QUEENCELL_HOME/run/one.pid")/environ" | tr "\0" "\n"'
  has 'MARK=one'
  lacks LEAK
}

@test "the calling shell may end: the process stays, in a session of its own" {
  as_up 'start one sleep 600; wait_until 5000 state_is one running'
  pid=$(pid_of one)
  alive "$pid"
  read -r supervisor _ <"$HOME_FOLDER/run/one.supervisor"
  [[ $(ps -o sid= -p "$pid" | tr -d ' ') == "$supervisor" ]]
}

@test "a killed process comes back, counted; stop ends it and its supervisor" {
  as_up 'start one sleep 600; wait_until 5000 state_is one running'
  first=$(pid_of one)
  run as_up 'kill -KILL "$(cat "$QUEENCELL_HOME/run/one.pid")"; again() { (($(supervised_restarts one) == 1)) && state_is one running; }; wait_until 5000 again'
  exits 0
  second=$(pid_of one)
  [[ $second != "$first" ]]
  read -r supervisor _ <"$HOME_FOLDER/run/one.supervisor"
  run as_up 'build_unit() { :; }; UNIT_STOP_STEPS="TERM:5 KILL:5"; supervised_stop one; supervised_state one'
  exits 0
  [[ $output == down ]]
  gone "$second"
  gone "$supervisor"
}

@test "a process that lost its supervisor is still stopped" {
  as_up 'start one sleep 600; wait_until 5000 state_is one running'
  pid=$(pid_of one)
  read -r supervisor _ <"$HOME_FOLDER/run/one.supervisor"
  kill -KILL "$supervisor"
  eventually 5 gone "$supervisor"
  alive "$pid"
  run as_up 'supervised_state one; UNIT_STOP_STEPS="TERM:5 KILL:5"; supervised_stop one'
  exits 0
  [[ $output == running ]]
  gone "$pid"
}

@test "a program that does not exist is a failure with its reason in the log" {
  run as_up 'start one /nonexistent/program; failed() { (($(supervised_restarts one) > 0)); }; wait_until 5000 failed; supervised_exit one'
  exits 0
  has 'status 127'
  grep -q 'No such file' "$HOME_FOLDER/log/one.log"
}

@test "a record that names somebody else's process is not believed" {
  # A pid that lives but belongs to another user, as a hostile service could write it.
  if ((EUID != 0)); then skip 'needs a process of another user'; fi
  as_up ':'
  ticks=$(cut -d' ' -f22 "/proc/$$/stat")
  for record in started supervisor; do echo "$$ $ticks 1" >"$HOME_FOLDER/run/two.$record"; done
  run as_up 'supervised_state two; UNIT_STOP_STEPS="TERM:1 KILL:1"; supervised_stop two'
  exits 0
  [[ $output == down ]]
  alive $$
}

@test "a record whose pid was given to a younger process is not believed" {
  as_up 'start one sleep 600; wait_until 5000 state_is one running'
  read -r pid ticks began <"$HOME_FOLDER/run/one.started"
  for record in started supervisor; do echo "$pid $((ticks - 1)) $began" >"$HOME_FOLDER/run/two.$record"; done
  run as_up 'supervised_state two; UNIT_STOP_STEPS="TERM:1 KILL:1"; supervised_stop two'
  exits 0
  [[ $output == down ]]
  alive "$pid"
}

@test "a stop that comes before the supervisor wrote its record still ends it" {
  run as_up 'for i in 1 2 3 4 5; do
      wait_until() { :; }
      start one sleep 600
      unset -f wait_until
      source "$QUEENCELL_ROOT/tools/lib/say.sh"
      supervised_stop one
      if pgrep -f "supervise.sh $QUEENCELL_HOME/run one" >/dev/null; then echo "left in round $i"; fi
    done'
  exits 0
  lacks left
  [[ ! -e $HOME_FOLDER/run/one.supervisor ]]
}
