#!/bin/sh
# Installs PostgreSQL's programs and PgBouncer if no confirmation is needed: as root on a Debian-like system.
# The tests start private servers with them and never use a running one.
set -eu

has_postgres() {
  for initdb in /usr/lib/postgresql/*/bin/initdb; do
    [ -x "$initdb" ] && return 0
  done
  command -v initdb >/dev/null 2>&1
}

has_pgbouncer() {
  [ -x /usr/sbin/pgbouncer ]
}

missing=''
has_postgres || missing='postgresql'
has_pgbouncer || missing="$missing pgbouncer"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing for the tests: $missing."
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # Several packages, one word each.
  if apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null; then exit 0; fi
fi

echo "The suites that need them will fail. Install them with \`sudo apt-get install $missing\`," \
  'or add the folder of initdb to PATH.' >&2
