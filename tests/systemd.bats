#!/usr/bin/env bats
# What exactly systemd is asked to run. systemctl and systemd-run are fakes that write down how they
# were called; against a real systemd only the end-to-end test says whether it works.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

setup() {
  open_folder
  fake systemctl <<<'case "$*" in *ControlGroup*) echo /queencell.slice ;; esac'
  fake systemd-run </dev/null
  HOME_FOLDER="$FOLDER/my cell"
  mkdir -p "$HOME_FOLDER"/{lib,log,run,conf,secrets}
  printf '%s\n' -Xmx512m -XX:ActiveProcessorCount=2 >"$HOME_FOLDER/conf/broker.jvm"
}

# as_up TEXT: with the settings that `up --cell-cpus 1.5 --cell-mem 2` makes.
as_up() {
  kit_shell "
    ACCOUNT=someone ACCOUNT_UID=1234 ACCOUNT_GID=5678
    QUEENCELL_HOME='$HOME_FOLDER' QUEENCELL_JDK=/opt/jdk QUEENCELL_PG_BIN=/opt/pg/bin QUEENCELL_CAP=systemd BACKEND=systemd
    OPT_CPUS=1.5 OPT_MEM=2 OPT_ENFORCE=1
    take_settings
    STARTED_UNITS=()
    $1"
}

calls() { cat "$FAKES/$1.calls"; }

never_called_with() { [[ $'\n'$(calls "$1")$'\n' != *$'\n'"$2"$'\n'* ]]; }

# called_with NAME WORD: whether WORD was one whole argument of a call.
called_with() {
  if ! grep -qxF -- "$2" "$FAKES/$1.calls"; then
    printf '%s was not called with: %s\nbut with:\n%s\n' "$1" "$2" "$(calls "$1")" >&2
    return 1
  fi
}

@test "the slice gets both caps, at run time only, and no swap to escape into" {
  run as_up 'systemd_apply_caps'
  exits 0
  called_with systemctl start
  called_with systemctl set-property
  called_with systemctl --runtime
  called_with systemctl queencell.slice
  called_with systemctl CPUQuota=150%
  called_with systemctl MemoryMax=2147483648
  called_with systemctl MemorySwapMax=0
}

@test "no cap is written as none" {
  run as_up 'QUEENCELL_CELL_CPUS=0 QUEENCELL_CELL_MEM=0; systemd_apply_caps'
  exits 0
  called_with systemctl CPUQuota=
  called_with systemctl MemoryMax=infinity
}

@test "another port base has a slice of its own that is no child of the usual one" {
  run as_up 'OPT_PORT_BASE=7000; take_settings; systemd_slice; systemd_unit broker'
  exits 0
  [[ $output == queencell7000.slicequeencell7000-broker.service ]]
}

@test "the broker becomes a transient unit in the slice, with its whole environment and its log" {
  run as_up 'start_unit broker'
  exits 0
  called_with systemd-run --unit=queencell-broker.service
  called_with systemd-run --slice=queencell.slice
  called_with systemd-run "--description=Queen Cell broker in $HOME_FOLDER"
  called_with systemd-run --service-type=exec
  called_with systemd-run "--property=StandardOutput=append:$HOME_FOLDER/log/broker.log"
  called_with systemd-run "--property=StandardError=append:$HOME_FOLDER/log/broker.log"
  called_with systemd-run --setenv=PORT=6632
  called_with systemd-run --setenv=QUEEN_BIND_ADDR=127.0.0.1
  called_with systemd-run --setenv=PG_PORT=5466
  called_with systemd-run "--setenv=PG_PASSWORD_FILE=$HOME_FOLDER/secrets/pg-password"
  called_with systemd-run --setenv=QUEEN_TENANCY_HEADER=true
  called_with systemd-run --setenv=QUEEN_KV_TRUSTED_PROXY=true
  # The program and its arguments come last, in order.
  tail -n 7 "$FAKES/systemd-run.calls" | diff - <(printf '%s\n' -- /opt/jdk/bin/java -Xmx512m -XX:ActiveProcessorCount=2 \
    "-XX:ErrorFile=$HOME_FOLDER/run/broker-crash-%p.log" -jar "$HOME_FOLDER/lib/broker.jar" '' | tail -n 7)
}

@test "a failing unit is started again, a stopped one has its deadline" {
  run as_up 'start_unit broker'
  called_with systemd-run --property=Restart=on-failure
  called_with systemd-run --property=RestartSec=200ms
  called_with systemd-run "--property=ExecStartPre=-/bin/bash \"$HOME_FOLDER/lib/backoff.sh\" \"$HOME_FOLDER/run\" broker 200"
  called_with systemd-run --property=StartLimitIntervalSec=0
  called_with systemd-run --property=TimeoutStopSec=15
  called_with systemd-run --property=SuccessExitStatus=143
}

