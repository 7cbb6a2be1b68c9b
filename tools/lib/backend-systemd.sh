# shellcheck shell=bash
# Runs the cell's processes as transient units of systemd in one slice. Sourced after home.sh,
# account.sh and units.sh. As root the system's manager is used, otherwise the caller's own.

# systemd's own wait before each new start; backoff.sh adds the rest of a longer one.
SYSTEMD_RESTART_MS=200
# Every unit gets these. JVMs write code at run time, so MemoryDenyWriteExecute is not among them.
SYSTEMD_EVERYWHERE=(
  Restart=on-failure "RestartSec=${SYSTEMD_RESTART_MS}ms" StartLimitIntervalSec=0
  CPUAccounting=yes MemoryAccounting=yes IOAccounting=yes TasksAccounting=yes
  NoNewPrivileges=yes UMask=0077 LimitNOFILE=65536 StandardInput=null
  RestrictSUIDSGID=yes RestrictRealtime=yes LockPersonality=yes SystemCallArchitectures=native
)
# These need root's manager.
SYSTEMD_AS_ROOT=(
  CapabilityBoundingSet= AmbientCapabilities= ProtectSystem=strict ProtectHome=read-only
  PrivateDevices=yes ProtectKernelTunables=yes ProtectKernelModules=yes ProtectKernelLogs=yes
  ProtectControlGroups=yes ProtectClock=yes ProtectHostname=yes RestrictNamespaces=yes
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK"
)

sd() {
  if ((EUID == 0)); then systemctl "$@"; else systemctl --user "$@"; fi
}

systemd_unit() { printf '%s-%s.service' "$QUEENCELL_SLICE" "$1"; }
systemd_slice() { printf '%s.slice' "$QUEENCELL_SLICE"; }
systemd_description() { printf 'Queen Cell %s in %s' "$1" "$QUEENCELL_HOME"; }

# systemd_usable: whether a slice made here would be capped; says why not in CAP_WHY.
systemd_usable() {
  local controllers uid=$EUID
  if [[ ! -d ${QUEENCELL_SYSTEMD_MARK:-/run/systemd/system} ]]; then
    CAP_WHY='systemd does not run this machine'
    return 1
  fi
  if ! command -v systemd-run >/dev/null || ! command -v systemctl >/dev/null; then
    CAP_WHY='systemd runs this machine, but systemd-run or systemctl is missing'
    return 1
  fi
  if ((uid == 0)); then
    CAP_WHY='systemd runs this machine'
    return 0
  fi
  if ! systemctl --user show-environment >/dev/null 2>&1; then
    CAP_WHY='systemd runs this machine, but this user has no manager of its own (no login session; see loginctl enable-linger)'
    return 1
  fi
  controllers=$(cat "${QUEENCELL_CGROUP_ROOT:-/sys/fs/cgroup}/user.slice/user-$uid.slice/user@$uid.service/cgroup.controllers" 2>/dev/null || true)
  if [[ " $controllers " != *' cpu '* || " $controllers " != *' memory '* ]]; then
    CAP_WHY="systemd runs this machine, but has not handed the cpu and memory controllers to this user (handed over: ${controllers:-none}; see Delegate= in user@.service)"
    return 1
  fi
  CAP_WHY="systemd runs this machine and hands cpu and memory to this user's manager; without loginctl enable-linger the cell ends with the last session"
}

# systemd_apply_caps: the caps of the one slice, at once, also while it is in use.
systemd_apply_caps() {
  local quota='' memory=infinity out
  if [[ $QUEENCELL_CELL_CPUS != 0 ]]; then quota=$(awk -v n="$QUEENCELL_CELL_CPUS" 'BEGIN {printf "%d%%", n * 100 + 0.5}'); fi
  if [[ $QUEENCELL_CELL_MEM != 0 ]]; then memory=$(cell_mem_bytes); fi
  # On success systemctl may still warn, for example about drop-ins that it wrote itself.
  out=$(sd start "$(systemd_slice)" 2>&1 && sd set-property --runtime "$(systemd_slice)" \
    CPUAccounting=yes MemoryAccounting=yes IOAccounting=yes \
    "CPUQuota=$quota" "MemoryMax=$memory" MemorySwapMax=0 2>&1) ||
    die "systemd refuses the caps: $out" "$(quoted systemctl status "$(systemd_slice)")"
}

