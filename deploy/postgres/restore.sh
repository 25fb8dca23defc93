#!/usr/bin/env bash
# Writes the data folder of a new server: restore.sh FOLDER DATA [TIME]
# TIME, such as 2026-11-27T09:30:00Z, is the instant whose state is wanted; without it, the newest that is archived.
# Then start PostgreSQL on DATA. It stops reading the archive at TIME, and accepts writes when that is reached.
set -euo pipefail
folder=$(realpath "${1:?folder of the backup}") data=${2:?new data folder} time=${3:-}
[ -z "$(ls -A "$data" 2>/dev/null)" ] || { echo "restore: $data is not empty" >&2; exit 1; }
limit=${time:+$(date -u -d "$time" +%Y-%m-%dT%H:%M:%SZ)}
base=
for candidate in "$folder"/base/*; do
  name=$(basename "$candidate")
  [ -e "$candidate/PG_VERSION" ] || continue
  if [ -z "$limit" ] || [[ ! "$name" > "$limit" ]]; then base=$candidate; fi
done
[ -n "$base" ] || { echo "restore: no base backup in $folder${time:+ that ended before $time}" >&2; exit 1; }
mkdir -p "$data"
cp -a "$base/." "$data/"
chmod 700 "$data"
touch "$data/recovery.signal"
{
  echo "restore_command = 'cp \"$folder/wal/%f\" \"%p\"'"
  echo "recovery_target_timeline = 'latest'"
  echo "recovery_target_action = 'promote'"
  # The restored server must not write into the archive of the lost one.
  echo "archive_mode = 'off'"
  echo "synchronous_standby_names = ''"
  [ -z "$time" ] || echo "recovery_target_time = '$time'"
} >>"$data/postgresql.auto.conf"
echo "restored $base${time:+ up to $time}"
