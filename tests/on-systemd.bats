#!/usr/bin/env bats
# A whole cell on a real systemd with control groups of version 2: what the kernel and systemd say, not
# what they were asked. Runs as root where QUEENCELL_ON_SYSTEMD=1 says that this machine is for it, as
# in the virtual machine of tools/test-systemd.sh; skipped elsewhere. Needs the jars.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit
load cells

NAMES=(pg statepg state broker proxy)
GROUP=/sys/fs/cgroup/queencell.slice
# Where people have their folders, and the one that is closed to others.
PEOPLE=/home
CLOSED=/root

# The cell of all tests here, with the usual ports and caches that its first up makes.
setup_file() {
  if [[ ${QUEENCELL_ON_SYSTEMD:-0} != 1 ]]; then return 0; fi
  load kit
  load cells
  need_jars_built
  export CELL_HOME=/var/lib/queencell
  printf '# %s; %s; control groups: %s (%s)\n' "$(uname -r)" "$(systemctl --version | head -n 1)" \
    "$(stat -fc %T /sys/fs/cgroup)" "$(cat /sys/fs/cgroup/cgroup.controllers)" >&3
  kit up --cell-cpus 1 --cell-mem 1.25 >"$BATS_FILE_TMPDIR/up.out" 2>&1 || {
    cat "$BATS_FILE_TMPDIR/up.out" >&2
    return 1
  }
}

setup() { if [[ ${QUEENCELL_ON_SYSTEMD:-0} != 1 ]]; then skip 'not a machine for it; tools/test-systemd.sh makes one'; fi; }

OWN_HOME=''
teardown() {
  if [[ -n $OWN_HOME && -d $OWN_HOME ]]; then "$ROOT/vm-cell.sh" down --purge --home "$OWN_HOME" >/dev/null 2>&1 || true; fi
  if [[ ${QUEENCELL_ON_SYSTEMD:-0} == 1 && -d $PEOPLE/somebody/cell ]]; then as_somebody down --purge >/dev/null 2>&1 || true; fi
}

# as_somebody COMMAND…: on the cell of a user without root, which has a service manager of its own.
as_somebody() {
  local command=$1
  shift
  setpriv --reuid somebody --regid somebody --init-groups env -i PATH=/usr/bin:/bin LANG=C.UTF-8 HOME="$PEOPLE/somebody" \
    JAVA_HOME="${JAVA_HOME:-}" QUEENCELL_AOT=0 QUEENCELL_PATIENCE="${QUEENCELL_PATIENCE:-1}" XDG_RUNTIME_DIR="/run/user/$(id -u somebody)" \
    "$ROOT/vm-cell.sh" "$command" --home "$PEOPLE/somebody/cell" "$@" 3>&-
}

shown() { systemctl show --property="$2" --value "queencell-$1.service"; }
main_pid() { shown "$1" MainPID; }
restarted_as_another() { local pid && pid=$(main_pid "$1") && [[ $pid != 0 && $pid != "$2" ]]; }
# event FILE KEY: a number of a flat keyed file of the slice.
event() { awk -v key="$2" '$1 == key {print $2}' "$GROUP/$1"; }
# capped_as CPU.MAX MEMORY.MAX
capped_as() { [[ $(<"$GROUP/cpu.max") == "$1" && $(<"$GROUP/memory.max") == "$2" ]]; }
# uncapped FILE: a group from which systemd takes a controller again has no file of it.
uncapped() { [[ ! -e $1 || $(<"$1") == max* ]]; }
no_units() { [[ -z $(systemctl list-units --all --no-legend --plain "$1*") ]]; }
no_groups() { [[ -z $(find /sys/fs/cgroup -type d -name "$1*") ]]; }

@test "systemd runs this machine, and version 2 has the cpu and memory controllers" {
  [[ $(</proc/1/comm) == systemd ]]
  [[ $(stat -fc %T /sys/fs/cgroup) == cgroup2fs ]]
  run cat /sys/fs/cgroup/cgroup.controllers
  has cpu
  has memory
}

