# shellcheck shell=bash
# Puts the cap in place, changes it and takes it away again, whoever carries it. The kernel's files
# are written and read by `cell.jar cgroup`; only joining a group is done here, since a process must
# join before it becomes what it runs. Sourced after caps.sh and backend-systemd.sh.

# `UNIT FILE` lines: where a process writes its number to join the unit's group.
cgroup_join_list() { printf '%s/conf/cgroup.join' "$QUEENCELL_HOME"; }

# cgroup_usable: whether groups can be made and capped by hand; says why, or why not, in CAP_WHY.
cgroup_usable() { CAP_WHY=$(cell_jar cgroup detect 2>&1); }

# make_cap: decides who carries the cap, makes it, and reads it back from the kernel.
make_cap() {
  local fell_back=''
  choose_backend "$QUEENCELL_CAP_WANTED"
  if [[ $QUEENCELL_CAP == systemd ]] && ! make_systemd_cap; then
    if [[ $QUEENCELL_CAP_WANTED != auto ]]; then die "systemd took the caps, but the kernel does not have them: $CAPS_DIFFER" "$(quoted systemctl status "$(systemd_slice)")"; fi
    # A container may show systemd control groups that it can't write.
    fell_back="systemd took the caps, but the kernel does not have them ($CAPS_DIFFER)"
    systemd_remove
    if cgroup_usable; then QUEENCELL_CAP=cgroup; else QUEENCELL_CAP=none; fi
    CAP_WHY="$fell_back; $CAP_WHY"
    set_backend
  fi
  if [[ $QUEENCELL_CAP == cgroup ]]; then make_cgroup_cap; fi
  name_cgroups
  QUEENCELL_CAP_WHY=${CAP_WHY//\'/’}
  note_capped
  STEP_NOTE="$(caps_asked), by $QUEENCELL_CAP"
  if [[ $QUEENCELL_CAP == none ]]; then
    STEP_NOTE=none
    note "*** THIS CELL RUNS UNCAPPED ($CAP_WHY): nothing measured on it is a capped number ***"
  fi
}

make_cgroup_cap() {
  local out
  out=$(cell_jar cgroup create --name "$QUEENCELL_SLICE" --cpus "$QUEENCELL_CELL_CPUS" --mem "$QUEENCELL_CELL_MEM" 2>&1) ||
    die "$out"
  write_file "$(cgroup_join_list)" 0644 <<<"$out"
}

make_systemd_cap() {
  systemd_apply_caps
  name_cgroups
  caps_hold
}

# apply_caps: other numbers for a cap that is in use.
apply_caps() {
  local out
  if [[ $QUEENCELL_CAP == systemd ]]; then
    systemd_apply_caps
    caps_hold || die "systemd took the caps, but the kernel does not have them: $CAPS_DIFFER"
  else
    out=$(cell_jar cgroup caps --name "$QUEENCELL_CGROUP" --cpus "$QUEENCELL_CELL_CPUS" --mem "$QUEENCELL_CELL_MEM" 2>&1) || die "$out"
  fi
  note_capped
  STEP_NOTE="now $(caps_asked)"
}

# caps_hold: whether the kernel has the numbers that were asked for; else CAPS_DIFFER says what it has.
caps_hold() {
  local key value cpus='' memory=''
  while read -r key value; do
    case $key in
      cpus) cpus=${value/none/0} ;;
      memoryBytes) memory=${value/none/0} ;;
    esac
  done < <(cell_jar cgroup caps --name "$QUEENCELL_CGROUP" 2>/dev/null)
  CAPS_DIFFER="it has ${cpus:-unknown} CPUs and ${memory:-unknown} bytes, not $QUEENCELL_CELL_CPUS and $(cell_mem_bytes); 0 is no cap"
  # The kernel rounds memory down to whole pages.
  [[ -n $cpus && -n $memory ]] && awk -v c="$cpus" -v cw="$QUEENCELL_CELL_CPUS" -v m="$memory" -v mw="$(cell_mem_bytes)" \
    'BEGIN {exit !((c - cw) ^ 2 < 0.0002 && (m - mw) ^ 2 <= 65536 ^ 2)}'
}

note_capped() {
  QUEENCELL_CAPPED=true
  if [[ $QUEENCELL_CAP == none || $QUEENCELL_CELL_CPUS/$QUEENCELL_CELL_MEM == 0/0 ]]; then QUEENCELL_CAPPED=false; fi
}

remove_cap() {
  local out
  case $QUEENCELL_CAP in
    systemd) systemd_remove ;;
    cgroup)
      out=$(cell_jar cgroup remove --name "$QUEENCELL_SLICE" 2>&1) || note "$out"
      rm -f -- "$(cgroup_join_list)"
      ;;
  esac
}

# cgroup_procs_files UNIT: the files that a process joins the unit's group with; none uncapped.
cgroup_procs_files() {
  local unit file
  if [[ $QUEENCELL_CAP != cgroup ]]; then return 0; fi
  while read -r unit file; do
    if [[ $unit == "$1" ]]; then printf '%s\n' "$file"; fi
  done <"$(cgroup_join_list)"
}

# cgroup_pids UNIT: who sits in the unit's group.
cgroup_pids() {
  local -a files
  mapfile -t files < <(cgroup_procs_files "$1")
  if ((${#files[@]} > 0)); then cat -- "${files[@]}" 2>/dev/null | sort -un; fi
}
