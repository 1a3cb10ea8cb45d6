#!/bin/sh
# Installs everything that the tests need besides the dependencies of package-lock.json.
set -eu
cd "$(dirname "$0")"
sh setup-postgres.sh
sh setup-valkey.sh
sh setup-chromium.sh
sh setup-browser.sh
sh setup-openid-provider.sh
sh setup-codegen.sh
sh setup-examples.sh
sh setup-python.sh
sh setup-prometheus.sh
