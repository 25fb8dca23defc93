#!/usr/bin/env bash
# Once, on an empty data folder: the role that owns the tables. It is no superuser, and makes the role that the
# service runs as with the first migration.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
create role commissions login createrole nosuperuser password :'password';
create database commissions owner commissions;
SQL
