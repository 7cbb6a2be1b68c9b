#!/usr/bin/env bash
# What an operator does with tenants: make, look, limit, key, bill, end. Where the tenant state is and
# the token that opens it come from the cell's home, so that nobody types a secret.
set -euo pipefail
SAY_AS=tenant.sh
LIB=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/lib
for part in say home jdk account secrets jars; do
  # shellcheck source=/dev/null # each is checked on its own
  source "$LIB/$part.sh"
done

usage() {
  cat <<'END'
Usage: tools/tenant.sh [--home DIR] COMMAND … [--json]

  create SLUG [--name TEXT] [--cluster SLUG] [--plan CODE] [--cell SLUG] [--email ADDRESS]
         [--password-file FILE]     a tenant with a cluster and a key, which is shown this once
  list                              all tenants
  show SLUG                         a tenant and its clusters
  plans                             what plans there are
  plan CLUSTER CODE                 move a cluster to another plan
  override CLUSTER LIMIT=VALUE …    VALUE is a number, 'unlimited', or 'plan' for the plan's own;
                                    --clear drops all overrides first
  grace | suspend | resume SLUG     a tenant's status: no pushes, nothing, everything
  block | unblock CLUSTER           pushes of one cluster
  key CLUSTER [--name TEXT] [--scopes produce,consume,admin,read]
  keys CLUSTER                      keys and their lives
  rotate KEY-ID [--overlap SECONDS] a new key; the old one works through the overlap (a day)
  revoke KEY-ID                     takes effect at once
  user SLUG EMAIL [--password-file FILE]
                                    an account in a tenant
  member CLUSTER EMAIL ROLE         admin, producer, consumer, viewer, or none
  members CLUSTER
  usage SLUG [--month 2026-11]      the numbers of an invoice
  audit SLUG [--rows N]             what was done, newest first
  enforce on | off | default        limits for all proxies; default: each one's own setting
  purge SLUG --yes                  shut out, and remove all messages at the broker
  delete SLUG --yes [--force]       purge, then forget; --force forgets without a purge

--home is the cell's home (default $QUEENCELL_HOME, else .cell beside the scripts). --json prints the
answer instead of a table. Exit codes: 0 done, 1 refused or failed, 2 bad command line.

Example: tools/tenant.sh create acme --plan dev --email ann@acme.example
END
}

home=''
words=()
while (($# > 0)); do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --home)
      if (($# < 2)) || [[ -z $2 ]]; then die "--home needs a folder" "tools/tenant.sh -h"; fi
      home=$2
      shift
      ;;
    --home=*) home=${1#--home=} ;;
    *) words+=("$1") ;;
  esac
  shift
done
if ((${#words[@]} == 0)); then
  usage >&2
  exit 2
fi
resolve_home "$home"
need_cell
find_jdk
# The jar that the cell runs, else the one that was built.
jar=$QUEENCELL_HOME/lib/state-db.jar
if [[ ! -r $jar ]]; then jar=$(jar_path state-db); fi
if [[ ! -r $jar ]]; then die "no state-db.jar in the cell, and none is built" "$(quoted "$QUEENCELL_ROOT/vm-cell.sh" up)"; fi
token=$(secret_file admin-token)
if [[ ! -r $token ]]; then die "can't read $token; only the user that the cell runs as, and root, can"; fi
exec "$JAVA" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx128m -cp "$jar" dev.queencell.state.cli.TenantCommand \
  --state-url "$QUEENCELL_STATE_URL" --admin-token-file "$token" "${words[@]}"
