#!/bin/sh
# Installs what the tests of the Python SDK need if no confirmation is needed: as root on a Debian-like system. They run
# on the Python of the system, not on another one in PATH, because Debian's packages belong to it.
set -eu

python=/usr/bin/python3
[ -x "$python" ] && "$python" -c 'import cryptography, hatchling, mypy' 2>/dev/null && exit 0

packages='python3 python3-cryptography python3-hatchling mypy'
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing for the tests: $packages."
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # Several packages, one word each.
  if apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages >/dev/null; then exit 0; fi
fi

echo "The suites \`python\` and \`conformance\` will fail. Install their programs with \`sudo apt-get install $packages\`." >&2
