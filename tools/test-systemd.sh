#!/usr/bin/env bash
# Tests `vm-cell.sh --cap systemd` on a real systemd. For control groups of version 2, on any machine:
# boots a small virtual machine that is made of Debian packages, with the built kit on a disk of its
# own, and runs tests/on-systemd*.bats in it. What the test prints comes back over the serial console.
# For version 1, on a machine that has it: the same in a container, without emulation.
set -euo pipefail
SAY_AS=tools/test-systemd.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk account jars container-v1; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

# What the machine has beyond a minimal Debian; the kernel is the one without drivers for real hardware.
GUEST_KERNEL=linux-image-cloud-amd64
GUEST_PACKAGES=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,procps,iproute2,udev,kmod,bats
GUEST_DISK_MB=3000
GUEST_MEM_MIN_GIB=2
# User-mode Linux runs programs at the machine's own speed on one CPU; its system calls are slow.
USER_MODE_PATIENCE=5
# Emulation is about 13 times slower than the machine that it runs on.
EMULATED_PATIENCE=15
EMULATED_DEADLINE_MIN=240
USER_MODE_DEADLINE_MIN=120
KVM_DEADLINE_MIN=30
KVM_FIRST_WORDS_MS=15000
CONSOLE_LINES_SHOWN=25

usage() {
  cat <<'END'
Usage: tools/test-systemd.sh [OPTIONS]

Boots a virtual machine with systemd and cgroup v2, brings a cell up in it and checks caps, units,
hardening, restarts and what is left after down. Exits 0 when every check passed, 1 otherwise.

  --container     cgroup v1 in a container in place of the virtual machine, where this machine has v1
  --work DIR      where the machine's disks are kept, about 4 GiB  (default /var/tmp/queencell-systemd)
  --accel HOW     kvm; uml (User-mode Linux, one CPU, a few times slower); tcg (emulation, slow);
                  or auto, the first of them that works             (default auto)
  --mem GIB       memory of the machine                             (default 3)
  --cpus N        CPUs of the machine                               (default 2)
  --deadline MIN  minutes until the machine is given up             (default 30; uml 120, tcg 240)
  --suite NAME    release of Debian in the machine                  (default: this machine's, else bookworm)
  --sources FILE  apt's sources for it                              (default: this machine's)
  --short         only a cell's way from up through a measured point to down, and the backend
                  with small programs
  --only TEXT     only the checks whose sentence matches TEXT
  --fresh         make the system's disk anew
  -h, --help      this text

QUEENCELL_PATIENCE=N multiplies the deadlines in the machine, for a host that has others to serve.

Needs root (for the disk's files), mmdebstrap, mke2fs, qemu-system-x86_64 or linux.uml (a container
none of the last three), the built jars and a JDK that the machine gets a copy of. The system's disk is made once and kept; a run changes nothing on it.

Example: tools/test-systemd.sh --accel kvm
END
}

