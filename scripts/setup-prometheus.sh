#!/bin/sh
# Fetches Prometheus for the test of the Grafana dashboard on a Debian-like system, without installing the package, which
# would start a server. The tests start a private one.
set -eu
cd "$(dirname "$0")/.."
folder=node_modules/.cache/prometheus

[ -x /usr/bin/prometheus ] && exit 0
[ -x "$folder/usr/bin/prometheus" ] && exit 0

if command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1; then
  echo 'Fetching Prometheus for the tests.'
  [ "$(id -u)" = 0 ] && { apt-get update -qq || true; }
  mkdir -p "$folder"
  if (cd "$folder" && apt-get download -qq prometheus >/dev/null 2>&1); then
    dpkg-deb --extract "$folder"/prometheus_*.deb "$folder"
    rm -rf "$folder"/*.deb "$folder/usr/share" "$folder/etc" "$folder/lib" "$folder/var"
    exit 0
  fi
fi

echo 'Prometheus is not installed: the test of the Grafana dashboard will fail. Install it with' \
  '`sudo apt-get install prometheus`.' >&2
