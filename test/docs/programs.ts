import { PROGRAM, repository } from '../support/process.ts'

const node = process.execPath

/** A refusal by the vault fails the command; the page shows the plain one. */
const CURL = `#!/bin/sh
PATH=\${PATH#*:}
exec curl --fail-with-body --silent --show-error "$@"
`

const KVAULT = `#!/bin/sh
exec '${node}' '${PROGRAM.kvault}' "$@"
`

const NPX = `#!/bin/sh
echo "the test of the pages knows no npx $1" >&2
exit 1
`

/**
 * The checkout under test is installed, and these are its tests, so `ci` and `test` do nothing. `start` comes back when the
 * service answers, and the one that was started before ends, as in a terminal where it was stopped first. With the same
 * settings as before it goes on.
 */
const npm = (port: number) => `#!/bin/bash
PATH=\${PATH#*:}
export PATH
services="$HOME/services"
case "$1" in
  ci | test) exit 0 ;;
  start)
    export PORT=${port} DATA_DIR="\${DATA_DIR:-$HOME/work/data}" WORKERS=1 LOG_LEVEL=warn RATE_LIMIT=off
    settings=$(env | grep -vE '^(_|PWD|OLDPWD|SHLVL)=' | sort)
    if [ "$settings" = "$(cat "$HOME/settings" 2>/dev/null)" ]; then cat "$HOME/service.log"; exit 0; fi
    echo "$settings" >"$HOME/settings"
    if [ -e "$services" ]; then
      last=$(tail -n 1 "$services")
      kill -TERM -- "-$last" 2>/dev/null
      while kill -0 -- "-$last" 2>/dev/null; do sleep 0.05; done
    fi
    cd '${repository}'
    set -m
    '${node}' '${PROGRAM.serve}' >"$HOME/service.log" 2>&1 </dev/null &
    echo "$!" >>"$services"
    for _ in $(seq 300); do
      if curl --fail --silent --output /dev/null http://127.0.0.1:${port}/health/ready
      then cat "$HOME/service.log"; exit 0; fi
      sleep 0.1
    done
    cat "$HOME/service.log"
    exit 1 ;;
  *) cd '${repository}' && exec npm "$@" ;;
esac
`

/** Stand before the machine's own in the path of a page's terminal. */
export const programs = (port: number): Record<string, string> => ({
  curl: CURL,
  kvault: KVAULT,
  'knowledge-vault': KVAULT,
  npm: npm(port),
  npx: NPX,
})