# backoff: as systemd would before a start, its sleeps only noted.
backoff() { bash "$ROOT/tools/lib/backoff.sh" "$HOME_FOLDER/run" broker 200; }
# since_boot SECONDS: that long after now.
since_boot() { awk -v plus="$1" '{printf "%d", $1 + plus}' /proc/uptime; }

@test "after each failure in a row a unit waits twice as long, up to 30 s, as without systemd" {
  # While it sleeps, what status reads of the wait.
  fake sleep <<<"cat '$HOME_FOLDER/run/broker.wait' >>'$FOLDER/waits'"
  run backoff
  exits 0
  [[ -z $output && ! -e $FAKES/sleep.calls ]]
  for _ in {1..12}; do backoff >>"$FOLDER/log"; done
  # Of the first 200 ms nothing is left.
  diff <(grep . "$FAKES/sleep.calls") <(printf '%s\n' 0.200 0.600 1.400 3.000 6.200 12.600 25.400 29.800 29.800 29.800 29.800)
  diff "$FOLDER/waits" <(printf '%s\n' 400 800 1600 3200 6400 12800 25600 30000 30000 30000 30000)
  [[ ! -e $HOME_FOLDER/run/broker.wait ]]
  for total in 200 400 800 30000; do grep -q "started again $total ms later" "$FOLDER/log"; done
  for file in supervise backoff; do grep -E '^(BACKOFF|HEALTHY)_[A-Z_]+=' "$ROOT/tools/lib/$file.sh" >"$FOLDER/$file"; done
  diff "$FOLDER/supervise" "$FOLDER/backoff"
}

@test "a unit that was well for a minute, or that a reboot ended, waits as after a first failure" {
  fake sleep </dev/null
  for let_go in -60 1000; do
    echo "9 $(since_boot "$let_go")" >"$HOME_FOLDER/run/broker.backoff"
    run backoff
    exits 0
    has 'broker failed, 1 in a row; started again 200 ms later'
  done
  [[ ! -e $FAKES/sleep.calls ]]
  # Not a minute: it goes on where it was.
  echo "9 $(since_boot -30)" >"$HOME_FOLDER/run/broker.backoff"
  run backoff
  has '10 in a row; started again 30000 ms later'
}

@test "a start that was asked for waits for nothing, and what can't be read or written keeps no unit down" {
  echo "9 $(since_boot 0)" >"$HOME_FOLDER/run/broker.backoff"
  as_up 'start_unit broker'
  [[ ! -e $HOME_FOLDER/run/broker.backoff ]]
  echo 'no numbers' >"$HOME_FOLDER/run/broker.backoff"
  run backoff
  exits 0
  rm "$HOME_FOLDER/run/broker.backoff" && mkdir "$HOME_FOLDER/run/broker.backoff"
  run backoff
  exits 0
}

@test "PostgreSQL is stopped by a fast shutdown of the postmaster alone" {
  run as_up 'start_unit pg'
  exits 0
  called_with systemd-run --property=KillSignal=SIGINT
  called_with systemd-run --property=KillMode=mixed
  called_with systemd-run --property=TimeoutStopSec=25
  tail -n 4 "$FAKES/systemd-run.calls" | diff - <(printf '%s\n' /opt/pg/bin/postgres -D "$HOME_FOLDER/pg" '')
}

@test "started by root a unit becomes the services' user, hardened" {
  if ((EUID != 0)); then skip 'only root can'; fi
  run as_up 'start_unit broker'
  called_with systemd-run --uid=1234
  called_with systemd-run --gid=5678
  for property in NoNewPrivileges=yes ProtectSystem=strict ProtectHome=read-only CapabilityBoundingSet= \
    PrivateDevices=yes ProtectKernelTunables=yes ProtectControlGroups=yes RestrictNamespaces=yes UMask=0077 \
    "ReadWritePaths=\"$HOME_FOLDER\""; do
    called_with systemd-run "--property=$property"
  done
  never_called_with systemd-run --user
}

@test "started by anyone else a unit belongs to the caller's own manager" {
  if ((EUID == 0)); then skip 'only for others'; fi
  run as_up 'systemd_apply_caps; start_unit broker'
  called_with systemd-run --user
  called_with systemctl --user
  called_with systemd-run --property=NoNewPrivileges=yes
  never_called_with systemd-run --uid=1234
}

