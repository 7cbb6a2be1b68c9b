# shellcheck shell=bash
# The standard shapes of load, by name: what a number is compared by. Sourced after say.sh.

# shape NAME: sets SHAPE_OPTIONS (the loader's, without rate and durations), SHAPE_TARGET, SHAPE_RATE
# (the option that sets the rate) and SHAPE_TENANTS (how many it needs; 0 = none). Returns 1 when
# there is no such shape.
shape() {
  local -a cloud=(
    -mode cloud -tenants 4 -shared-queue -partitions 8 -push-batch 1 -producers-per-tenant 2
    -consumers-per-tenant 3 -pop-batch 50 -pop-wait -payload 256 -lease-time 30
  )
  local -a wide=(
    -mode openloop -partitions 100 -consumers 64 -push-batch 100 -pop-batch 1000 -pop-partitions 10
    -payload 256 -verify
  )
  SHAPE_TARGET=broker SHAPE_RATE=-rate SHAPE_TENANTS=0
  case $1 in
    s1) SHAPE_OPTIONS=("${cloud[@]}" -target proxy) SHAPE_TARGET=proxy SHAPE_TENANTS=4 ;;
    s2) SHAPE_OPTIONS=("${cloud[@]}" -target broker) SHAPE_TENANTS=4 ;;
    s3) SHAPE_OPTIONS=("${wide[@]}" -manual-ack -ack-async) ;;
    s4) SHAPE_OPTIONS=("${wide[@]}") ;;
    s5) SHAPE_OPTIONS=(-mode cm -properties 1000) SHAPE_RATE=-rate-events ;;
    s6) SHAPE_OPTIONS=(-mode openloop -partitions 1000000 -active-partitions 1000 -push-batch 100 -verify) ;;
    s7) SHAPE_OPTIONS=(-mode openloop -partitions 10000 -consumers 10000 -pop-wait -pop-timeout 30000 -push-batch 1 -verify) ;;
    *) return 1 ;;
  esac
}
