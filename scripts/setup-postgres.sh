#!/bin/sh
# Installs PostgreSQL's programs where this can be done without asking: as root on a Debian-like system.
# The tests start a private server from them and never touch one that is already running.
set -eu

for initdb in /usr/lib/postgresql/*/bin/initdb; do
  [ -x "$initdb" ] && exit 0
done
command -v initdb >/dev/null 2>&1 && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'Installing PostgreSQL for the tests.'
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql >/dev/null; then exit 0; fi
fi

echo 'PostgreSQL is not installed: the suites that need it will fail. Install it with `sudo apt-get install postgresql`' \
  'or put the folder that holds initdb into PATH.' >&2
