# shellcheck shell=bash
# The cell's control groups: where their folders are, who sits in them, what caps them. The folders
# are made, capped, read and removed by `cell.jar cgroup`; only joining is done here, since a
# process must join before it becomes what it runs. Sourced after home.sh, jars.sh and caps.sh.

CGROUP_V1_CONTROLLERS=(cpu cpuacct memory blkio pids)

# cgroup_mounts: the root folder of every hierarchy a process of the cell has to be put in, one a
# line: v1 has one per controller (or set of them), v2 one in all.
cgroup_mounts() {
  local folder type options one v1='' v2=''
  while read -r _ folder type options _; do
    case $type in
      cgroup2) v2=$folder ;;
      cgroup)
        for one in "${CGROUP_V1_CONTROLLERS[@]}"; do
          if [[ ",$options," == *",$one,"* ]]; then
            v1+=$folder$'\n'
            break
          fi
        done
        ;;
    esac
  done <"${QUEENCELL_MOUNTS:-/proc/self/mounts}"
  if [[ -n $v1 ]]; then printf '%s' "$v1"; elif [[ -n $v2 ]]; then printf '%s\n' "$v2"; fi
}

# cgroup_procs_files UNIT: the files that a process joins the unit's group with; none uncapped.
cgroup_procs_files() {
  local root
  if [[ $QUEENCELL_CAP != cgroup ]]; then return 0; fi
  for root in $(cgroup_mounts); do
    if [[ -d $root/$QUEENCELL_SLICE/$1 ]]; then printf '%s\n' "$root/$QUEENCELL_SLICE/$1/cgroup.procs"; fi
  done
}

# cgroup_pids UNIT: who sits in the unit's group.
cgroup_pids() {
  local -a files
  mapfile -t files < <(cgroup_procs_files "$1")
  if ((${#files[@]} > 0)); then cat -- "${files[@]}" 2>/dev/null | sort -un; fi
}

cgroup_usable() {
  CAP_WHY="control groups made by hand are not wired up yet"
  return 1
}
make_cap() {
  choose_backend "$QUEENCELL_CAP_WANTED"
  name_cgroups
  QUEENCELL_CAPPED=false
}
remove_cap() { :; }