# systemd_start NAME: starts what build_unit described. Returns when its program was executed.
systemd_start() {
  local name=$1 property
  local -a run=(systemd-run --quiet "--unit=$(systemd_unit "$name")" "--slice=$(systemd_slice)"
  "--description=$(systemd_description "$name")" --service-type=exec)
  if ((EUID == 0)); then run+=("--uid=$ACCOUNT_UID" "--gid=$ACCOUNT_GID"); else run+=(--user); fi
  for property in "${SYSTEMD_EVERYWHERE[@]}" "${UNIT_SYSTEMD[@]}" \
    "WorkingDirectory=$QUEENCELL_HOME/run" \
    "ExecStartPre=-/bin/bash \"$QUEENCELL_HOME/lib/backoff.sh\" \"$QUEENCELL_HOME/run\" $name $SYSTEMD_RESTART_MS" \
    "StandardOutput=append:$(unit_log "$name")" "StandardError=append:$(unit_log "$name")"; do
    run+=("--property=$property")
  done
  if ((EUID == 0)); then
    for property in "${SYSTEMD_AS_ROOT[@]}" "ReadWritePaths=\"$QUEENCELL_HOME\"" "$(systemd_private_tmp)"; do
      run+=("--property=$property")
    done
  fi
  for property in "${UNIT_ENV[@]}"; do run+=("--setenv=$property"); done
  sd reset-failed "$(systemd_unit "$name")" 2>/dev/null || true
  rm -f -- "$QUEENCELL_HOME/run/$name".{backoff,wait}
  (
    exec 9>&-
    "${run[@]}" -- "${UNIT_ARGV[@]}"
  ) >>"$(unit_log "$name")" 2>&1
}

# A private /tmp would hide a home that lies in it.
systemd_private_tmp() {
  case $QUEENCELL_HOME/ in
    /tmp/* | /var/tmp/*) printf 'PrivateTmp=no' ;;
    *) printf 'PrivateTmp=yes' ;;
  esac
}

# systemd_state NAME: running | restarting | failed | down. A unit of the same name that another
# home started is not ours.
systemd_state() {
  local line active='' sub='' description=''
  while IFS= read -r line; do
    case $line in
      ActiveState=*) active=${line#*=} ;;
      SubState=*) sub=${line#*=} ;;
      Description=*) description=${line#*=} ;;
    esac
  done < <(sd show --property=ActiveState,SubState,Description "$(systemd_unit "$1")" 2>/dev/null)
  if [[ $description != "$(systemd_description "$1")" ]]; then
    printf down
  elif [[ $sub == @(auto-restart*|start-pre) ]]; then
    # Before its program runs a unit only ever waits, here or in systemd.
    printf restarting
  else
    case $active in
      active | activating | reloading | deactivating) printf running ;;
      failed) printf failed ;;
      *) printf down ;;
    esac
  fi
}

systemd_restarts() {
  local count
  count=$(sd show --property=NRestarts --value "$(systemd_unit "$1")" 2>/dev/null) || true
  printf '%d' "${count:-0}"
}

systemd_exit() {
  local text
  text=$(sd show --property=Result,ExecMainStatus --value "$(systemd_unit "$1")" 2>/dev/null | tr '\n' ' ') || true
  printf 'result and status: %s' "${text% }"
}

# systemd_stop NAME: the unit's own first signal, then the others of UNIT_STOP_STEPS to its main
# process; systemd itself kills what is left after TimeoutStopSec.
systemd_stop() {
  local one first=1
  for one in $UNIT_STOP_STEPS; do
    if [[ -n $first ]]; then
      sd stop --no-block "$(systemd_unit "$1")" 2>/dev/null || true
    else
      sd kill --kill-who=main "--signal=${one%:*}" "$(systemd_unit "$1")" 2>/dev/null || true
    fi
    first=''
    if wait_until $((${one#*:} * 1000)) systemd_gone "$1"; then break; fi
  done
  sd reset-failed "$(systemd_unit "$1")" 2>/dev/null || true
}

systemd_gone() { [[ $(systemd_state "$1") == @(down|failed) ]]; }

# systemd_remove: the empty slice goes, and what set-property left.
systemd_remove() {
  sd stop "$(systemd_slice)" 2>/dev/null || true
  sd revert "$(systemd_slice)" >/dev/null 2>&1 || true
}
