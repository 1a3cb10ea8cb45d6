#!/bin/sh
# PostgreSQL's image runs this once, when it initialises its data. It creates the service's database, and a role that may
# create tenants' databases and roles but is no superuser. By default every role may connect to the other two databases.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$LICENSING_PASSWORD" --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE licensing LOGIN CREATEDB CREATEROLE PASSWORD :'password';
CREATE DATABASE licensing OWNER licensing;
REVOKE ALL ON DATABASE licensing, postgres, template1 FROM PUBLIC;
SQL
