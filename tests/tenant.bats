#!/usr/bin/env bats
# tools/tenant.sh on a whole cell, from a tenant's creation to its end. Needs the jars
# (`mvn -DskipTests package`); never builds them.

load kit
load cells

setup_file() {
  load kit
  load cells
  need_jars_built
  BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR open_folder
  export FOLDER CELL_HOME="$FOLDER/a cell" BASE QUEENCELL_AOT=0
  BASE=$(free_port_base)
  kit up --port-base "$BASE" --cap none >"$BATS_FILE_TMPDIR/up.out" 2>&1 || {
    cat "$BATS_FILE_TMPDIR/up.out" >&2
    return 1
  }
}

teardown_file() {
  load kit
  load cells
  kit down --purge >/dev/null 2>&1 || true
}

tenant() { "$ROOT/tools/tenant.sh" --home "$CELL_HOME" "$@"; }

# at_proxy METHOD PATH KEY [BODY]: one call as a tenant; prints the whole answer.
at_proxy() {
  local body=${4:-}
  exec 5<>"/dev/tcp/127.0.0.1/$(setting QUEENCELL_PORT_PROXY)"
  printf '%s %s HTTP/1.1\r\nHost: %s.localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
    "$1" "$2" "${SLUG:-acme}" "$3" "${#body}" "$body" >&5
  cat <&5
  exec 5<&-
}

push() { at_proxy POST /api/v1/push "$1" '{"items":[{"queue":"orders","partition":"p","payload":{"n":1}}]}'; }
answers() { [[ $(push "$1" | head -n 1) == *" $2 "* ]]; }

@test "help, a bad command line and a home without a cell each say what to do" {
  run tenant -h
  exits 0
  has 'tools/tenant.sh create acme'
  run tenant
  exits 2
  run tenant nonsense
  exits 2
  has "no command 'nonsense'"
  run "$ROOT/tools/tenant.sh" --home "$FOLDER/none" list
  exits 1
  has 'no cell in'
}

@test "a tenant is made with a key that works, is seen in tables and JSON, and no secret is on the command line" {
  run tenant create acme --plan dev
  exits 0
  key=$(sed -n 's/^key   *//p' <<<"$output")
  [[ $key =~ ^qk_bench_[A-Za-z0-9_-]{43}$ ]]
  printf '%s' "$key" >"$BATS_FILE_TMPDIR/key"
  run push "$key"
  has ' 201 '
  run tenant list
  has 'acme  active  acme'
  run tenant show acme --json
  has '"plan_code" : "dev"'
}

@test "suspension and resumption take effect at the proxy in under two seconds" {
  key=$(<"$BATS_FILE_TMPDIR/key")
  tenant suspend acme
  eventually 2 answers "$key" 403
  tenant resume acme
  eventually 2 answers "$key" 201
}

@test "a rotated key and its successor both work, and a revoked one stops in under two seconds" {
  key=$(<"$BATS_FILE_TMPDIR/key")
  id=$(tenant keys acme --json | sed -n 's/.*"id" : "\(.*\)".*/\1/p' | head -n 1)
  run tenant rotate "$id" --overlap 600
  exits 0
  next=$(sed -n 's/^key   *//p' <<<"$output")
  run push "$next"
  has ' 201 '
  run push "$key"
  has ' 201 '
  tenant revoke "$id"
  eventually 2 answers "$key" 401
  run push "$next"
  has ' 201 '
  printf '%s' "$next" >"$BATS_FILE_TMPDIR/key"
}

@test "limits, members, usage and the audit trail are at hand" {
  run tenant override acme max_queues=3 max_payload_bytes=unlimited
  exits 0
  has '"max_queues":3'
  run tenant usage acme
  exits 0
  has 'plan dev'
  run tenant audit acme
  has 'api_key_rotated'
  has 'limit_overrides_set'
  run tenant plan acme gold
  exits 1
  has "there is no plan 'gold'"
}

@test "no key is in any log, file of the home or dump of the tenant state" {
  key=$(<"$BATS_FILE_TMPDIR/key")
  run grep -rlaF -- "$key" "$CELL_HOME/log" "$CELL_HOME/conf" "$CELL_HOME/run" "$CELL_HOME/pg" "$CELL_HOME/statepg"
  [[ -z $output ]]
}

@test "a deleted tenant is gone with its messages, and another with the same names keeps its own" {
  key=$(<"$BATS_FILE_TMPDIR/key")
  other=$(tenant create other --plan dev | sed -n 's/^key   *//p')
  SLUG=other run push "$other"
  has ' 201 '
  run tenant delete acme
  exits 2
  has 'say --yes'
  run tenant delete acme --yes
  exits 0
  has 'acme is gone, with 1 cluster'
  eventually 2 answers "$key" 421
  run tenant show acme
  exits 1
  run tenant audit acme
  has 'cluster_purged'
  has '"queues_deleted":1'
  SLUG=other run at_proxy GET '/api/v1/pop/queue/orders?batch=10' "$other"
  has '"messages":[{'
}
