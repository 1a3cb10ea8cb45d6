#!/bin/sh
# Installs the generators of clients in their own folder: tests run them on openapi.json, and production needs none.
set -eu

cd "$(dirname "$0")/../tools/codegen"
stamp=node_modules/.lock-hash
hash=$(cksum <package-lock.json)
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$hash" ] && exit 0

if npm ci --ignore-scripts --loglevel=error --no-audit --no-fund; then
  echo "$hash" >"$stamp"
else
  echo 'The test of generated clients will fail: correct the cause (often the network) and run this again.' >&2
fi
