#!/bin/sh
# Runs a cluster on this machine for trials and tests: one coordinator and some workers. Loopback only, no passwords.
#
#   deploy/citus/cluster.sh start <folder> [workers]   makes it at the first start; prints the URL of the coordinator
#   deploy/citus/cluster.sh stop <folder>
#
# PORT (5500 unless set) is the coordinator's; the workers take the ports after it. The extension comes from build.sh.
set -eu

usage() { sed -n 's/^#   //p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
command=$1 folder=$2 workers=${3:-2}
port=${PORT:-5500}
bin=$(dirname "${PG_CONFIG:-/usr/lib/postgresql/15/bin/pg_config}")

# PostgreSQL refuses to run as root.
as_owner() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
sql() { as_owner "$bin/psql" -qAtX -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U postgres -d "$2" -c "$3"; }

start_one() { # name, port
  data=$folder/$1
  if [ ! -d "$data" ]; then
    as_owner "$bin/initdb" -D "$data" -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync > /dev/null
    cat >> "$data/postgresql.conf" <<CONF
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = $2
wal_level = logical
max_connections = 300
max_prepared_transactions = 400
citus.max_client_connections = 250
citus.shard_count = 16
citus.recover_2pc_interval = 2s
citus.show_shards_for_app_name_prefixes = ''
${SETTINGS:-}
CONF
  fi
  as_owner "$bin/pg_ctl" -D "$data" status > /dev/null ||
    as_owner "$bin/pg_ctl" -s -w -t 60 -D "$data" -l "$folder/$1.log" start
}

case $command in
  start)
    mkdir -p "$folder"
    if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
    new=$([ -d "$folder/coordinator" ] || echo yes)
    start_one coordinator "$port"
    for i in $(seq "$workers"); do start_one "worker$i" $((port + i)); done
    if [ "$new" ]; then "$(dirname "$0")/join.sh" "$port" postgres "$workers"; fi
    echo "postgres://postgres@127.0.0.1:$port/postgres"
    ;;
  stop)
    for data in "$folder"/*/; do
      if [ -f "$data/postmaster.pid" ]; then as_owner "$bin/pg_ctl" -s -w -D "$data" -m fast stop; fi
    done
    ;;
  *) usage ;;
esac
