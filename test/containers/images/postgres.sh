# Makes a cluster at the first start and runs it, by the settings of the official image that docker-compose.yml uses.
set -eu
export PGDATA=/var/lib/postgresql/data PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
if [ "$(id -u)" = 0 ]; then become="setpriv --reuid=postgres --regid=postgres --init-groups"; else become=; fi
as_postgres() { $become "$@"; }
if [ "${1:-}" = postgres ]; then shift; fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$PGDATA"
  password=$(mktemp)
  if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then cat "$POSTGRES_PASSWORD_FILE"; else echo "$POSTGRES_PASSWORD"; fi > "$password"
  chown postgres "$password"
  as_postgres initdb -U "$POSTGRES_USER" -A scram-sha-256 --pwfile="$password" -E UTF8 --locale=C.UTF-8 > /dev/null
  rm "$password"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE \"$POSTGRES_DB\"" | as_postgres postgres --single postgres > /dev/null
fi
exec $become postgres -c 'listen_addresses=*' "$@"
