# shellcheck shell=bash
# `vm-cell.sh down`: stops what runs, in reverse order, and removes what only a running cell needs.
# Sourced by vm-cell.sh.

# What `--purge` removes; nothing else in the home is ours. The tenants of tenants.json go with statepg.
PURGED=(pg statepg lib conf log run secrets spool tenants.json cell.env up .lock)

cmd_down() {
  local name i
  local -a names
  resolve_home "$OPT_HOME"
  if [[ ! -d $QUEENCELL_HOME ]]; then
    say "no cell in $QUEENCELL_HOME"
    return 0
  fi
  if ! [[ -f $QUEENCELL_HOME/cell.env || -d $QUEENCELL_HOME/secrets ]]; then die "$QUEENCELL_HOME is no cell's home; nothing in it is touched"; fi
  lock_home
  if [[ -e $QUEENCELL_HOME/up || -n $OPT_PURGE ]]; then refuse_during_point; fi
  if load_cell_env && [[ -e $QUEENCELL_HOME/up ]]; then
    refuse_other_users_cell
    set_backend
    use_cells_jdk
    mapfile -t names < <(cell_units)
    for ((i = ${#names[@]} - 1; i >= 0; i--)); do
      name=${names[i]}
      step "stop queencell-$name" stop_unit_noting "$name"
    done
    remove_cap
    rm -f -- "$QUEENCELL_HOME/up"
  else
    say "the cell in $QUEENCELL_HOME is down already"
  fi
  if [[ -n $OPT_PURGE ]]; then step 'remove the data' purge_home; fi
}

# The one who brought it up is the one who can signal its processes.
refuse_other_users_cell() {
  ACCOUNT=$QUEENCELL_SERVICE_USER
  if ! ACCOUNT_UID=$(id -u "$ACCOUNT" 2>/dev/null) || ! ACCOUNT_GID=$(id -g "$ACCOUNT"); then die "the services' user '$ACCOUNT' does not exist any more"; fi
  if ((EUID != 0 && EUID != ACCOUNT_UID)); then die "the cell in $QUEENCELL_HOME belongs to '$ACCOUNT'; take it down as that user or as root"; fi
}

# What the cell runs on is good enough to take it down.
use_cells_jdk() {
  JAVA=$QUEENCELL_JDK/bin/java
  if [[ ! -x $JAVA ]]; then find_jdk; fi
}

stop_unit_noting() {
  if [[ $("${BACKEND}_state" "$1") == down ]]; then STEP_NOTE='was down'; fi
  stop_unit "$1"
  if [[ $("${BACKEND}_state" "$1") == running ]]; then die "it does not end" "$(logs_command "$1")"; fi
}

purge_home() {
  local one
  for one in "${PURGED[@]}"; do rm -rf -- "${QUEENCELL_HOME:?}/$one"; done
  if ! rmdir -- "$QUEENCELL_HOME" 2>/dev/null; then STEP_NOTE="other files in $QUEENCELL_HOME stay"; fi
}
