#!/bin/sh
# Installs Valkey, or Redis if Valkey is not available, if no confirmation is needed: as root on a Debian-like system.
# The tests start private servers with it and never use a running one.
set -eu

for server in valkey-server redis-server; do
  command -v "$server" >/dev/null 2>&1 && exit 0
  [ -x "/usr/bin/$server" ] && exit 0
done

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'Installing Valkey for the tests.'
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || true
  for package in valkey-server redis-server; do
    if apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1; then exit 0; fi
  done
fi

echo 'Neither Valkey nor Redis is installed: the suites that need one will fail. Install one with' \
  '`sudo apt-get install valkey-server` (or redis-server).' >&2
