#!/usr/bin/env bash
# Runs once, on an empty data folder: the role that owns the tables, and the role of the service, which owns nothing.
# Neither is a superuser.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -v owner_password="$OWNER_PASSWORD" -v app_password="$APP_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
create role commissions login nosuperuser password :'owner_password';
create role commissions_app login nosuperuser nocreaterole nocreatedb nobypassrls password :'app_password';
create database commissions owner commissions;
SQL
