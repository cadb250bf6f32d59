/** Cards as a team would write them, so that pictures and searches look like the real thing. */
export const SAMPLES = [
  {
    title: 'Connection pool exhausted after deploy: every request times out at 30 s',
    symptom:
      'After each deploy, requests hang and fail with `TimeoutError: timeout exceeded when trying to connect` from the pool. Restarting one pod helps for about ten minutes.',
    fix_summary:
      'Release the client in a `finally` block. A query that threw left its client checked out, so the pool of ten was empty after ten errors.\n\n```ts\nconst client = await pool.connect()\ntry {\n  return await client.query(sql, values)\n} finally {\n  client.release()\n}\n```',
    root_cause:
      'An early `return` in the error path skipped `client.release()`. The pool never takes back a client that is checked out.',
    steps: [
      {
        order: 1,
        action: 'Log `pool.idleCount` and `pool.waitingCount` every second.',
        result: 'idle falls to 0 and stays there',
      },
      { order: 2, action: 'Search for `connect()` without a `finally`.', result: 'two call sites found' },
      {
        order: 3,
        action: 'Move `release()` into `finally` and deploy.',
        result: 'the idle count recovers after errors',
      },
    ],
    environment: { node: '20.11', postgres: '16.2', os: 'linux' },
    tags: ['postgres', 'connection-pool', 'node', 'deploy'],
    evidences: [
      {
        kind: 'log',
        content:
          'ERROR pg-pool: timeout exceeded when trying to connect\n    at Pool.connect (node_modules/pg-pool/index.js:45:11)\n    waiting=37 idle=0 total=10',
      },
    ],
  },
  {
    title: 'Rotate the signing key without signing everybody out',
    card_type: 'how_to',
    symptom:
      'We need a new signing key every 90 days, and tokens that are already out there must stay valid until they end.',
    fix_summary:
      'Publish both keys in the key set, sign with the new one, and drop the old one after the longest token life has passed.',
    steps: [
      {
        order: 1,
        action: 'Add the new public key to the key set and wait for the cache time.',
        result: 'both keys are served',
      },
      { order: 2, action: 'Sign with the new key.', result: 'new tokens carry its key id' },
      {
        order: 3,
        action: 'Remove the old key after the longest token life.',
        result: 'no token refers to it',
      },
    ],
    tags: ['jwt', 'security', 'jwks'],
  },
  {
    title: 'Dev server fails with ENOSPC: system limit for number of file watchers reached',
    symptom:
      'Starting the dev server on a fresh Linux machine fails with ENOSPC although the disk is nearly empty.',
    fix_summary:
      'Raise fs.inotify.max_user_watches to 524288 with sysctl; the limit counts watched files and not disk space.',
    root_cause: 'Each watched file takes one inotify watch, and the default limit is 8192.',
    environment: { os: 'linux', vite: '8.3' },
    tags: ['linux', 'vite', 'inotify'],
  },
  {
    title: 'SQLite is the default database, PostgreSQL where one machine is not enough',
    card_type: 'decision',
    symptom:
      'Which database should a new installation start with, given that most of them are a single machine?',
    fix_summary:
      'SQLite by default, because it needs nothing else; PostgreSQL by one setting. The queries are written once for both.',
    tags: ['architecture', 'sqlite', 'postgres'],
  },
  {
    title: 'A retry without an idempotency key charged a customer twice',
    card_type: 'lesson_learned',
    symptom:
      'The payment call timed out on our side but went through at the provider, and our retry charged a second time.',
    fix_summary:
      'Send an idempotency key made from the order id with every charge; the provider then repeats its first answer.',
    tags: ['payments', 'idempotency', 'retry'],
  },
  {
    title: 'Exit codes of the command line tool',
    card_type: 'reference',
    symptom: 'What do the exit codes of the command line tool mean when it runs in a pipeline?',
    fix_summary: '0 done, 1 failed, 2 wrong use, 75 try again later. Only 75 is worth a retry.',
    tags: ['cli', 'ci'],
  },
] as const
