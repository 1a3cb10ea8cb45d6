#!/bin/sh
# Installs Node 20, Deno, Bun, TypeScript 5.0 and React 18, in a folder of their own: only the tests of the SDK need them.
set -eu

cd "$(dirname "$0")/../packages/sdk/test/runtimes"
# npm writes this file last, so an older one belongs to another lock or an interrupted installation.
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0

npm ci --ignore-scripts --loglevel=error --no-audit --no-fund ||
  echo 'The suite `sdk` will fail: correct the cause (often the network) and run this again.' >&2
