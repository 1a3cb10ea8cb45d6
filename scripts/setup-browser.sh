#!/bin/sh
# Installs the driver of Chromium and axe, in a folder of their own: only tests and screenshots need them.
set -eu

cd "$(dirname "$0")/../tools/browser"
# npm writes this file last, so an older one belongs to another lock or an interrupted installation.
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0

npm ci --ignore-scripts --loglevel=error --no-audit --no-fund ||
  echo 'The suites that use a browser will fail: correct the cause (often the network) and run this again.' >&2
