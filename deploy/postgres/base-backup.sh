#!/usr/bin/env bash
# Copies a running server and checks the copy: base-backup.sh URL FOLDER
# URL: a login with the attribute REPLICATION. The copy is named by the time of its end, from which it can be restored.
set -euo pipefail
url=${1:?URL of the server} folder=${2:?folder of the backup}/base
mkdir -p "$folder"
part=$(mktemp -d "$folder/.part.XXXXXX")
trap 'rm -rf "$part"' EXIT
pg_basebackup --dbname="$url" --pgdata="$part" --wal-method=stream --checkpoint=fast --no-password
pg_verifybackup --quiet "$part"
name=$(date -u -d '+1 second' +%Y-%m-%dT%H:%M:%SZ)
mv "$part" "$folder/$name"
echo "$folder/$name"
