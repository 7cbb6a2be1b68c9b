# shellcheck shell=bash
# The cell's secrets: made at random by the first `up`, a file each, readable by the services' user
# and nobody else. Sourced after home.sh and account.sh.

SECRET_NAMES=(admin-token edge-token session-secret pg-password statepg-password)
SECRET_BYTES=32

secret_file() { printf '%s/secrets/%s' "$QUEENCELL_HOME" "$1"; }

# make_secrets: writes the ones that are missing; those that exist stay, since databases know them.
make_secrets() {
  local name file
  for name in "${SECRET_NAMES[@]}"; do
    file=$(secret_file "$name")
    if [[ -s $file ]]; then continue; fi
    od -An -v -tx1 -N "$SECRET_BYTES" /dev/urandom | tr -d ' \n' | write_file "$file" 0600
    own "$file"
  done
}
