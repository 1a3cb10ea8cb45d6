#!/bin/sh
# Installs Lighthouse, in a folder of its own: only the suite `lighthouse` needs it.
set -eu

cd "$(dirname "$0")/../tools/lighthouse"
# npm writes this file last, so an older one belongs to another lock or an interrupted installation.
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0

npm ci --ignore-scripts --loglevel=error --no-audit --no-fund ||
  echo 'The suite `lighthouse` will fail: correct the cause (often the network) and run this again.' >&2