@test "a private /tmp is given unless the home lies in it" {
  run as_up 'QUEENCELL_HOME=/srv/cell; systemd_private_tmp; QUEENCELL_HOME=/tmp/1; systemd_private_tmp; QUEENCELL_HOME=/tmp1; systemd_private_tmp'
  exits 0
  [[ $output == PrivateTmp=yesPrivateTmp=noPrivateTmp=yes ]]
}

@test "no secret is ever an argument or in an environment" {
  run as_up 'QUEENCELL_HOME="$QUEENCELL_HOME"; ACCOUNT_UID=$EUID ACCOUNT_GID=$(id -g); make_secrets; for unit in "${UNITS[@]}"; do start_unit $unit; done'
  exits 0
  for file in "$HOME_FOLDER"/secrets/*; do
    [[ $(calls systemd-run) != *"$(cat "$file")"* ]]
  done
}

@test "the state of a unit is systemd's, restarts included" {
  fake systemctl <<'END'
case "$*" in
  *NRestarts*) echo 3 ;;
  *) printf 'ActiveState=activating\nSubState=auto-restart\nDescription=Queen Cell broker in %s\n' "$HOME_SEEN" ;;
esac
END
  HOME_SEEN=$HOME_FOLDER run as_up 'systemd_state broker; systemd_restarts broker'
  exits 0
  [[ $output == restarting3 ]]
}

@test "a unit that the kit's backoff holds back is restarting" {
  fake systemctl <<<'printf "ActiveState=activating\nSubState=start-pre\nDescription=Queen Cell broker in %s\n" "$HOME_SEEN"'
  HOME_SEEN=$HOME_FOLDER run as_up 'systemd_state broker'
  [[ $output == restarting ]]
}

@test "a unit of the same name that belongs to another home counts as down" {
  fake systemctl <<<'printf "ActiveState=active\nSubState=running\nDescription=Queen Cell broker in /elsewhere\n"'
  run as_up 'systemd_state broker'
  [[ $output == down ]]
}

@test "down stops with the first signal and escalates only after its deadline" {
  fake systemctl <<'END'
case "$*" in
  *ActiveState*) if [[ -e $FLAG ]]; then echo ActiveState=inactive; else echo ActiveState=deactivating; printf 'Description=Queen Cell pg in %s\n' "$HOME_SEEN"; fi ;;
  *'kill '*QUIT*) : >"$FLAG" ;;
esac
END
  FLAG=$FOLDER/flag HOME_SEEN=$HOME_FOLDER run as_up 'build_unit pg; UNIT_STOP_STEPS="INT:1 QUIT:5 KILL:5"; systemd_stop pg'
  exits 0
  called_with systemctl --no-block
  called_with systemctl --signal=QUIT
  called_with systemctl --kill-who=main
  never_called_with systemctl --signal=KILL
}

@test "auto takes systemd when it runs the machine" {
  if ((EUID != 0)); then skip 'root has no delegation to look at'; fi
  mkdir "$FOLDER/mark"
  QUEENCELL_SYSTEMD_MARK=$FOLDER/mark run as_up 'choose_backend auto; echo "$QUEENCELL_CAP $BACKEND: $CAP_WHY"'
  exits 0
  [[ $output == 'systemd systemd: systemd runs this machine' ]]
}

@test "a user needs both controllers handed over" {
  if ((EUID == 0)); then skip 'only for others'; fi
  mkdir -p "$FOLDER/mark" "$FOLDER/sys/user.slice/user-$EUID.slice/user@$EUID.service"
  echo 'memory pids' >"$FOLDER/sys/user.slice/user-$EUID.slice/user@$EUID.service/cgroup.controllers"
  QUEENCELL_CGROUP_ROOT=$FOLDER/sys QUEENCELL_SYSTEMD_MARK=$FOLDER/mark run as_up 'systemd_usable || echo "$CAP_WHY"'
  has 'has not handed the cpu and memory controllers to this user (handed over: memory pids'
  echo 'cpu memory pids' >"$FOLDER/sys/user.slice/user-$EUID.slice/user@$EUID.service/cgroup.controllers"
  QUEENCELL_CGROUP_ROOT=$FOLDER/sys QUEENCELL_SYSTEMD_MARK=$FOLDER/mark run as_up 'systemd_usable && echo yes'
  has yes
}

@test "--cap systemd where there is none says why" {
  QUEENCELL_SYSTEMD_MARK=$FOLDER/nothing run as_up 'choose_backend systemd'
  exits 1
  has "--cap systemd can't be used here: systemd does not run this machine"
}
