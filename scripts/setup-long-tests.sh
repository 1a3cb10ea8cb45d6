#!/bin/sh
# Installs what only the suites of `npm run test:long` need, besides what setup-tests.sh installs.
set -eu
cd "$(dirname "$0")"
sh setup-sdk-runtimes.sh
sh setup-lighthouse.sh
sh setup-compilers.sh
sh setup-wrk.sh