@test "up takes systemd by itself, and status says so" {
  run cat "$BATS_FILE_TMPDIR/up.out"
  has 'make the cap: 1 CPU and 1.25 GiB, by systemd'
  run kit status
  exits 0
  lacks 'NOT WELL'
  run kit status --json
  exits 0
  for text in '"by" : "systemd"' '"capped" : true' '"cpus" : 1.0' '"memoryBytes" : 1342177280'; do has "$text"; done
}

@test "the slice and its five units are active, each process in its unit's group and nobody is root" {
  [[ $(systemctl is-active queencell.slice) == active ]]
  for name in "${NAMES[@]}"; do
    [[ $(systemctl is-active "queencell-$name.service") == active ]]
    pid=$(main_pid "$name")
    [[ $(<"/proc/$pid/cgroup") == "0::/queencell.slice/queencell-$name.service" ]]
    [[ $(stat -c %U "/proc/$pid") == queencell ]]
  done
  # Nobody else is in there.
  [[ $(find "$GROUP" -mindepth 1 -type d -name '*.service' | wc -l) == 5 ]]
  [[ -z $(<"$GROUP/cgroup.procs") ]]
}

@test "the kernel has both caps, and no swap to escape into" {
  capped_as '100000 100000' 1342177280
  [[ $(<"$GROUP/memory.swap.max") == 0 ]]
}

@test "the cap on CPU bites: who spins on every CPU is held back to the cap, and the kernel counts it" {
  before=$(event cpu.stat nr_throttled) used_before=$(event cpu.stat usage_usec) began=${EPOCHREALTIME/[.,]/}
  systemd-run --quiet --wait --slice=queencell.slice --unit=spin -p RuntimeMaxSec=4 \
    bash -c 'for ((i = $(nproc); i > 0; i--)); do (while :; do :; done) & done; wait' || true
  after=$(event cpu.stat nr_throttled) used=$(($(event cpu.stat usage_usec) - used_before)) took=$((${EPOCHREALTIME/[.,]/} - began))
  printf '# throttled periods before %s, after %s; CPU used %s ms in %s ms\n' "$before" "$after" $((used / 1000)) $((took / 1000)) >&3
  systemctl reset-failed spin.service 2>/dev/null || true
  if (($(nproc) > 1)); then ((after > before)); fi
  # One CPU, and a period more.
  ((used <= took + 200000))
}

@test "every unit is hardened, as systemd shows it" {
  for name in "${NAMES[@]}"; do
    run systemctl show --all "queencell-$name.service"
    for property in NoNewPrivileges=yes ProtectSystem=strict ProtectHome=read-only PrivateTmp=yes PrivateDevices=yes \
      ProtectKernelTunables=yes ProtectKernelModules=yes ProtectKernelLogs=yes ProtectControlGroups=yes ProtectClock=yes \
      ProtectHostname=yes RestrictSUIDSGID=yes RestrictRealtime=yes LockPersonality=yes SystemCallArchitectures=native \
      CapabilityBoundingSet= AmbientCapabilities= UMask=0077 "ReadWritePaths=$CELL_HOME" User=queencell; do
      grep -qxF -- "$property" <<<"$output" || grep -qxF -- "${property%=*}=$(id -u queencell)" <<<"$output" || {
        printf '%s has not %s but %s\n' "$name" "$property" "$(grep "^${property%=*}=" <<<"$output")" >&2
        return 1
      }
    done
    printf '# %s: %s\n' "$name" "$(systemd-analyze security --no-pager "queencell-$name.service" | tail -n 1)" >&3
  done
}

