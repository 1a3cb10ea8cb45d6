#!/bin/sh
# Writes today's backup below BACKUPS, and only when it is complete removes those older than KEEP_DAYS days.
# Run again on the same day it goes on where it was interrupted; a complete backup of the day is left alone.
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
