#!/bin/sh
# Builds the Citus extension from a folder with its source and installs it into the PostgreSQL of this machine.
#
#   deploy/citus/build.sh <source folder>
#
# Tried with Citus 13.2.2 and Debian's PostgreSQL 15. Needs postgresql-15, postgresql-server-dev-15, make, gcc, flex, bison
# and libssl-dev libkrb5-dev libxml2-dev libxslt1-dev libpam0g-dev libselinux1-dev libreadline-dev libzstd-dev liblz4-dev.
set -eu

source=${1:?"Usage: build.sh <folder with the source of Citus>"}
[ -x "$source/configure" ] || { echo "$source has no configure script, so it is not the source of Citus." >&2; exit 1; }
pg_config=${PG_CONFIG:-/usr/lib/postgresql/15/bin/pg_config}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$source/." "$work"
touch "$work/configure" # newer than its source, or make would ask for autoconf

# PostgreSQL has this function itself since 15.20, and a second one of the same name does not compile.
compat=$work/src/include/pg_version_compat.h
if grep -q have_createdb_privilege "$("$pg_config" --includedir-server)/commands/dbcommands.h"; then
  awk '
    $0 == "static inline bool" { held = $0; next }
    held != "" && /^have_createdb_privilege\(void\)/ { print "#include \"commands/dbcommands.h\""; inside = 1; held = ""; next }
    held != "" { print held; held = "" }
    inside { if ($0 == "}") inside = 0; next }
    { print }
  ' "$compat" > "$compat.new"
  mv "$compat.new" "$compat"
fi

cd "$work"
./configure --quiet PG_CONFIG="$pg_config" --without-libcurl --without-lz4 --without-zstd
make -s -j"$(nproc)" extension
make -s install-extension
echo "Citus is installed. Start the servers with shared_preload_libraries = 'citus'."
