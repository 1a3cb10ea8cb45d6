#!/bin/sh
# Writes a backup below BACKUPS, named after the day, or after the day and the time if today's is complete already, and
# then removes backups older than KEEP_DAYS days. Continues an interrupted backup of today.
set -eu
: "${BACKUPS:?the folder for backups}" "${KEEP_DAYS:=14}"
home=$(cd "$(dirname "$0")/.." && pwd)
node=$home/node_modules/.bin/node
[ -x "$node" ] || node=node
today=$(date -u +%Y-%m-%d)
target=$BACKUPS/$today

if [ -e "$target/manifest.json" ]; then
  target=$BACKUPS/${today}T$(date -u +%H%M%S)
  for folder in "$BACKUPS/${today}"T??????; do
    if [ -d "$folder" ] && [ ! -e "$folder/manifest.json" ]; then target=$folder; fi
  done
fi
"$node" "$home/packages/server/bin/licensing.mjs" backup --to "$target"
test -s "$target/manifest.json"
for name in '????-??-??' '????-??-??T??????'; do
  find "$BACKUPS" -mindepth 1 -maxdepth 1 -type d -name "$name" -mtime "+$KEEP_DAYS" -exec rm -rf -- {} +
done
