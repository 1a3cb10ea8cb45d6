#!/bin/sh
# Installs web frameworks, React and the types of Electron, in a folder of their own: only the tests of the examples, the
# guides and the SDK need them.
set -eu

cd "$(dirname "$0")/../examples/test/frameworks"
# npm writes this file last, so an older one belongs to another lock or an interrupted installation.
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0

npm ci --ignore-scripts --loglevel=error --no-audit --no-fund ||
  echo 'The suites `examples`, `guides` and `sdk` will fail: correct the cause (often the network) and run this again.' >&2
