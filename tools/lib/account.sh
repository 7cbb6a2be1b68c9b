# shellcheck shell=bash
# Who the services run as. Sourced after say.sh. Started by root, they run as an unprivileged system
# user; started by anyone else, as the caller. Nothing runs as root.

ACCOUNT_DEFAULT=queencell
ACCOUNT_FALLBACK=nobody

# find_account: sets ACCOUNT, ACCOUNT_UID and ACCOUNT_GID; as root it makes the user when missing.
find_account() {
  local entry
  if ((EUID != 0)); then
    ACCOUNT=$(id -un) ACCOUNT_UID=$EUID ACCOUNT_GID=$(id -g)
    return 0
  fi
  if ! command -v setpriv >/dev/null; then die "setpriv is missing; install util-linux"; fi
  ACCOUNT=${QUEENCELL_USER:-$ACCOUNT_DEFAULT}
  if ! getent passwd "$ACCOUNT" >/dev/null; then make_account; fi
  entry=$(getent passwd "$ACCOUNT")
  IFS=: read -r ACCOUNT _ ACCOUNT_UID ACCOUNT_GID _ <<<"$entry"
  if ((ACCOUNT_UID == 0)); then die "QUEENCELL_USER is '$ACCOUNT', which is root; it takes an unprivileged user"; fi
  STEP_NOTE="$ACCOUNT (uid $ACCOUNT_UID)"
}

make_account() {
  if useradd --system --user-group --no-create-home --home-dir /nonexistent \
    --shell /usr/sbin/nologin "$ACCOUNT" 2>/dev/null; then
    return 0
  fi
  if [[ -n ${QUEENCELL_USER:-} && $QUEENCELL_USER != "$ACCOUNT_DEFAULT" ]]; then
    die "the user '$QUEENCELL_USER' (QUEENCELL_USER) does not exist and useradd could not make it"
  fi
  ACCOUNT=$ACCOUNT_FALLBACK
  if ! getent passwd "$ACCOUNT" >/dev/null; then die "neither '$ACCOUNT_DEFAULT' nor '$ACCOUNT_FALLBACK' exists; name an unprivileged user in QUEENCELL_USER"; fi
}

# as_account COMMAND…: runs it as the services' user, with none of root's privileges.
as_account() {
  if ((EUID != 0)); then
    "$@"
  else
    # setpriv still has root's reach while it looks the program up; env does not.
    setpriv --reuid "$ACCOUNT_UID" --regid "$ACCOUNT_GID" --clear-groups --no-new-privs -- env -- "$@"
  fi
}

# own FILE…: hands files to the services' user.
own() {
  if ((EUID == 0)); then chown -h -- "$ACCOUNT_UID:$ACCOUNT_GID" "$@"; fi
}

# check_account_access: the user must reach the home and run the JDK; says which folder stops it.
check_account_access() {
  local culprit
  if ! as_account test -x "$QUEENCELL_HOME"; then
    culprit=$(first_closed_folder "$QUEENCELL_HOME")
    die "the services' user '$ACCOUNT' can't enter $culprit, so it can't reach the home $QUEENCELL_HOME; open that folder or choose another home" \
      "$(quoted "$QUEENCELL_ROOT/vm-cell.sh" up --home /var/lib/queencell)"
  fi
  if ! as_account "$JAVA" -version >/dev/null 2>&1; then
    culprit=$(first_closed_folder "$JAVA")
    if [[ -n $culprit ]]; then culprit=" (it can't enter $culprit)"; fi
    die "the services' user '$ACCOUNT' can't run the JDK in $QUEENCELL_JDK$culprit; install a JDK where every user can reach it, or set JAVA_HOME to one" \
      "$(quoted setpriv --reuid "$ACCOUNT_UID" --regid "$ACCOUNT_GID" --clear-groups "$JAVA" -version)"
  fi
}

# first_closed_folder PATH: the first folder on the way to PATH that the user may not enter.
first_closed_folder() {
  local way='' part
  local -a parts
  IFS=/ read -r -a parts <<<"${1#/}"
  for part in "${parts[@]}"; do
    way+=/$part
    if [[ -d $way ]] && ! as_account test -x "$way"; then
      printf '%s' "$way"
      return 0
    fi
  done
}
