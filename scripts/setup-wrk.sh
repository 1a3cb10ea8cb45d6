#!/bin/sh
# Installs the load generator wrk if no confirmation is needed: as root on a Debian-like system.
set -eu

command -v wrk >/dev/null 2>&1 && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'Installing wrk for the budgets.'
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq && apt-get install -y -qq --no-install-recommends wrk >/dev/null; then exit 0; fi
fi

echo 'The budgets will fail. Install wrk with `sudo apt-get install wrk`.' >&2
