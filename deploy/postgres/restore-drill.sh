#!/usr/bin/env bash
# Proves that a backup can be restored: restore-drill.sh FOLDER [TIME]. Run it every week, not as root.
# It restores into a temporary folder, starts a server that only this folder's socket reaches, reads every row of every
# table, prints how new the newest change is, and deletes everything.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?folder of the backup} time=${2:-}
database=${DATABASE:-commissions}
work=$(mktemp -d "${TMPDIR:-/tmp}/restore-drill.XXXXXX")
end() {
  [ ! -e "$work/data/postmaster.pid" ] || pg_ctl --pgdata="$work/data" --mode=immediate --silent stop || true
  rm -rf "$work"
}
trap end EXIT
began=$(date +%s)
"$here/restore.sh" "$folder" "$work/data" ${time:+"$time"}
echo "local all all trust" >"$work/data/pg_hba.conf"
pg_ctl --pgdata="$work/data" --log="$work/log" --timeout=3600 --silent --wait \
  --options="-c listen_addresses= -c unix_socket_directories=$work -c hba_file=$work/data/pg_hba.conf" start ||
  { cat "$work/log" >&2; exit 1; }
query() { psql --host="$work" --username=postgres --dbname="$database" --no-psqlrc --quiet --tuples-only --no-align --command="$1"; }
until [ "$(query 'select pg_is_in_recovery()')" = f ]; do
  # The server ends if the archive does not reach TIME.
  pg_ctl --pgdata="$work/data" status >/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.2
done
pg_dump --host="$work" --username=postgres --dbname="$database" --exclude-schema=bullmq >/dev/null
echo "tables: $(query "select count(*) from pg_tables where schemaname = 'public'")"
echo "workspaces: $(query 'select count(*) from workspaces')"
echo "newest audit entry: $(query "select coalesce(to_char(max(at) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), 'none') from audit_entries")"
echo "restored and read in $(($(date +%s) - began)) s"
