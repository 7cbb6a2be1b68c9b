# shellcheck shell=bash
# `vm-cell.sh up` on a cell that is up: changes only what differs, and says what. Sourced by
# vm-cell.sh after up.sh.

change_running_cell() {
  local changed=''
  refuse_what_needs_a_restart
  start_what_is_down
  change_caps
  change_enforcement
  if [[ -n $(newer_jars) ]]; then
    note "the jars of $(newer_jars)were built since this cell came up; to run them: down, then up"
  fi
  if [[ -z $changed ]]; then say "the cell in $QUEENCELL_HOME is up already; nothing differs"; fi
}

refuse_what_needs_a_restart() {
  local differs=''
  if [[ -n $OPT_PORT_BASE && $OPT_PORT_BASE != "${QUEENCELL_PORT_BASE:-}" ]]; then differs=--port-base; fi
  if [[ -n $OPT_CAP && $OPT_CAP != "$QUEENCELL_CAP_WANTED" && $OPT_CAP != "$QUEENCELL_CAP" ]]; then differs=--cap; fi
  if [[ -n $OPT_PG ]] && ! same_pg "$OPT_PG"; then differs=--pg; fi
  if [[ -n ${PGSS:-} && $PGSS != "$QUEENCELL_PGSS" ]]; then differs=PGSS; fi
  if [[ -n $differs ]]; then
    die "the cell in $QUEENCELL_HOME is up and can't change its $differs while it runs; take it down first (its data stays)" \
      "$(quoted "$QUEENCELL_ROOT/vm-cell.sh" down --home "$QUEENCELL_HOME")"
  fi
}

# Whether a --pg option means the server that this cell already uses.
same_pg() {
  (
    mode=$QUEENCELL_PG_MODE url=$QUEENCELL_PG_JDBC_URL
    parse_pg "$1"
    if [[ $QUEENCELL_PG_MODE == external ]]; then url_wanted=jdbc:postgresql://$QUEENCELL_PG_HOST:$QUEENCELL_PG_EXTERNAL_PORT/$QUEENCELL_PG_DB; else url_wanted=$url; fi
    [[ $QUEENCELL_PG_MODE == "$mode" && $url_wanted == "$url" ]]
  )
}

start_what_is_down() {
  local name
  for name in $(cell_units); do
    if [[ $("${BACKEND}_state" "$name") != down && $("${BACKEND}_state" "$name") != failed ]]; then continue; fi
    refuse_during_point
    step "start queencell-$name, which was down" start_all "$name"
    changed=1
  done
}

change_caps() {
  local cpus mem
  cpus=$(plain_number "${OPT_CPUS:-$QUEENCELL_CELL_CPUS}") mem=$(plain_number "${OPT_MEM:-$QUEENCELL_CELL_MEM}")
  if [[ $cpus == "$QUEENCELL_CELL_CPUS" && $mem == "$QUEENCELL_CELL_MEM" ]]; then return 0; fi
  if [[ $QUEENCELL_CAP == none ]]; then die "this cell runs without a cap (${QUEENCELL_CAP_WHY}); --cell-cpus and --cell-mem change nothing here"; fi
  refuse_during_point
  QUEENCELL_CELL_CPUS=$cpus QUEENCELL_CELL_MEM=$mem
  step 'change the caps' apply_caps
  write_cell_env
  changed=1
  if [[ $cpus != "$QUEENCELL_PLANNED_CPUS" || $mem != "$QUEENCELL_PLANNED_MEM" ]]; then
    note "heaps, pools and PostgreSQL settings stay those of $(caps_text "$QUEENCELL_PLANNED_CPUS" "$QUEENCELL_PLANNED_MEM") until the next down and up"
  fi
}

change_enforcement() {
  if [[ -z $OPT_ENFORCE || $OPT_ENFORCE == "$QUEENCELL_ENFORCE" ]]; then return 0; fi
  refuse_during_point
  QUEENCELL_ENFORCE=$OPT_ENFORCE
  step "restart queencell-proxy with --enforce $OPT_ENFORCE" restart_unit proxy
  write_cell_env
  changed=1
}

restart_unit() {
  stop_unit "$1"
  start_all "$1"
}
