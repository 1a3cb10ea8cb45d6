#!/bin/sh
# Installs the provider of OpenID Connect that the tests of single sign-on use, in a folder of its own: nothing else needs it.
set -eu

cd "$(dirname "$0")/../tools/openid-provider"
# npm writes this file last, so an older one belongs to another lock or an interrupted installation.
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0

npm ci --ignore-scripts --loglevel=error --no-audit --no-fund ||
  echo 'The tests of single sign-on will fail: correct the cause (often the network) and run this again.' >&2
