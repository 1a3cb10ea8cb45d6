#!/bin/sh
# Installs Chromium's headless shell and fonts if no confirmation is needed: as root on a Debian-like system. Without the
# shell, the tests use the whole browser, which takes twice the CPU time.
set -eu

command -v chromium-headless-shell >/dev/null 2>&1 && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'Installing Chromium for the tests in a browser.'
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-dejavu-core fonts-liberation >/dev/null
  then exit 0; fi
fi

command -v chromium >/dev/null 2>&1 && exit 0

echo 'The tests in a browser will fail. Install Chromium: `sudo apt-get install chromium-headless-shell fonts-liberation`.' >&2
