#!/bin/sh
# Installs the software with which `npm run bench` compares, in its own folder: neither the tests nor production need it.
set -eu

cd "$(dirname "$0")/../bench/peers"
# npm writes this file last, so an older one belongs to another lock or an interrupted installation.
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0

npm ci --ignore-scripts --loglevel=error --no-audit --no-fund ||
  echo 'The benchmark `peers` will fail: correct the cause (often the network) and run this again.' >&2
