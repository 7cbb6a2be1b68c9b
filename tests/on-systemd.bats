#!/usr/bin/env bats
# A whole cell on a real systemd: what the kernel and systemd say, not what they were asked. Runs as
# root where QUEENCELL_ON_SYSTEMD=1 says that this machine is for it, as in the machines of
# tools/test-systemd.sh; skipped elsewhere. Needs the jars. Those tagged short are a cell's way from up
# through a measured point to down.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit
load cells
load on-systemd

NAMES=(pg statepg state broker proxy)
SLICE=queencell.slice
# A cap that can bite: on a machine of one CPU a whole one is none.
CAP_CPUS=1 CAP_US=100000 CAP_TEXT='1 CPU'
if (($(nproc) == 1)); then CAP_CPUS=0.5 CAP_US=50000 CAP_TEXT='0.5 CPUs'; fi
# Where people have their folders, and the one that is closed to others.
PEOPLE=/home
CLOSED=/root

# The cell of all tests here, with the usual ports and caches that its first up makes.
setup_file() {
  if [[ ${QUEENCELL_ON_SYSTEMD:-0} != 1 ]]; then return 0; fi
  load kit
  load cells
  load on-systemd
  need_jars_built
  export CELL_HOME=/var/lib/queencell
  machine_line >&3
  take_no_time_to_optimise
  kit up --cell-cpus "$CAP_CPUS" --cell-mem 1.25 2>&1 | tee "$BATS_FILE_TMPDIR/up.out" | sed -u 's/^/# /' >&3
  [[ ${PIPESTATUS[0]} == 0 ]]
}

setup() { if [[ ${QUEENCELL_ON_SYSTEMD:-0} != 1 ]]; then skip 'not a machine for it; tools/test-systemd.sh makes one'; fi; }

OWN_HOME=''
teardown() {
  if [[ -n $OWN_HOME && -d $OWN_HOME ]]; then "$ROOT/vm-cell.sh" down --purge --home "$OWN_HOME" >/dev/null 2>&1 || true; fi
  if [[ ${QUEENCELL_ON_SYSTEMD:-0} == 1 && -d $PEOPLE/somebody/cell ]]; then as_somebody down --purge >/dev/null 2>&1 || true; fi
}

