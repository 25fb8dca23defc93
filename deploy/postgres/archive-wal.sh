#!/usr/bin/env bash
# Stores one file of the log of changes (WAL): archive_command = '/path/archive-wal.sh %p %f /backup'
# It succeeds only when the file is on the disk, and never replaces one: the server then keeps its file and tries again.
set -euo pipefail
source=${1:?path of the file} name=${2:?name of the file} folder=${3:?folder of the backup}/wal
mkdir -p "$folder"
if [ -e "$folder/$name" ]; then
  cmp -s "$source" "$folder/$name" && exit 0
  echo "archive-wal: $folder/$name has other contents" >&2
  exit 1
fi
part=$(mktemp "$folder/.$name.XXXXXX")
trap 'rm -f "$part"' EXIT
cp "$source" "$part"
sync "$part"
mv "$part" "$folder/$name"
sync "$folder"