@test "the hardening is in the processes: no capability, filtered calls, a read-only system, its own /tmp" {
  : >/tmp/of-the-machine
  for name in "${NAMES[@]}"; do
    pid=$(main_pid "$name")
    run cat "/proc/$pid/status"
    grep -qE '^CapEff:\s0+$' <<<"$output"
    grep -qE '^CapBnd:\s0+$' <<<"$output"
    grep -qE '^NoNewPrivs:\s1$' <<<"$output"
    grep -qE '^Seccomp:\s2$' <<<"$output"
    # Fields of mountinfo: the fifth is the place, the sixth its options.
    awk '$5 == "/" {found = $6} END {exit !(found ~ /(^|,)ro(,|$)/)}' "/proc/$pid/mountinfo"
    awk -v home="$CELL_HOME" '$5 == home {found = $6} END {exit !(found ~ /(^|,)rw(,|$)/)}' "/proc/$pid/mountinfo"
    [[ ! -e /proc/$pid/root/tmp/of-the-machine ]]
  done
}

@test "logs are in the home" {
  for name in "${NAMES[@]}"; do [[ -s $CELL_HOME/log/$name.log ]]; done
  run kit logs broker
  exits 0
  has 'ready on http'
}

@test "a killed broker is started again and counted, also twice in a row" {
  first=$(main_pid broker)
  systemctl kill --signal=KILL --kill-who=main queencell-broker.service
  eventually 30 restarted_as_another broker "$first"
  second=$(main_pid broker)
  kill -KILL "$second"
  eventually 30 restarted_as_another broker "$second"
  eventually 60 all_well
  [[ $(shown broker NRestarts) == 2 ]]
  run kit status --json
  has '"restarts" : 2'
}

@test "other caps are in the kernel at once, and no process is restarted" {
  broker=$(main_pid broker) pg=$(main_pid pg)
  run kit up --cell-cpus 1.5 --cell-mem 1.5
  exits 0
  has 'change the caps: now 1.5 CPUs and 1.5 GiB'
  capped_as '150000 100000' 1610612736
  run kit up --cell-cpus 0 --cell-mem 0
  exits 0
  uncapped "$GROUP/cpu.max"
  uncapped "$GROUP/memory.max"
  run kit up --cell-cpus 0.5 --cell-mem 1.25
  exits 0
  capped_as '50000 100000' 1342177280
  [[ $(main_pid broker) == "$broker" && $(main_pid pg) == "$pg" ]]
}

@test "a point under the cap passes, and the kernel counts that it was held back" {
  run "$ROOT/loader.sh" --home "$CELL_HOME" -mode provision -tenants 2
  exits 0
  before=$(event cpu.stat nr_throttled)
  used_before=$(event cpu.stat usage_usec)
  run "$ROOT/runpt.sh" --home "$CELL_HOME" "$BATS_FILE_TMPDIR" on-systemd -- -mode cloud -tenants 2 -partitions 2 \
    -rate $((400 / ${QUEENCELL_PATIENCE:-1})) -duration $((10 * ${QUEENCELL_PATIENCE:-1})) -drain 60
  printf '%s\n' "$output" | sed 's/^/# /' >&3
  exits 0
  has PASS
  after=$(event cpu.stat nr_throttled) used_after=$(event cpu.stat usage_usec)
  printf '# throttled periods before %s, after %s; CPU used meanwhile %s ms\n' "$before" "$after" $(((used_after - used_before) / 1000)) >&3
  ((after > before && used_after > used_before))
  run cat "$BATS_FILE_TMPDIR/on-systemd.summary.json"
  has '"capped" : true'
  run head -n 3 "$BATS_FILE_TMPDIR/on-systemd.cpu.csv"
  has cgroup2
  kit up --cell-cpus 1
}

@test "the cap on memory bites: who asks for more is killed, the cell goes on" {
  kills=$(event memory.events oom_kill)
  run systemd-run --quiet --wait --slice=queencell.slice --unit=hog -p OOMScoreAdjust=1000 -p MemorySwapMax=0 \
    tail --lines=1 --bytes=2000000000 /dev/zero
  [[ $status != 0 ]]
  [[ $(event memory.events oom_kill) -gt $kills ]]
  systemctl reset-failed hog.service 2>/dev/null || true
  eventually 30 all_well
  for name in pg statepg state proxy; do [[ $(shown "$name" NRestarts) == 0 ]]; done
}

