#!/usr/bin/env bash
# Runs the scripts' tests: shellcheck, shfmt and every .bats file here. Installs nothing: what is
# missing is named. `tests/run.sh FILE…` runs only those .bats files.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

missing=''
for tool in bats shellcheck shfmt; do
  if ! command -v "$tool" >/dev/null; then missing+=" $tool"; fi
done
if [[ -n $missing ]]; then
  printf 'tests/run.sh: missing:%s; install them (Debian packages of the same names)\n' "$missing" >&2
  exit 1
fi

mapfile -t scripts < <(find ./*.sh tools tests -name '*.sh' | sort)
mapfile -t tests < <(find tests -name '*.bats' | sort)
# SC2034, SC2154: the parts in tools/lib share variables, and shellcheck looks at one file at a time.
shellcheck --external-sources --exclude=SC2034,SC2154 -- "${scripts[@]}"
shellcheck --external-sources --exclude=SC2154 -- "${tests[@]}" tests/*.bash
shfmt -i 2 -ci -d "${scripts[@]}" tests/*.bash
shfmt -i 2 -ci -ln bats -d "${tests[@]}"
printf 'shellcheck and shfmt: %d scripts, %d test files, clean\n' "${#scripts[@]}" "${#tests[@]}"

if (($# > 0)); then tests=("$@"); fi
exec bats "${tests[@]}"
