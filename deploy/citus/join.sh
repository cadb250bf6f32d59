#!/bin/sh
# Makes a database on every server of a local cluster and joins them. Citus keeps a separate list of workers per database.
#
#   deploy/citus/join.sh <port of the coordinator> <database> [workers]
set -eu

[ $# -ge 2 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
port=$1 database=$2 workers=${3:-2}
bin=$(dirname "${PG_CONFIG:-/usr/lib/postgresql/15/bin/pg_config}")
sql() { "$bin/psql" -qAtX -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U postgres -d "$2" -c "$3"; }

for i in $(seq 0 "$workers"); do
  [ "$database" = postgres ] || sql $((port + i)) postgres "create database \"$database\" encoding 'UTF8' template template0"
  sql $((port + i)) "$database" 'create extension citus'
done
sql "$port" "$database" "select citus_set_coordinator_host('127.0.0.1', $port)" > /dev/null
for i in $(seq "$workers"); do
  sql "$port" "$database" "select citus_add_node('127.0.0.1', $((port + i)))" > /dev/null
done