# whole OPTION VALUE MIN MAX
whole() {
  if ! [[ $2 =~ ^[0-9]{1,5}$ ]] || ((10#$2 < $3 || 10#$2 > $4)); then die "$1 is '$2'; it takes a whole number from $3 to $4"; fi
}

parse_options() {
  WORK=/var/tmp/queencell-systemd ACCEL=auto MEM_GIB=3 CPUS=2 DEADLINE_MIN='' SUITE='' SOURCES='' ONLY='' SHORT='' FRESH='' CONTAINER=''
  while (($# > 0)); do
    if [[ $1 == --*=* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
    case $1 in
      --work | --accel | --mem | --cpus | --deadline | --suite | --sources | --only)
        if [[ $# -lt 2 || -z $2 ]]; then die "$1 needs a value" "$SAY_AS -h"; fi
        ;;&
      --work) WORK=$2 ;;
      --accel) ACCEL=$2 ;;
      --mem) MEM_GIB=$2 ;;
      --cpus) CPUS=$2 ;;
      --deadline) DEADLINE_MIN=$2 ;;
      --suite) SUITE=$2 ;;
      --sources) SOURCES=$2 ;;
      --only) ONLY=$2 ;;
      --short) SHORT=1 ;;
      --container) CONTAINER=1 ;;
      --fresh) FRESH=1 ;;
      -h | --help)
        usage
        exit 0
        ;;
      *) die "no option '$1'" "$SAY_AS -h" ;;
    esac
    if [[ $1 != @(--fresh|--short|--container) ]]; then shift; fi
    shift
  done
  case $ACCEL in auto | kvm | uml | tcg) ;; *) die "--accel is '$ACCEL'; it takes auto, kvm, uml or tcg" ;; esac
  whole --mem "$MEM_GIB" "$GUEST_MEM_MIN_GIB" 1024
  whole --cpus "$CPUS" 1 256
  if [[ -n $DEADLINE_MIN ]]; then whole --deadline "$DEADLINE_MIN" 1 10000; fi
  if [[ $WORK != /* ]]; then WORK=$PWD/$WORK; fi
}

# need_tools: everything that is missing, in one message.
need_tools() {
  local one missing=''
  local -a tools=(mmdebstrap:mmdebstrap flock:util-linux)
  if [[ -n $CONTAINER ]]; then
    tools+=(unshare:util-linux ip:iproute2)
  elif [[ $ACCEL == uml ]] || { [[ $ACCEL == auto ]] && command -v linux.uml >/dev/null; }; then
    tools+=(mke2fs:e2fsprogs linux.uml:user-mode-linux)
  else
    tools+=(mke2fs:e2fsprogs qemu-system-x86_64:qemu-system-x86)
  fi
  for one in "${tools[@]}"; do
    if ! command -v "${one%:*}" >/dev/null; then missing+=" ${one%:*} (package ${one#*:}),"; fi
  done
  if [[ $(uname -m) != x86_64 ]]; then die "this machine is a $(uname -m); the virtual machine's system is made for x86_64 only"; fi
  if [[ -n $missing ]]; then die "missing:${missing%,}; install what is missing"; fi
  if ((EUID != 0)); then die 'only root can make the files of the disks; run it as root'; fi
  if [[ -n $CONTAINER ]]; then
    one=$(container_refused)
    if [[ -n $one ]]; then die "--container can't be used here: $one"; fi
  fi
}

choose_accel() {
  if [[ -n $CONTAINER ]]; then
    ACCEL=none GUEST_PATIENCE=$PATIENCE STEP_NOTE='none needed'
    : "${DEADLINE_MIN:=$KVM_DEADLINE_MIN}"
    return 0
  fi
  if [[ $ACCEL == @(auto|kvm) ]]; then
    if [[ -w /dev/kvm ]] && kvm_works; then
      ACCEL=kvm
    elif [[ $ACCEL == kvm ]]; then
      die "--accel kvm can't be used here: /dev/kvm is missing, closed to this user, or does not run a usual kernel" "$(quoted ls -l /dev/kvm)"
    elif command -v linux.uml >/dev/null; then
      ACCEL=uml
    else
      ACCEL=tcg
    fi
  fi
  if [[ $ACCEL == uml ]]; then
    GUEST_PATIENCE=$((USER_MODE_PATIENCE * PATIENCE)) CPUS=1
    : "${DEADLINE_MIN:=$USER_MODE_DEADLINE_MIN}"
    STEP_NOTE='uml, one CPU'
  elif [[ $ACCEL == tcg ]]; then
    GUEST_PATIENCE=$((EMULATED_PATIENCE * PATIENCE))
    : "${DEADLINE_MIN:=$EMULATED_DEADLINE_MIN}"
    STEP_NOTE="tcg, an emulation: expect an hour or more"
  else
    GUEST_PATIENCE=$PATIENCE
    : "${DEADLINE_MIN:=$KVM_DEADLINE_MIN}"
    STEP_NOTE=kvm
  fi
  if ((GUEST_PATIENCE > PATIENCE_MAX)); then GUEST_PATIENCE=$PATIENCE_MAX; fi
}

# kvm_works: whether the machine's kernel says its first words under it. That the device is there and
# opens tells nothing: some of them run only kernels that were made for them.
kvm_works() {
  local log=$WORK/kvm.log status=1 probe
  if ! command -v qemu-system-x86_64 >/dev/null; then return 1; fi
  machine kvm 1 512 "$log" panic=-1 earlyprintk=ttyS0 >"$log.qemu" 2>&1 </dev/null &
  probe=$!
  if wait_until "$KVM_FIRST_WORDS_MS" kernel_spoke_or_gone "$log" "$probe" && kernel_spoke "$log"; then status=0; fi
  kill -KILL "$probe" 2>/dev/null || true
  wait "$probe" 2>/dev/null || true
  return "$status"
}

kernel_spoke() { grep -qs 'Linux version' -- "$1"; }
kernel_spoke_or_gone() { kernel_spoke "$1" || process_ended "$2"; }

# machine ACCEL CPUS MEM-MB CONSOLE-LOG KERNEL-WORD… [-- QEMU-OPTION…]: becomes the machine.
machine() {
  local accel=$1 cpus=$2 mem_mb=$3 log=$4 words=''
  # A processor as the host has it, without what a nested host can't hand on.
  local -a cpu=(-accel kvm -cpu "host,-arch-capabilities")
  if [[ $accel == tcg ]]; then cpu=(-accel "tcg,thread=multi,tb-size=512" -cpu max); fi
  shift 4
  while (($# > 0)) && [[ $1 != -- ]]; do
    words+=" $1"
    shift
  done
  shift || true
  exec qemu-system-x86_64 -machine q35 "${cpu[@]}" -smp "$cpus" -m "$mem_mb" -nodefaults -no-user-config -display none \
    -no-reboot -monitor none -serial "file:$log" -kernel "$WORK/vmlinuz" -initrd "$WORK/initrd.img" -append "console=ttyS0$words" "$@"
}

# choose_sources: SUITE and SOURCES, this machine's own where it is a Debian.
choose_sources() {
  local file id='' codename=''
  # shellcheck source=/dev/null
  id=$(. /etc/os-release && printf '%s' "${ID:-}") codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  if [[ -n $SOURCES ]]; then
    if [[ ! -r $SOURCES ]]; then die "--sources: can't read '$SOURCES'"; fi
  elif [[ $id == debian && ${SUITE:-$codename} == "$codename" ]]; then
    for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
      if [[ -s $file ]]; then
        SOURCES=$file
        break
      fi
    done
  fi
  if [[ -z $SUITE ]]; then if [[ $id == debian ]]; then SUITE=$codename; else SUITE=bookworm; fi; fi
}

# guest_unit OUTPUT: the unit that runs the checks and then turns the machine off, whatever came out.
guest_unit() {
  cat <<END
[Unit]
Description=The checks on the kit's disk
RequiresMountsFor=/kit
After=dbus.service systemd-logind.service systemd-user-sessions.service
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
TimeoutStartSec=infinity
EnvironmentFile=/kit/environment
ExecStart=/kit/check
StandardInput=null
StandardOutput=$1
StandardError=$1
TTYPath=/dev/ttyS0
[Install]
WantedBy=multi-user.target
END
}

# system_key: what the kept disk was made from.
system_key() { { printf '%s\n' "$SUITE" "$GUEST_KERNEL" "$GUEST_PACKAGES" "$GUEST_DISK_MB" && declare -f guest_unit make_system make_system_disk; } | cksum; }

# system_kept NAME: whether WORK/NAME can be taken as it is; else it is removed.
system_kept() {
  if [[ -z $FRESH && -e $WORK/$1 && $(cat -- "$WORK/$1.key" 2>/dev/null) == "$(system_key)" ]]; then
    STEP_NOTE="kept ($SUITE)"
    return 0
  fi
  rm -rf -- "$WORK/${1:?}" "$WORK/$1.key"
  return 1
}

# make_system FOLDER PACKAGES OUTPUT: the files of a system that runs the checks.
make_system() {
  local folder=$1 log=$WORK/system.log
  if ! mmdebstrap --variant=minbase "--include=$2" "$SUITE" "$folder" ${SOURCES:+"$SOURCES"} >"$log" 2>&1; then
    die_with_log 'mmdebstrap failed' "$log" "$(quoted cat "$log")"
  fi
  guest_unit "$3" >"$folder/etc/systemd/system/kit-check.service"
  mkdir -- "$folder/kit"
  mkdir -p -- "$folder/etc/systemd/system.conf.d"
  printf '[Manager]\nDefaultTimeoutStartSec=1h\n' >"$folder/etc/systemd/system.conf.d/patience.conf"
  printf 'cell-test\n' >"$folder/etc/hostname"
  chroot "$folder" systemctl --quiet enable kit-check.service
  # The console is for the checks alone, and nothing needs to be updated.
  chroot "$folder" systemctl --quiet mask serial-getty@ttyS0.service getty@tty1.service apt-daily.timer apt-daily-upgrade.timer systemd-timesyncd.service
}

make_system_disk() {
  local log=$WORK/system.log folder=$WORK/system
  if system_kept system.img; then return 0; fi
  rm -rf -- "${folder:?}"
  make_system "$folder" "$GUEST_KERNEL,$GUEST_PACKAGES" tty
  # An emulated machine takes its time, and who can't boot has nobody at its console.
  printf 'LABEL=kit /kit ext4 ro,noatime,x-systemd.device-timeout=0 0 0\n' >"$folder/etc/fstab"
  printf '[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/usr/bin/systemctl poweroff --force\n' >"$folder/etc/systemd/system/emergency.service"
  cp -L -- "$folder/vmlinuz" "$WORK/vmlinuz"
  cp -L -- "$folder/initrd.img" "$WORK/initrd.img"
  mke2fs -q -t ext4 -m 0 -d "$folder" "$WORK/system.img" "${GUEST_DISK_MB}M" >>"$log" 2>&1 || die_with_log 'mke2fs failed' "$log" "$(quoted cat "$log")"
  rm -rf -- "${folder:?}"
  system_key >"$WORK/system.img.key"
  STEP_NOTE=$SUITE
}

make_container_system() {
  if system_kept container; then return 0; fi
  make_system "$WORK/container" "$GUEST_PACKAGES" append:/var/log/checks
  system_key >"$WORK/container.key"
  STEP_NOTE=$SUITE
}

# make_kit_disk: the scripts, their tests, the jars and the JDK, as they are now.
make_kit_disk() {
  local folder=$WORK/kit module log=$WORK/kit.log
  rm -rf -- "${folder:?}" "$WORK/kit.img"
  mkdir -p -- "$folder"/{repository,jdk}
  cp -r -- "$QUEENCELL_ROOT"/*.sh "$QUEENCELL_ROOT"/{tools,tests} "$folder/repository/"
  for module in "${JAR_MODULES[@]}"; do
    mkdir -p -- "$folder/repository/$module/target"
    cp -- "$(jar_path "$module")" "$folder/repository/$module/target/"
  done
  # What a distribution links from elsewhere comes along; what only builds software stays.
  tar -C "$QUEENCELL_JDK" --exclude=./jmods --exclude=./demo --exclude=./man --exclude=./lib/src.zip -chf - . | tar -C "$folder/jdk" --no-same-owner -xf -
  cat >"$folder/environment" <<END
LANG=C.UTF-8
HOME=/root
JAVA_HOME=/kit/jdk
QUEENCELL_ON_SYSTEMD=1
QUEENCELL_PATIENCE=$GUEST_PATIENCE
END
  # Training for fast starts takes a slow machine longer than it saves.
  if [[ $ACCEL == @(uml|tcg) || ${QUEENCELL_AOT:-1} == 0 ]]; then printf 'QUEENCELL_AOT=0\n' >>"$folder/environment"; fi
  cat >"$folder/check" <<END
#!/bin/bash
exec bats --tap --timing ${SHORT:+--filter-tags short }$(if [[ -n $ONLY ]]; then printf -- '--filter %q ' "$ONLY"; fi)/kit/repository/tests/on-systemd-backend.bats /kit/repository/tests/on-systemd.bats
END
  chmod 0755 -- "$folder/check"
  chmod -R a+rX -- "$folder"
  STEP_NOTE="JDK $(jdk_release "$QUEENCELL_JDK")"
  if [[ -n $CONTAINER ]]; then return 0; fi
  mke2fs -q -t ext4 -m 0 -L kit -d "$folder" "$WORK/kit.img" "$(($(du -sm -- "$folder" | cut -f1) * 12 / 10 + 64))M" >"$log" 2>&1 || die_with_log 'mke2fs failed' "$log" "$(quoted cat "$log")"
  rm -rf -- "${folder:?}"
}

# become_machine: the disks stay as they are: what the machine writes goes to temporary files.
become_machine() {
  if [[ $ACCEL == uml ]]; then become_user_mode_machine; fi
  TMPDIR=$WORK machine "$ACCEL" "$CPUS" "$((MEM_GIB * 1024))" "$WORK/console.log" \
    root=/dev/vda rootfstype=ext4 rw quiet systemd.show_status=0 mitigations=off -- \
    -drive "file=$WORK/system.img,if=virtio,format=raw,snapshot=on,cache=unsafe" \
    -drive "file=$WORK/kit.img,if=virtio,format=raw,readonly=on"
}

# Its console takes pipes and terminals, no files. Its memory is a file that it removes at once.
become_user_mode_machine() {
  rm -rf -- "${WORK:?}"/{scratch.cow,uml}
  TMPDIR=$WORK exec linux.uml "mem=${MEM_GIB}G" "ubda=$WORK/scratch.cow,$WORK/system.img" "ubdbr=$WORK/kit.img" "umid=machine" "uml_dir=$WORK/uml" \
    root=/dev/ubda rootfstype=ext4 rw quiet systemd.show_status=0 con=null con0=null,fd:2 ssl0=null,fd:1 > >(exec cat >"$WORK/console.log") 2> >(exec cat)
}

# become_container: what it writes is kept until the next run, for a look.
become_container() {
  rm -rf -- "${WORK:?}/scratch"
  mkdir -p -- "$WORK/scratch/upper/var/log"
  chmod 0755 -- "$WORK/scratch" "$WORK"/scratch/upper{,/var{,/log}}
  ln -- "$WORK/console.log" "$WORK/scratch/upper/var/log/checks"
  container_boot "$WORK/container" "$WORK/kit" "$WORK/scratch"
}

# boot: runs the machine until it turns itself off, and shows what the checks say meanwhile.
boot() {
  local status=0
  rm -f -- "$WORK/console.log"
  : >"$WORK/console.log"
  if [[ -n $CONTAINER ]]; then become_container; else become_machine; fi >"$WORK/machine.log" 2>&1 </dev/null 9>&- &
  MACHINE_PID=$!
  tail -n +1 -s 0.2 -f --pid="$MACHINE_PID" -- "$WORK/console.log" 2>/dev/null | checks_said &
  if ! wait_until "$((DEADLINE_MIN * 60000))" process_ended "$MACHINE_PID"; then
    die_with_log "the machine was not done after $DEADLINE_MIN minutes" "$WORK/console.log" "$(quoted cat "$WORK/console.log")"
  fi
  wait "$MACHINE_PID" 2>/dev/null || status=$?
  MACHINE_PID=''
  wait
  # A container that turns itself off is killed by the kernel.
  if [[ -z $CONTAINER ]] && ((status != 0)); then die_with_log "the machine ended with status $status" "$WORK/machine.log" "$(quoted cat "$WORK/console.log")"; fi
}

process_ended() { [[ ! -d /proc/$1 ]] || grep -q '^State:.*zombie' "/proc/$1/status" 2>/dev/null; }

# checks_said: the lines of the checks among those of the console.
checks_said() { sed -u -n -e 's/\r//g' -e '/^\(1\.\.[0-9]\|ok \|not ok \|#\)/p'; }

judge() {
  local planned passed failed skipped
  checks_said <"$WORK/console.log" >"$WORK/result.txt"
  planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$WORK/result.txt" | head -n 1)
  passed=$(grep -c '^ok ' "$WORK/result.txt" || true) failed=$(grep -c '^not ok ' "$WORK/result.txt" || true)
  skipped=$(grep -c '^ok .* # skip' "$WORK/result.txt" || true)
  if [[ -z $planned || $planned == 0 ]]; then
    SAY_LOG_LINES=$CONSOLE_LINES_SHOWN
    die_with_log 'no check ran' "$WORK/console.log" "$(quoted cat "$WORK/console.log")"
  fi
  say "$((passed - skipped)) passed, $failed failed, $skipped could not be tried here"
  if ((failed > 0)); then die "failed: $(sed -n 's/^not ok \(.*\)$/\1/p' "$WORK/result.txt" | paste -sd ';')" "$(quoted cat "$WORK/result.txt")"; fi
  if ((passed != planned)); then die "only $passed of $planned checks came to an end" "$(quoted cat "$WORK/console.log")"; fi
}

end_machine() {
  # unshare holds every softer signal back.
  if [[ -n ${MACHINE_PID:-} ]]; then kill -"$(if [[ -n $CONTAINER ]]; then echo KILL; else echo TERM; fi)" "$MACHINE_PID" 2>/dev/null || true; fi
  if [[ -n $CONTAINER ]]; then container_groups_remove || note "groups of the container are left: $CONTAINER_GROUPS/*/$CONTAINER_NAME"; fi
}

parse_options "$@"
need_tools
mkdir -p -- "$WORK" || die "can't make $WORK"
exec 9>>"$WORK/.lock"
flock -n 9 || die "another run is using $WORK; give this one a --work of its own"
# The parts of the kit that build and find jars speak of a home.
QUEENCELL_HOME=$WORK
trap end_machine EXIT
trap 'exit 130' INT TERM
step 'find a JDK' find_jdk
step 'look at the jars' need_jars no-build
choose_sources
if [[ -n $CONTAINER ]]; then
  step 'make the system of the container' make_container_system
else
  step 'make the disk of the system' make_system_disk
fi
step 'choose the acceleration' choose_accel
step 'make the disk of the kit' make_kit_disk
if [[ -n $CONTAINER ]]; then say "boot; what the checks say is in $WORK/console.log"; else say "boot with $CPUS CPUs and $MEM_GIB GiB; the whole console is in $WORK/console.log"; fi
boot
judge