@test "every other process comes back from a kill too, and the cell is well again" {
  for name in pg statepg state proxy; do
    before=$(main_pid "$name")
    kill -KILL "$before"
    eventually 60 restarted_as_another "$name" "$before"
    eventually 60 all_well
    [[ $(shown "$name" NRestarts) == 1 ]]
  done
}

@test "a unit that somebody stopped is started by up, the others stay" {
  systemctl stop queencell-proxy.service
  broker=$(main_pid broker)
  run kit status
  exits 3
  run kit up
  exits 0
  has 'start queencell-proxy, which was down'
  [[ $(main_pid broker) == "$broker" ]]
  all_well
}

@test "a second cell, in /home, lives beside the first in a slice of its own" {
  OWN_HOME=$PEOPLE/second-cell
  run own up --port-base 28000 --cell-cpus 2 --cell-mem 1
  exits 0
  has 'by systemd'
  [[ $(<"/sys/fs/cgroup/queencell28000.slice/cpu.max") == '200000 100000' ]]
  all_well "$OWN_HOME"
  all_well
  run own down --purge
  exits 0
  no_units queencell28000
  no_groups queencell28000
  [[ ! -e $OWN_HOME ]]
  all_well
}

@test "a home that the services' user can't reach is refused with the folder in its way" {
  run "$ROOT/vm-cell.sh" up --no-build --home "$CLOSED/cell" --port-base 28000
  exits 1
  has "the services' user 'queencell' can't enter /root"
  no_units queencell28000
  rm -rf "${CLOSED:?}/cell"
}

@test "a service that fails ends the up; no unit, slice or process of it is left" {
  OWN_HOME=/var/lib/failing
  mkdir -p "$OWN_HOME/conf"
  echo 'QUEENCELL_STATE_PORT=none' >"$OWN_HOME/conf/state.local.env"
  run own up --port-base 28000 --cell-cpus 1 --cell-mem 1
  exits 1
  has "QUEENCELL_STATE_PORT is 'none'"
  has 'stopped what this call had started: pg statepg state broker'
  no_units queencell28000
  no_groups queencell28000
  nothing_runs "$OWN_HOME"
  run own status
  exits 4
}

@test "a user without root has a capped cell too, under the manager of its own" {
  useradd --create-home --home-dir "$PEOPLE/somebody" somebody
  loginctl enable-linger somebody
  eventually 30 test -S "/run/user/$(id -u somebody)/bus"
  run as_somebody up --no-build --port-base 28000 --cell-cpus 1 --cell-mem 1
  exits 0
  has '1 CPU and 1 GiB, by systemd'
  group=$(find /sys/fs/cgroup/user.slice -type d -name queencell28000.slice)
  [[ $(<"$group/cpu.max") == '100000 100000' && $(<"$group/memory.max") == 1073741824 ]]
  run as_somebody down --purge
  exits 0
  no_groups queencell28000
  nothing_runs "$PEOPLE/somebody/cell"
  loginctl disable-linger somebody
}

@test "down leaves no unit, slice, group, process or port, and keeps the data" {
  run kit down
  exits 0
  no_units queencell
  no_groups queencell
  nothing_runs "$CELL_HOME"
  [[ -z $(ps -o pid= -u queencell) ]]
  [[ -z $(find /run/systemd -name 'queencell*') ]]
  for port in 5466 5465 6720 6632 6711 6712; do [[ -z $(ss -Hltn "sport = :$port") ]]; done
  run kit status
  exits 4
}

@test "after a down the data is still there, and a purge takes that too" {
  run kit up
  exits 0
  has 'pg kept its data, statepg kept its data'
  has '1 CPU and 1.25 GiB, by systemd'
  run kit down --purge
  exits 0
  [[ ! -e $CELL_HOME ]]
  no_units queencell
  no_groups queencell
}
