# shellcheck shell=bash
# One cap on CPU and one on memory for the whole cell: which of systemd, hand-made control groups
# and nothing carries them here, and what the kernel says is in force. Sourced after home.sh and
# jars.sh.

CELL_CPUS_DEFAULT=2
CELL_MEM_DEFAULT=8
# Below these the five processes don't fit; `cell.jar plan` is tested down to them.
CELL_CPUS_MIN=0.5
CELL_MEM_MIN=1
CELL_CPUS_MAX=1024
CELL_MEM_MAX=4096

# number_in VALUE MIN MAX: whether it is 0 or a plain decimal number within the limits.
number_in() {
  [[ $1 =~ ^[0-9]{1,6}(\.[0-9]{1,3})?$ ]] && awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN {exit !(v == 0 || (v >= lo && v <= hi))}'
}

# plain_number VALUE: the one way to write it (1.50 and 01.5 become 1.5), so that texts compare.
plain_number() { awk -v v="$1" 'BEGIN {s = sprintf("%.3f", v); sub(/\.?0+$/, "", s); print s}'; }

check_cell_cpus() {
  if ! number_in "$1" "$CELL_CPUS_MIN" "$CELL_CPUS_MAX"; then die "--cell-cpus is '$1'; it takes a number of CPUs from $CELL_CPUS_MIN to $CELL_CPUS_MAX, fractions allowed, or 0 for no cap"; fi
}

check_cell_mem() {
  if ! number_in "$1" "$CELL_MEM_MIN" "$CELL_MEM_MAX"; then die "--cell-mem is '$1'; it takes GiB from $CELL_MEM_MIN to $CELL_MEM_MAX, fractions allowed, no unit, or 0 for no cap"; fi
}

machine_mem_gib() { awk '/^MemTotal:/ {printf "%.2f", $2 / 1048576}' /proc/meminfo; }
cell_mem_bytes() { awk -v g="$QUEENCELL_CELL_MEM" 'BEGIN {printf "%.0f", g * 1073741824}'; }

# default_caps: what a cell gets when nobody says: 2 CPUs and 8 GiB, less on a smaller machine.
default_caps() {
  local cpus
  cpus=$(nproc)
  QUEENCELL_CELL_CPUS=$((cpus < CELL_CPUS_DEFAULT ? cpus : CELL_CPUS_DEFAULT))
  QUEENCELL_CELL_MEM=$(awk -v g="$(machine_mem_gib)" -v d="$CELL_MEM_DEFAULT" -v lo="$CELL_MEM_MIN" \
    'BEGIN {m = int(g * 1.5) / 2; if (m > d) m = d; if (m < lo) m = lo; print m}')
}

# choose_backend WANTED: sets QUEENCELL_CAP (systemd, cgroup or none), BACKEND and CAP_WHY.
choose_backend() {
  local wanted=$1 why_not_systemd
  case $wanted in
    systemd)
      systemd_usable || die "--cap systemd can't be used here: $CAP_WHY"
      QUEENCELL_CAP=systemd
      ;;
    cgroup)
      cgroup_usable || die "--cap cgroup can't be used here: $CAP_WHY"
      QUEENCELL_CAP=cgroup
      ;;
    none) QUEENCELL_CAP=none CAP_WHY='asked for' ;;
    auto)
      if systemd_usable; then
        QUEENCELL_CAP=systemd
      else
        why_not_systemd=$CAP_WHY
        if cgroup_usable; then QUEENCELL_CAP=cgroup; else QUEENCELL_CAP=none; fi
        CAP_WHY="$why_not_systemd; $CAP_WHY"
      fi
      ;;
  esac
  set_backend
}

set_backend() { if [[ $QUEENCELL_CAP == systemd ]]; then BACKEND=systemd; else BACKEND=supervised; fi; }

# The names that the kernel's groups have below the root of the hierarchy; the samplers read them.
name_cgroups() {
  local name
  case $QUEENCELL_CAP in
    cgroup)
      QUEENCELL_CGROUP=$QUEENCELL_SLICE
      for name in "${UNITS[@]}"; do printf -v "QUEENCELL_CGROUP_${name^^}" '%s/%s' "$QUEENCELL_SLICE" "$name"; done
      ;;
    systemd)
      QUEENCELL_CGROUP=$(sd show --property=ControlGroup --value "$(systemd_slice)" | sed 's:^/::')
      for name in "${UNITS[@]}"; do printf -v "QUEENCELL_CGROUP_${name^^}" '%s/%s' "$QUEENCELL_CGROUP" "$(systemd_unit "$name")"; done
      ;;
    none)
      QUEENCELL_CGROUP=''
      for name in "${UNITS[@]}"; do printf -v "QUEENCELL_CGROUP_${name^^}" ''; done
      ;;
  esac
}

plan() { cell_jar plan --cpus "$QUEENCELL_CELL_CPUS" --mem "$QUEENCELL_CELL_MEM" "$@"; }

caps_asked() { caps_text "$QUEENCELL_CELL_CPUS" "$QUEENCELL_CELL_MEM"; }

# caps_text CPUS MEM: as a person says it.
caps_text() {
  local cpus="$1 CPUs" mem="$2 GiB"
  case $1 in
    0) cpus='no cap on CPU' ;;
    1) cpus='1 CPU' ;;
  esac
  if [[ $2 == 0 ]]; then mem='no cap on memory'; fi
  printf '%s and %s' "$cpus" "$mem"
}
