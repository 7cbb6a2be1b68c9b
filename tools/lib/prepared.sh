# shellcheck shell=bash
# Whether an `up` finds everything as an earlier one left it: PostgreSQL unpacked, the budget divided,
# the settings in both data directories. Each of these takes a JVM half a second of CPU, which the
# start of a cell of one CPU would feel. Sourced after caps.sh and postgres.sh.
#
# conf/prepared holds what they were made from and a digest of each file that they made; any
# difference, also in a file that somebody changed or removed, has everything made again.

# The data directories' owner could have put a pipe there.
DIGEST_S=5

prepared_record() { printf '%s/conf/prepared' "$QUEENCELL_HOME"; }

# scripts_digest: of those that write some of the settings themselves.
scripts_digest() { (cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && sha256sum -- up.sh postgres.sh prepared.sh); }

# prepared_text: what the record would be now; fails when a file is missing.
prepared_text() {
  local name
  local -a made=()
  for name in $(cell_units); do
    case $name in
      pg | statepg) made+=("conf/$name.conf" "$name"/{PG_VERSION,postgresql.conf,queencell.conf}) ;;
      *) made+=("conf/$name".{jvm,plan.env}) ;;
    esac
  done
  # The data directories are their server's to change: nothing but a file may make this one wait.
  for name in "${made[@]}"; do
    if [[ ! -f $QUEENCELL_HOME/$name || -L $QUEENCELL_HOME/$name ]]; then return 1; fi
  done
  printf '%s\n' "cell: $QUEENCELL_CELL_CPUS $QUEENCELL_CELL_MEM $QUEENCELL_PG_MODE $QUEENCELL_PGSS $QUEENCELL_PORT_PG $QUEENCELL_PORT_STATEPG $ACCOUNT" \
    "caches: ${QUEENCELL_CACHE:-} ${XDG_CACHE_HOME:-}" "machine: $(nproc)"
  # A container's own limit on CPU counts for the JVM that divides the budget.
  cat /sys/fs/cgroup/cpu.max "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/cpu.max" /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null || true
  scripts_digest
  grep '^MemTotal:' /proc/meminfo
  stat -c '%n %s %Y' -- "$QUEENCELL_PG_BIN/postgres" "$QUEENCELL_HOME/lib/cell.jar" 2>/dev/null && (cd -- "$QUEENCELL_HOME" && timeout "$DIGEST_S" sha256sum -- "${made[@]}" 2>/dev/null)
}

is_prepared() {
  local now
  [[ -n ${QUEENCELL_PG_BIN:-} && -r $(prepared_record) ]] && now=$(prepared_text) && [[ $now == "$(<"$(prepared_record)")" ]]
}

note_prepared() {
  local now
  now=$(prepared_text) || return 0
  write_file "$(prepared_record)" 0600 <<<"$now"
}

# keep_prepared: the step that stands for those that are left out.
keep_prepared() {
  local name
  QUEENCELL_PLANNED_CPUS=$QUEENCELL_CELL_CPUS QUEENCELL_PLANNED_MEM=$QUEENCELL_CELL_MEM
  for name in $(cell_units); do
    if [[ $name == pg || $name == statepg ]]; then STEP_NOTE+="$name kept its data, "; fi
  done
  STEP_NOTE+="settings for $(caps_asked) as an earlier up made them"
}
