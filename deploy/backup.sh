#!/bin/sh
# Writes today's backup below BACKUPS, and removes backups older than KEEP_DAYS days once it is complete.
# A second run on the same day continues an interrupted backup and leaves a complete one unchanged.
set -eu
: "${BACKUPS:?the folder for backups}" "${KEEP_DAYS:=14}"
home=$(cd "$(dirname "$0")/.." && pwd)
node=$home/node_modules/.bin/node
[ -x "$node" ] || node=node
today=$BACKUPS/$(date -u +%Y-%m-%d)

if [ ! -e "$today/manifest.json" ]; then
  "$node" "$home/packages/server/bin/licensing.mjs" backup --to "$today"
fi
test -s "$today/manifest.json"
find "$BACKUPS" -mindepth 1 -maxdepth 1 -type d -name '????-??-??' -mtime "+$KEEP_DAYS" -exec rm -rf -- {} +
