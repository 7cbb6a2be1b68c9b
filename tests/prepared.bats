#!/usr/bin/env bats
# When an `up` takes over what an earlier one prepared. Nothing runs here but the shell.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

# A home as an `up` leaves it, as far as the record looks.
setup() {
  open_folder
  mkdir -p "$FOLDER"/{conf,lib,pg,statepg,bin}
  touch "$FOLDER"/conf/{pg,statepg}.conf "$FOLDER"/conf/{state,broker,proxy}.{jvm,plan.env} "$FOLDER/bin/postgres" "$FOLDER/lib/cell.jar"
  for name in pg statepg; do touch "$FOLDER/$name"/{PG_VERSION,postgresql.conf,queencell.conf}; done
}

# prepared COMMANDS…: notes what is there, runs them, and tells what the next `up` would do.
prepared() {
  run kit_shell "QUEENCELL_HOME='$FOLDER' QUEENCELL_PG_BIN='$FOLDER/bin' QUEENCELL_PG_MODE=embedded QUEENCELL_PGSS=0 ACCOUNT=somebody
    QUEENCELL_CELL_CPUS=1 QUEENCELL_CELL_MEM=4 QUEENCELL_PORT_PG=1 QUEENCELL_PORT_STATEPG=2
    note_prepared; $1; if is_prepared; then echo kept; else echo 'made again'; fi"
  exits 0
}

@test "a home as it was left is kept" {
  prepared :
  [[ $output == kept ]]
}

@test "another budget, port, mode or user has everything made again" {
  for other in QUEENCELL_CELL_CPUS=2 QUEENCELL_CELL_MEM=8 QUEENCELL_PORT_PG=3 QUEENCELL_PORT_STATEPG=3 QUEENCELL_PG_MODE=system QUEENCELL_PGSS=1 ACCOUNT=nobody QUEENCELL_CACHE=/elsewhere 'nproc() { echo 1000; }'; do
    prepared "$other"
    [[ $output == 'made again' ]]
  done
}

@test "a file that was changed, removed or replaced by a link has everything made again" {
  for change in 'echo x >>"$QUEENCELL_HOME/conf/broker.jvm"' 'rm "$QUEENCELL_HOME/conf/pg.conf"' 'rm "$QUEENCELL_HOME/pg/PG_VERSION"' \
    'rm "$QUEENCELL_HOME/statepg/queencell.conf"; mkfifo "$QUEENCELL_HOME/statepg/queencell.conf"' \
    'ln -sf /dev/zero "$QUEENCELL_HOME/pg/queencell.conf"'; do
    setup
    prepared "$change"
    [[ $output == 'made again' ]]
    rm -rf "$FOLDER"
  done
}

@test "other programs have everything made again" {
  prepared 'echo x >>"$QUEENCELL_HOME/bin/postgres"'
  [[ $output == 'made again' ]]
  prepared 'echo x >>"$QUEENCELL_HOME/lib/cell.jar"'
  [[ $output == 'made again' ]]
  prepared 'scripts_digest() { echo other scripts; }'
  [[ $output == 'made again' ]]
}

@test "a home without a record, or without programs, is made again" {
  prepared 'rm "$(prepared_record)"'
  [[ $output == 'made again' ]]
  prepared 'unset QUEENCELL_PG_BIN'
  [[ $output == 'made again' ]]
}

@test "an existing server for the messages leaves the tenants' one to look at" {
  rm -r "$FOLDER/pg"
  prepared :
  [[ $output == 'made again' ]]
  prepared 'QUEENCELL_PG_MODE=external; note_prepared'
  [[ $output == kept ]]
}
