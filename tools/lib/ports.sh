# shellcheck shell=bash
# Ports and the few HTTP calls that the kit makes itself. Sourced after say.sh. Uses bash's own
# sockets, so that a machine needs no curl.

PORT_NAMES=(PG STATEPG STATE BROKER PROXY PROXY_ADMIN)
PORT_DEFAULTS=(5466 5465 6720 6632 6711 6712)
PORT_BASE_MIN=1024
PORT_BASE_MAX=65530

# set_ports [BASE]: QUEENCELL_PORT_… from the base, or the default ones.
set_ports() {
  local base=${1:-} i
  for i in "${!PORT_NAMES[@]}"; do
    if [[ -n $base ]]; then
      printf -v "QUEENCELL_PORT_${PORT_NAMES[i]}" '%d' "$((base + i))"
    else
      printf -v "QUEENCELL_PORT_${PORT_NAMES[i]}" '%d' "${PORT_DEFAULTS[i]}"
    fi
  done
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# port_owner PORT: who listens there, as far as this user may see; empty when unknown.
port_owner() {
  if command -v ss >/dev/null; then
    ss -Hltnp "sport = :$1" 2>/dev/null | sed -n 's/.*users:((\("[^"]*",pid=[0-9]*\).*/\1/p' | head -n 1
  fi
}

# need_free_ports NAME…: dies naming every port that is taken.
need_free_ports() {
  local name port owner taken=''
  for name in "$@"; do
    port=QUEENCELL_PORT_$name port=${!port}
    if port_taken "$port"; then
      owner=$(port_owner "$port")
      taken+="${taken:+, }$port for ${name,,}${owner:+ (held by $owner)}"
    fi
  done
  if [[ -n $taken ]]; then
    die "port taken: $taken; stop what holds it or give this cell other ports with --port-base" "ss -ltnp"
  fi
}

HTTP_TIMEOUT_S=$((10 * PATIENCE))

# http METHOD PORT PATH [HEADER] [BODY]: one call to 127.0.0.1. Sets HTTP_STATUS (0: no answer) and
# HTTP_BODY. Only for the cell's own services, whose answers are short and have a length.
http() {
  HTTP_STATUS=0 HTTP_BODY=''
  local http_fd
  if { exec {http_fd}<>"/dev/tcp/127.0.0.1/$2"; } 2>/dev/null; then
    # Lengths count bytes, and a service that dies in between is "no answer", not a broken pipe.
    LC_ALL=C http_talk "$http_fd" "$@" 2>/dev/null || true
    exec {http_fd}>&-
  fi
}

http_talk() {
  local fd=$1 method=$2 port=$3 path=$4 header=${5:-} body=${6:-} line length=0
  (
    trap '' PIPE
    printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n%s' "$method" "$path" "$port" "${header:+$header$'\r\n'}"
    printf 'Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "${#body}" "$body"
  ) >&"$fd" || return 0
  IFS= read -r -t "$HTTP_TIMEOUT_S" line <&"$fd" || return 0
  if [[ ! $line =~ ^HTTP/1\.[01]\ ([0-9]{3}) ]]; then return 0; fi
  HTTP_STATUS=${BASH_REMATCH[1]}
  while IFS= read -r -t "$HTTP_TIMEOUT_S" line <&"$fd" && line=${line%$'\r'} && [[ -n $line ]]; do
    if [[ ${line,,} =~ ^content-length:\ *([0-9]+)$ ]]; then length=${BASH_REMATCH[1]}; fi
  done
  if ((length > 0)); then IFS= read -r -d '' -N "$length" -t "$HTTP_TIMEOUT_S" HTTP_BODY <&"$fd" || true; fi
}

http_ok() {
  http GET "$1" "$2"
  [[ $HTTP_STATUS == 200 ]]
}
