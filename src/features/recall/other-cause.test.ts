import { expect, test } from 'vitest'
import { hasAnotherCause } from './mismatch.ts'

const PUSH = "error: failed to push some refs to 'github.com:acme/app.git'"
const READ = 'fatal: Could not read from remote repository.'
const connection = (cause: string, where = 'at "localhost" (127.0.0.1), port 5432') =>
  `psql: error: connection to server ${where} failed: ${cause}`

const LARGE_FILE = [
  'git push rejected: file larger than 100 MB',
  `remote: error: File a.bin is 240.11 MB; this exceeds GitHub's file size limit\n ! [remote rejected] main -> main (pre-receive hook declined)\n${PUSH}`,
]
const PROTECTED = [
  'Cannot push to a protected branch',
  `git push ends with "${PUSH}" because main is protected.`,
]
const PUBLIC_KEY = [
  'git clone in CI: Permission denied (publickey)',
  `git@github.com: Permission denied (publickey).\n${READ}`,
]
const PASSWORD = [
  'psql refuses the right password',
  connection('FATAL:  password authentication failed for user "app"'),
]
const ROLE = ['No role postgres with Homebrew', connection('FATAL:  role "postgres" does not exist')]
const CLIENTS = [
  'The pool of each worker is too large',
  connection('FATAL:  sorry, too many clients already'),
]
const CERTIFICATE = [
  'git behind the proxy',
  "fatal: unable to access 'https://git.corp/a.git/': SSL certificate problem: self-signed certificate",
]
const RATE = [
  'docker pull is limited',
  'Error response from daemon: toomanyrequests: You have reached your pull rate limit.',
]
const GONE = [
  'A submodule after the checkout was moved',
  'fatal: not a git repository: /old/app/.git/modules/vendor/lib',
]
const NOT_COPIED = ['Version in Docker: not a git repository', 'fatal: not a git repository (or any parent)']
const NO_CAUSE = ['git push fails on a fresh clone', PUSH]

test('a card that shares a sentence for many causes, and tells another cause, is about another failure', () => {
  const others: [string[], string[]][] = [
    [[' ! [rejected] main -> main (fetch first)', PUSH], LARGE_FILE],
    [['error: src refspec dev does not match any', PUSH], LARGE_FILE],
    [['error: src refspec dev does not match any', PUSH], PROTECTED],
    [['ssh: Could not resolve hostname gitlab.corp: Name or service not known', READ], PUBLIC_KEY],
    [[connection('Connection refused')], PASSWORD],
    [[connection('FATAL:  Peer authentication failed for user "app"')], PASSWORD],
    [[connection('FATAL:  database "me" does not exist')], ROLE],
    [[connection('No such file or directory', 'on socket "/tmp/.s.PGSQL.5432"')], ROLE],
    [
      ["fatal: unable to access 'https://github.com/a.git/': Could not resolve host: github.com"],
      CERTIFICATE,
    ],
    [['Error response from daemon: manifest for nod:latest not found: manifest unknown'], RATE],
    [['fatal: not a git repository (or any of the parent directories): .git'], GONE],
  ]
  for (const [lines, card] of others) expect(hasAnotherCause(lines, card, []), lines.join()).toBe(true)
})

test('the same cause, one in other words, none in the card or none in the failure is not', () => {
  const same: [string[], string[]][] = [
    [[' ! [remote rejected] dev -> dev (pre-receive hook declined)', PUSH], LARGE_FILE],
    [[' ! [remote rejected] main -> main (protected branch hook declined)', PUSH], PROTECTED],
    [['git@gitlab.com: Permission denied (publickey).', READ], PUBLIC_KEY],
    [[READ], PUBLIC_KEY],
    [[connection('FATAL:  password authentication failed for user "billing"', 'at "db"')], PASSWORD],
    [[connection('FATAL:  role "me" does not exist', 'on socket "/tmp/.s.PGSQL.5432"')], ROLE],
    [[`django.db.utils.OperationalError: ${connection('FATAL:  sorry, too many clients already')}`], CLIENTS],
    [
      [
        'Error response from daemon: toomanyrequests: You have reached your pull rate limit. Upgrade or log in.',
      ],
      RATE,
    ],
    [['fatal: not a git repository: /home/me/app/.git/modules/vendor/lib'], GONE],
    [['fatal: not a git repository (or any of the parent directories): .git'], NOT_COPIED],
    [[' ! [rejected] main -> main (fetch first)', PUSH], NO_CAUSE],
    [['error[E0502]: cannot borrow `ledger` as mutable'], LARGE_FILE],
  ]
  for (const [lines, card] of same) expect(hasAnotherCause(lines, card, []), lines.join()).toBe(false)
})

test('the fix may name the cause', () => {
  const lines = [' ! [rejected] main -> main (non-fast-forward)', PUSH]
  const card = ['git push is refused', `At night: ${PUSH}`]
  expect(hasAnotherCause(lines, card, ['The push was non-fast-forward: pull first.'])).toBe(false)
  expect(hasAnotherCause(lines, card, ['Renew the token.'])).toBe(true)
})
