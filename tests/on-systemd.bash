# shellcheck shell=bash disable=SC2034,SC2154
# What the kernel says of a slice, in the files of whichever version of control groups this machine has.
# Loaded after kit.bash by the tests on a real systemd.

GROUPS_ROOT=/sys/fs/cgroup

# version: of the control groups that have the cpu controller.
version() { if [[ $(stat -fc %T "$GROUPS_ROOT") == cgroup2fs ]]; then echo 2; else echo 1; fi; }

# of_cpu SLICE and of_memory SLICE: the slice's folder.
of_cpu() { if [[ $(version) == 2 ]]; then echo "$GROUPS_ROOT/$1"; else echo "$GROUPS_ROOT/cpu/$1"; fi; }
of_memory() { if [[ $(version) == 2 ]]; then echo "$GROUPS_ROOT/$1"; else echo "$GROUPS_ROOT/memory/$1"; fi; }

# event FILE KEY: a number of a flat keyed file.
event() { awk -v key="$2" '$1 == key {print $2}' "$1"; }

# cpu_cap SLICE: microseconds of each 100 ms, or none. A group from which systemd takes a controller
# again has no file of it.
cpu_cap() {
  local quota=max period=100000 folder
  folder=$(of_cpu "$1")
  if [[ -e $folder/cpu.max ]]; then
    read -r quota period <"$folder/cpu.max"
  elif [[ -e $folder/cpu.cfs_quota_us ]]; then
    quota=$(<"$folder/cpu.cfs_quota_us") period=$(<"$folder/cpu.cfs_period_us")
  fi
  case $quota in max | -1) echo none ;; *) echo $((quota * 100000 / period)) ;; esac
}

# memory_cap SLICE: bytes, or none.
memory_cap() {
  local bytes=max folder
  folder=$(of_memory "$1")
  if [[ -e $folder/memory.max ]]; then
    bytes=$(<"$folder/memory.max")
  elif [[ -e $folder/memory.limit_in_bytes ]]; then
    bytes=$(<"$folder/memory.limit_in_bytes")
  fi
  # Version 1 writes no cap as the greatest number of whole pages.
  if [[ $bytes == max ]] || ((bytes > 1 << 60)); then echo none; else echo "$bytes"; fi
}

# capped_as SLICE CPU-CAP MEMORY-CAP
capped_as() {
  if [[ $(cpu_cap "$1")/$(memory_cap "$1") != "$2/$3" ]]; then
    printf 'the kernel has %s us and %s bytes, not %s and %s\n' "$(cpu_cap "$1")" "$(memory_cap "$1")" "$2" "$3" >&2
    return 1
  fi
}

throttled_periods() { event "$(of_cpu "$1")/cpu.stat" nr_throttled; }
# used_us SLICE: nothing where systemd counts no use: on version 1 with cpu and cpuacct apart it makes
# the group in cpu alone.
used_us() {
  if [[ $(version) == 2 ]]; then
    event "$GROUPS_ROOT/$1/cpu.stat" usage_usec
  elif [[ -e $GROUPS_ROOT/cpuacct/$1/cpuacct.usage ]]; then
    echo $(($(<"$GROUPS_ROOT/cpuacct/$1/cpuacct.usage") / 1000))
  fi
}
# memory_refusals SLICE: how often its cap on memory was in the way. Version 1 counts kills only where
# the killed process was, and refused charges at the cap.
memory_refusals() { if [[ $(version) == 2 ]]; then event "$GROUPS_ROOT/$1/memory.events" oom_kill; else cat "$GROUPS_ROOT/memory/$1/memory.failcnt"; fi; }

# in_group PID PATH: whether every controller that caps, and systemd, has the process there.
in_group() {
  local controller
  if [[ $(version) == 2 ]]; then
    [[ $(<"/proc/$1/cgroup") == "0::$2" ]]
  else
    for controller in cpu memory name=systemd; do grep -qE "^[0-9]+:([a-z_,]*,)?$controller(,[a-z_,]*)?:$2\$" "/proc/$1/cgroup" || return 1; done
  fi
}

no_groups() { [[ -z $(find "$GROUPS_ROOT" -type d -name "$1*") ]]; }

# machine_line: what this machine is, for the record.
machine_line() {
  printf '# %s; %s; control groups of version %s (%s)\n' "$(uname -r)" "$(systemctl --version | head -n 1)" "$(version)" \
    "$(cat "$GROUPS_ROOT/cgroup.controllers" 2>/dev/null || find "$GROUPS_ROOT" -mindepth 1 -maxdepth 1 -printf '%f ')"
}
