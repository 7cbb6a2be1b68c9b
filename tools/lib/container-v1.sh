# shellcheck shell=bash
# A private systemd with control groups of version 1, without a container engine: namespaces, and in
# every hierarchy a folder that systemd takes for the root. Not a boundary of security. Sourced after
# say.sh by tools/test-systemd.sh.
#
# The kernel's settings and /sys are read-only in it, or its systemd would write those of the machine.

CONTAINER_CONTROLLERS=(cpu cpuacct cpuset memory devices freezer blkio pids)
CONTAINER_HIERARCHIES=("${CONTAINER_CONTROLLERS[@]}" systemd unified)
CONTAINER_NAME=queencell-systemd-test-$$
CONTAINER_GROUPS=/sys/fs/cgroup
CONTAINER_REMOVE_MS=10000

# container_refused: why there can't be one here; nothing where there can.
container_refused() {
  local one
  for one in "${CONTAINER_CONTROLLERS[@]}"; do
    if ! mkdir -p -- "$CONTAINER_GROUPS/$one/$CONTAINER_NAME" 2>/dev/null; then
      printf '%s of version 1 is not at %s, or not writable' "$one" "$CONTAINER_GROUPS/$one"
      break
    fi
  done
  container_groups_remove || true
}

# container_boot SYSTEM KIT SCRATCH: becomes the container. What it writes goes to SCRATCH.
container_boot() {
  local one root=$3/root
  mkdir -p -- "$root" "$3"/{upper,work}
  for one in "${CONTAINER_HIERARCHIES[@]}"; do
    mkdir -p -- "$CONTAINER_GROUPS/$one/$CONTAINER_NAME"
    if [[ $one == cpuset ]]; then
      for file in cpuset.cpus cpuset.mems; do cat -- "$CONTAINER_GROUPS/cpuset/$file" >"$CONTAINER_GROUPS/cpuset/$CONTAINER_NAME/$file"; done
      echo 1 >"$CONTAINER_GROUPS/cpuset/$CONTAINER_NAME/cgroup.clone_children"
    fi
    echo "$BASHPID" >"$CONTAINER_GROUPS/$one/$CONTAINER_NAME/cgroup.procs"
  done
  exec unshare --cgroup --mount --propagation private --uts --ipc --net --pid --fork --kill-child=SIGKILL \
    bash -euc "$(declare -f container_init); container_init \"\$@\"" container "$root" "$1" "$2" "$3" "${CONTAINER_CONTROLLERS[@]}"
}

# container_init ROOT SYSTEM KIT SCRATCH CONTROLLER…: the first process in the namespaces.
container_init() {
  local root=$1 kit=$3 one words
  mount -t overlay -o "lowerdir=$2,upperdir=$4/upper,workdir=$4/work" overlay "$root"
  shift 4
  mount --bind -o ro "$kit" "$root/kit"
  mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,bind,ro "$root/proc/sys"
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
  mount -t tmpfs -o mode=755,nosuid,nodev,noexec cgroup "$root/sys/fs/cgroup"
  for one in "$@"; do
    mkdir "$root/sys/fs/cgroup/$one"
    mount -t cgroup -o "nosuid,nodev,noexec,$one" cgroup "$root/sys/fs/cgroup/$one"
  done
  mkdir "$root/sys/fs/cgroup/systemd"
  mount -t cgroup -o nosuid,nodev,noexec,none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
  mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
  for one in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
    read -r -a words <<<"$one"
    mknod -m 666 "$root/dev/${words[0]}" c "${words[1]}" "${words[2]}"
  done
  mkdir "$root"/dev/{pts,shm}
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/dev/shm"
  ln -s /proc/self/fd "$root/dev/fd"
  for one in 'stdin 0' 'stdout 1' 'stderr 2'; do ln -s "fd/${one#* }" "$root/dev/${one% *}"; done
  : >"$root/dev/console"
  mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$root/run"
  mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/tmp"
  ip link set lo up
  hostname cell-test
  cd "$root" || return
  mkdir run/oldroot
  pivot_root . run/oldroot
  umount -l /run/oldroot
  rmdir /run/oldroot
  cd /
  exec env -i container=queencell PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 /lib/systemd/systemd --system --log-target=journal
}

# container_groups_remove: what an ended container left in the hierarchies, the deepest first.
container_groups_remove() { wait_until "$CONTAINER_REMOVE_MS" container_groups_gone; }
container_groups_gone() {
  local one status=0
  for one in "${CONTAINER_HIERARCHIES[@]}"; do
    one=$CONTAINER_GROUPS/$one/$CONTAINER_NAME
    if [[ -d $one ]]; then find "$one" -depth -type d -exec rmdir -- {} + 2>/dev/null || status=1; fi
  done
  return "$status"
}
