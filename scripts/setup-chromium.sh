#!/bin/sh
# Installs Chromium and fonts if no confirmation is needed: as root on a Debian-like system.
set -eu

command -v chromium >/dev/null 2>&1 && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'Installing Chromium for the tests in a browser.'
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core fonts-liberation >/dev/null
  then exit 0; fi
fi

echo 'The tests in a browser will fail. Install Chromium with `sudo apt-get install chromium fonts-liberation`.' >&2
