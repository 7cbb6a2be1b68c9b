#!/usr/bin/env bats
# Whom the services run as.
# shellcheck disable=SC2016 # text for other shells: $ is meant literally

load kit

setup() { open_folder; }

@test "anyone but root runs the services as himself" {
  if ((EUID == 0)); then skip 'only for others'; fi
  run kit_shell 'find_account; echo "$ACCOUNT $ACCOUNT_UID"; as_account id -u'
  exits 0
  [[ ${lines[0]} == "$(id -un) $EUID" ]]
  [[ ${lines[1]} == "$EUID" ]]
}

@test "root becomes the user that QUEENCELL_USER names, without groups and capabilities" {
  if ((EUID != 0)); then skip 'only root can'; fi
  QUEENCELL_USER=nobody run kit_shell 'find_account; echo "$ACCOUNT"; as_account bash -c "id -u; id -G; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status"'
  exits 0
  [[ ${lines[0]} == nobody ]]
  [[ ${lines[1]} == "$(id -u nobody)" ]]
  [[ ${lines[2]} == "$(id -g nobody)" ]]
  [[ ${lines[3]} == *0000000000000000 ]]
  [[ ${lines[4]} == *1 ]]
}

@test "root refuses to run them as root" {
  if ((EUID != 0)); then skip 'only root can'; fi
  QUEENCELL_USER=root run kit_shell 'find_account'
  exits 1
  has "QUEENCELL_USER is 'root', which is root"
}

@test "root makes the usual user when it is missing" {
  if ((EUID != 0)); then skip 'only root can'; fi
  fake getent <<<'[[ -e $MADE ]] && echo "queencell:x:991:992::/nonexistent:/usr/sbin/nologin"'
  fake useradd <<<': >"$MADE"'
  MADE=$FOLDER/made run kit_shell 'find_account; echo "$ACCOUNT $ACCOUNT_UID $ACCOUNT_GID"'
  exits 0
  has 'queencell 991 992'
  for word in --system --user-group --no-create-home queencell; do grep -qx -- "$word" "$FAKES/useradd.calls"; done
}

@test "where no user can be made, nobody is taken; a wanted one is an error" {
  if ((EUID != 0)); then skip 'only root can'; fi
  fake getent <<<'[[ $2 == nobody ]] && echo "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin"'
  fake useradd <<<'exit 1'
  run kit_shell 'find_account; echo "$ACCOUNT"'
  exits 0
  has nobody
  QUEENCELL_USER=wanted run kit_shell find_account
  exits 1
  has "the user 'wanted' (QUEENCELL_USER) does not exist and useradd could not make it"
}

@test "a home that the services' user can't reach is refused, naming the folder and another home" {
  if ((EUID != 0)); then skip 'only root gives its services another user'; fi
  mkdir -p "$FOLDER/closed/home"
  chmod 0700 "$FOLDER/closed"
  QUEENCELL_USER=nobody run kit_shell "find_account; JAVA=/bin/true; QUEENCELL_HOME='$FOLDER/closed/home'; check_account_access"
  exits 1
  has "the services' user 'nobody' can't enter $FOLDER/closed, so it can't reach the home"
  has 'up --home /var/lib/queencell'
}

@test "a JDK that the services' user can't run is refused, naming the folder" {
  if ((EUID != 0)); then skip 'only root gives its services another user'; fi
  mkdir -p "$FOLDER/closed/bin"
  ln -s /bin/true "$FOLDER/closed/bin/java"
  chmod 0700 "$FOLDER/closed"
  QUEENCELL_USER=nobody run kit_shell "find_account; QUEENCELL_JDK='$FOLDER/closed'; JAVA='$FOLDER/closed/bin/java'; QUEENCELL_HOME='$FOLDER'; check_account_access"
  exits 1
  has "can't run the JDK in $FOLDER/closed (it can't enter $FOLDER/closed)"
}