# On a slow machine a short run ends before the optimising compiler has earned its time.
take_no_time_to_optimise() {
  if ((${QUEENCELL_PATIENCE:-1} > 1)); then
    mkdir -p "$CELL_HOME/conf"
    for service in state broker proxy; do echo 'JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1' >"$CELL_HOME/conf/$service.local.env"; done
  fi
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
no_units() { [[ -z $(systemctl list-units --all --no-legend --plain "$1*") ]]; }

# bats test_tags=short
@test "systemd runs this machine, and the kernel has the cpu and memory controllers" {
  [[ $(</proc/1/comm) == systemd ]]
  if [[ $(version) == 2 ]]; then
    run cat "$GROUPS_ROOT/cgroup.controllers"
    has cpu
    has memory
  else
    [[ -e $GROUPS_ROOT/cpu/cpu.stat && -e $GROUPS_ROOT/memory/memory.stat ]]
  fi
}

# bats test_tags=short
@test "up takes systemd by itself, and status says so" {
  run cat "$BATS_FILE_TMPDIR/up.out"
  has "make the cap: $CAP_TEXT and 1.25 GiB, by systemd"
  run kit status
  exits 0
  lacks 'NOT WELL'
  run kit status --json
  exits 0
  for text in '"by" : "systemd"' '"capped" : true' "\"cpus\" : $(awk -v c="$CAP_CPUS" 'BEGIN {printf "%.1f", c}')" '"memoryBytes" : 1342177280'; do has "$text"; done
}

# bats test_tags=short
@test "the slice and its five units are active, each process in its unit's group and nobody is root" {
  [[ $(systemctl is-active queencell.slice) == active ]]
  for name in "${NAMES[@]}"; do
    [[ $(systemctl is-active "queencell-$name.service") == active ]]
    pid=$(main_pid "$name")
    in_group "$pid" "/$SLICE/queencell-$name.service"
    [[ $(stat -c %U "/proc/$pid") == queencell ]]
  done
  # Nobody else is in there.
  [[ $(find "$(of_cpu "$SLICE")" -mindepth 1 -type d -name '*.service' | wc -l) == 5 ]]
  [[ -z $(<"$(of_cpu "$SLICE")/cgroup.procs") && -z $(<"$(of_memory "$SLICE")/cgroup.procs") ]]
}

# bats test_tags=short
@test "the kernel has both caps, and no swap to escape into" {
  printf '# %s of 100000 us and %s bytes\n' "$(cpu_cap "$SLICE")" "$(memory_cap "$SLICE")" >&3
  capped_as "$SLICE" "$CAP_US" 1342177280
  # On version 1 systemd has no setting for swap.
  if [[ $(version) == 2 ]]; then [[ $(<"$GROUPS_ROOT/$SLICE/memory.swap.max") == 0 ]]; fi
}

# bats test_tags=short
@test "the cap on CPU bites: who spins on every CPU is held back to the cap, and the kernel counts it" {
  before=$(throttled_periods "$SLICE") began=${EPOCHREALTIME/[.,]/}
  # What it used itself, in whole seconds and thousandths: not every machine counts that per group.
  used=$(systemd-run --quiet --wait --pipe --slice=queencell.slice --unit=spin \
    bash -c 'for ((i = $(nproc); i > 0; i--)); do timeout 4 bash -c "while :; do :; done" & done; wait; times' | sed -n '2s/^\([0-9]*\)m\([0-9]*\)[.,]\([0-9]*\)s.*/\1 \2 \3/p')
  read -r minutes seconds thousandths <<<"$used"
  used=$((minutes * 60000 + 10#$seconds * 1000 + 10#$thousandths)) took=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
  after=$(throttled_periods "$SLICE") allowed=$((took * CAP_US / 100000))
  printf '# throttled periods before %s, after %s; who spins used %s ms in %s ms\n' "$before" "$after" "$used" "$took" >&3
  # The cap, and a period more.
  ((used > 0 && used <= allowed + 200))
  if ((after == before && used < allowed * 8 / 10)); then
    : >"$BATS_FILE_TMPDIR/starved"
    skip "others left so little of this machine that the cap was never reached"
  fi
  ((after > before))
}

# bats test_tags=short
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

# bats test_tags=short
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

# bats test_tags=short
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
  capped_as "$SLICE" 150000 1610612736
  run kit up --cell-cpus 0 --cell-mem 0
  exits 0
  capped_as "$SLICE" none none
  run kit up --cell-cpus 0.5 --cell-mem 1.25
  exits 0
  capped_as "$SLICE" 50000 1342177280
  [[ $(main_pid broker) == "$broker" && $(main_pid pg) == "$pg" ]]
}

# bats test_tags=short
@test "a point under the cap passes, and where it asks for more than that the kernel counts it" {
  run "$ROOT/loader.sh" --home "$CELL_HOME" -mode provision -tenants 2
  exits 0
  before=$(throttled_periods "$SLICE") used_before=$(used_us "$SLICE") rate=400 duration=10
  # A slow machine is asked for little: that it can do what a usual one does is no matter here.
  if ((${QUEENCELL_PATIENCE:-1} > 1)); then rate=5 duration=20; fi
  run "$ROOT/runpt.sh" --home "$CELL_HOME" "$BATS_FILE_TMPDIR" on-systemd -- -mode cloud -tenants 2 -partitions 2 \
    -rate "$rate" -duration "$duration" -drain $((60 * ${QUEENCELL_PATIENCE:-1})) -timeout $((QUEENCELL_PATIENCE > 1 ? 300000 : 30000))
  printf '%s\n' "$output" | sed 's/^/# /' >&3
  exits 0
  has PASS
  after=$(throttled_periods "$SLICE") used_after=$(used_us "$SLICE")
  printf '# throttled periods before %s, after %s; CPU used before %s us, after %s us\n' "$before" "$after" \
    "${used_before:-not counted}" "${used_after:-not counted}" >&3
  # A cell that never gets as much as its cap is not held back by it, nor one that is asked for little:
  # that the cap bites has been seen above.
  [[ -e $BATS_FILE_TMPDIR/starved ]] || ((${QUEENCELL_PATIENCE:-1} > 1)) || ((after > before))
  if [[ -n $used_after ]]; then ((used_after > used_before)); fi
  run cat "$BATS_FILE_TMPDIR/on-systemd.summary.json"
  has '"capped" : true'
  run head -n 3 "$BATS_FILE_TMPDIR/on-systemd.cpu.csv"
  # Where systemd counts no use, the processes do.
  if [[ -n $used_after ]]; then has "cgroup$(version)"; else has ',proc,'; fi
}

@test "the cap on memory bites: who asks for more is killed, the cell goes on" {
  refusals=$(memory_refusals "$SLICE")
  run systemd-run --quiet --wait --slice=queencell.slice --unit=hog -p OOMScoreAdjust=1000 -p StandardOutput=null \
    bash -c 'cat /dev/zero | tail --bytes=2000000000'
  # A failed unit would keep the slice known to systemd after the cell has gone.
  systemctl reset-failed hog.service 2>/dev/null || true
  [[ $status != 0 ]]
  [[ $(memory_refusals "$SLICE") -gt $refusals ]]
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
  capped_as queencell28000.slice 200000 1073741824
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

@test "a user without root has a cell too: capped under the manager of its own, or told loudly that it can't be" {
  useradd --create-home --home-dir "$PEOPLE/somebody" somebody
  loginctl enable-linger somebody
  eventually 30 test -S "/run/user/$(id -u somebody)/bus"
  run as_somebody up --no-build --port-base 28000 --cell-cpus 1 --cell-mem 1
  printf '%s\n' "$output" | sed 's/^/# /' >&3
  exits 0
  if [[ $(version) == 2 ]]; then
    has '1 CPU and 1 GiB, by systemd'
    group=$(find "$GROUPS_ROOT/user.slice" -type d -name queencell28000.slice)
    capped_as "${group#"$GROUPS_ROOT/"}" 100000 1073741824
  else
    # On version 1 systemd hands no controllers to users.
    has 'THIS CELL RUNS UNCAPPED'
    has 'has not handed the cpu and memory controllers to this user'
    no_groups queencell28000
    run as_somebody status --json
    exits 0
    has '"capped" : false'
  fi
  run as_somebody down --purge
  exits 0
  no_groups queencell28000
  nothing_runs "$PEOPLE/somebody/cell"
  loginctl disable-linger somebody
}

# bats test_tags=short
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
  has 'GiB, by systemd'
  # The home remembers the caps.
  capped_as "$SLICE" "$(awk -v c="$(setting QUEENCELL_CELL_CPUS)" 'BEGIN {print c * 100000}')" 1342177280
  run kit down --purge
  exits 0
  [[ ! -e $CELL_HOME ]]
  no_units queencell
  no_groups queencell
}
