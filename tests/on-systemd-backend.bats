#!/usr/bin/env bats
# The systemd backend alone on a real systemd: small programs stand in
# for a cell's, so that an emulated machine is done in minutes. As tests/on-systemd.bats, root only where
# QUEENCELL_ON_SYSTEMD=1 says so.
# bats file_tags=short
# shellcheck disable=SC2016,SC2314 # text for other shells: $ is meant literally

load kit
load on-systemd

HOME_FOLDER=/var/lib/backend
SLICE=queencell29000.slice
UNIT=queencell29000-broker.service
PROGRAM="sleep 600"

setup() {
  if [[ ${QUEENCELL_ON_SYSTEMD:-0} != 1 ]]; then skip 'not a machine for it; tools/test-systemd.sh makes one'; fi
  mkdir -p "$HOME_FOLDER"/{lib,log,run,conf,secrets}
  cp "$ROOT/tools/lib/backoff.sh" "$HOME_FOLDER/lib/"
  chmod 0777 "$HOME_FOLDER/run"
}

teardown() {
  if [[ ${QUEENCELL_ON_SYSTEMD:-0} != 1 ]]; then return 0; fi
  as_up 'stop_unit broker; systemd_remove' || true
  rm -rf "$HOME_FOLDER"
}

# as_up TEXT: with the settings of `up --cell-cpus 0.5 --cell-mem 1`, and a broker that is PROGRAM.
as_up() {
  kit_shell "
    ACCOUNT=nobody ACCOUNT_UID=65534 ACCOUNT_GID=65534
    QUEENCELL_HOME='$HOME_FOLDER' QUEENCELL_JDK=/nonexistent QUEENCELL_CAP=systemd BACKEND=systemd STARTED_UNITS=()
    OPT_CPUS=0.5 OPT_MEM=1 OPT_PORT_BASE=29000
    take_settings
    build_java_unit() { UNIT_ARGV=(bash -c ${PROGRAM@Q}); }
    $1"
}

shown() { systemctl show --property="$1" --value "$UNIT"; }
another() { local pid && pid=$(shown MainPID) && [[ $pid != 0 && $pid != "$1" ]]; }

@test "backend: the kernel has the slice's caps, also other ones later and none" {
  machine_line >&3
  [[ $(</proc/1/comm) == systemd ]]
  as_up 'systemd_apply_caps'
  capped_as "$SLICE" 50000 1073741824
  # On version 1 systemd has no setting for swap.
  if [[ $(version) == 2 ]]; then [[ $(<"$GROUPS_ROOT/$SLICE/memory.swap.max") == 0 ]]; fi
  as_up 'QUEENCELL_CELL_CPUS=1.5 QUEENCELL_CELL_MEM=1.25; systemd_apply_caps'
  capped_as "$SLICE" 150000 1342177280
  as_up 'QUEENCELL_CELL_CPUS=0 QUEENCELL_CELL_MEM=0; systemd_apply_caps'
  printf '# without caps: CPU %s, memory %s\n' "$(cpu_cap "$SLICE")" "$(memory_cap "$SLICE")" >&3
  capped_as "$SLICE" none none
}

@test "backend: the cap bites, and the kernel counts it at the slice" {
  PROGRAM='while :; do :; done'
  # A cap far below what even a busy machine leaves.
  as_up 'QUEENCELL_CELL_CPUS=0.05; systemd_apply_caps; start_unit broker'
  began=$(throttled_periods "$SLICE")
  held_back() { (($(throttled_periods "$SLICE") >= began + 10)); }
  eventually 30 held_back
  printf '# %s of 100000 us; %s\n' "$(cpu_cap "$SLICE")" "$(paste -sd ' ' "$(of_cpu "$SLICE")/cpu.stat")" >&3
}

@test "backend: a unit is hardened, in its slice, as its user, with its log in the home" {
  : >/tmp/of-the-machine
  PROGRAM='echo in the log; sleep 600'
  as_up 'systemd_apply_caps; start_unit broker'
  pid=$(shown MainPID)
  in_group "$pid" "/$SLICE/$UNIT"
  [[ $(stat -c %u "/proc/$pid") == 65534 ]]
  run systemctl show --all "$UNIT"
  for property in NoNewPrivileges=yes ProtectSystem=strict ProtectHome=read-only PrivateTmp=yes PrivateDevices=yes \
    ProtectKernelTunables=yes ProtectKernelModules=yes ProtectKernelLogs=yes ProtectControlGroups=yes ProtectClock=yes \
    ProtectHostname=yes RestrictSUIDSGID=yes RestrictRealtime=yes LockPersonality=yes SystemCallArchitectures=native \
    CapabilityBoundingSet= AmbientCapabilities= UMask=0077 Restart=on-failure; do
    grep -qxF -- "$property" <<<"$output" || {
      printf 'not %s but %s\n' "$property" "$(grep "^${property%=*}=" <<<"$output")" >&2
      return 1
    }
  done
  run cat "/proc/$pid/status"
  for line in 'CapEff:\s0+' 'CapBnd:\s0+' 'NoNewPrivs:\s1' 'Seccomp:\s2'; do grep -qE "^$line\$" <<<"$output"; done
  awk '$5 == "/" {found = $6} END {exit !(found ~ /(^|,)ro(,|$)/)}' "/proc/$pid/mountinfo"
  [[ ! -e /proc/$pid/root/tmp/of-the-machine ]]
  eventually 10 grep -q 'in the log' "$HOME_FOLDER/log/broker.log"
}

@test "backend: a killed unit is started again, twice in a row; after stop and removal nothing is left" {
  PROGRAM='exec sleep 600'
  as_up 'systemd_apply_caps; start_unit broker'
  first=$(shown MainPID)
  systemctl kill --signal=KILL --kill-who=main "$UNIT"
  eventually 30 another "$first"
  second=$(shown MainPID)
  kill -KILL "$second"
  eventually 30 another "$second"
  run as_up 'systemd_restarts broker; echo; systemd_state broker'
  [[ $output == $'2\nrunning' ]]
  last=$(shown MainPID)
  as_up 'stop_unit broker; systemd_remove'
  gone "$last"
  no_groups queencell29000
  [[ -z $(systemctl list-units --all --no-legend --plain 'queencell29000*') ]]
  [[ -z $(find /run/systemd -name 'queencell29000*') ]]
}

@test "backend: a unit that fails at every start waits longer each time, is told as restarting, and can be stopped" {
  PROGRAM='exit 3'
  as_up 'systemd_apply_caps; start_unit broker' || true
  waits() { grep -q "broker failed, $1 in a row; started again $2 ms later" "$HOME_FOLDER/log/broker.log"; }
  eventually 30 waits 1 200
  eventually 30 waits 2 400
  eventually 30 waits 3 800
  eventually 30 waits 5 3200
  held_back() { [[ $(as_up 'systemd_state broker') == restarting ]]; }
  eventually 30 held_back
  printf '# NRestarts %s; %s\n' "$(shown NRestarts)" "$(shown SubState)" >&3
  (($(shown NRestarts) >= 5))
  as_up 'stop_unit broker; systemd_remove'
  [[ -z $(systemctl list-units --all --no-legend --plain 'queencell29000*') ]]
  # A start that was asked for begins anew.
  PROGRAM='exec sleep 600'
  as_up 'systemd_apply_caps; start_unit broker'
  [[ $(<"$HOME_FOLDER/run/broker.backoff") == 0\ * ]]
}
