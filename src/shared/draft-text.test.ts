import { describe, expect, test } from 'vitest'
import { growsTooFast } from '../../test/support/linear-time.ts'
import { draftCard } from './draft-text.ts'
import { mine } from './mining.ts'
import type { Step } from './session.ts'

type Played = {
  command: string
  /** The line that succeeded, if it is another than the one that failed. */
  succeeded?: string
  output: string
  /** What cured it: files that were edited, and commands in between. */
  edits?: string[]
  runs?: string[]
  /** What the agent said at the end. */
  report?: string
  /** What the title must have, in this order. */
  title: (string | RegExp)[]
  cause?: string | RegExp | null
  fix?: (string | RegExp)[]
}

const SESSIONS: readonly Played[] = [
  {
    command: 'npx prisma migrate deploy',
    output:
      'Datasource "db": PostgreSQL database "app"\n\n12 migrations found in prisma/migrations\n\nError: P3009\n\nmigrate found failed migrations in the target database, new migrations will not be applied. Read more about how to resolve migration issues in a production database: https://pris.ly/d/migrate-resolve\nThe `20251101_add_orders` migration started at 2025-11-01 10:00:00.123 UTC failed',
    runs: ['npx prisma migrate resolve --rolled-back 20251101_add_orders'],
    report:
      'The 20251101_add_orders migration had failed half way, so Prisma blocked everything after it. I marked it as rolled back and ran deploy again.',
    title: ['P3009', 'found failed migrations'],
    cause: /20251101_add_orders migration had failed half way/,
    fix: ['marked it as rolled back', 'npx prisma migrate resolve --rolled-back 20251101_add_orders'],
  },
  {
    command: './gradlew assembleDebug',
    output:
      'FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not open cp_settings generic class cache for settings file\n> Cache entry corrupted: modules-2/metadata-2.106\n\n* Try:\n> Run with --stacktrace option to get the stack trace.\n\nBUILD FAILED in 3s',
    runs: ['rm -rf ~/.gradle/caches/modules-2'],
    report: 'The module cache of Gradle was corrupted. I deleted it and the build works again.',
    title: ['Cache entry corrupted'],
    cause: 'The module cache of Gradle was corrupted.',
    fix: ['I deleted it', 'rm -rf ~/.gradle/caches/modules-2'],
  },
  {
    command: 'make image',
    output:
      '#9 [4/7] COPY yarn.lock ./\n#9 ERROR: failed to calculate checksum of ref abc::def: "/yarn.lock": not found\n------\nERROR: failed to solve: failed to compute cache key\nmake: *** [Makefile:12: image] Error 1',
    edits: ['.dockerignore'],
    report: 'The .dockerignore left out *.lock. I removed that line and make image works.',
    title: ['yarn.lock', 'not found'],
    cause: 'The .dockerignore left out *.lock.',
    fix: [/^The \.dockerignore left out \*\.lock\. I removed that line/, 'Changed: .dockerignore.'],
  },
  {
    command: 'npx tsc -p .',
    output:
      "src/api/client.ts(14,9): error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'string'.",
    edits: ['src/api/client.ts', 'tsconfig.json'],
    report:
      'noUncheckedIndexedAccess was switched on with the new tsconfig, so the header may be undefined. I added a default.',
    title: ['TS2345', 'Argument of type'],
    cause: /noUncheckedIndexedAccess was switched on/,
  },
  {
    command: 'terraform apply -auto-approve',
    output:
      'Acquiring state lock. This may take a few moments...\n╷\n│ Error: Error acquiring the state lock\n│ \n│ Error message: ConditionalCheckFailedException: The conditional request failed\n│ Lock Info:\n│   ID:        9db590f1-b6fe-c5f2-2678-8804f089deba\n╵',
    runs: ['terraform force-unlock -force 9db590f1-b6fe-c5f2-2678-8804f089deba'],
    report: 'A cancelled pipeline still held the lock. I unlocked the state.',
    title: [/acquiring the state lock|conditional request failed/],
    cause: 'A cancelled pipeline still held the lock.',
  },
  {
    command: 'npm ci',
    output:
      'npm error code ERESOLVE\nnpm error ERESOLVE could not resolve\nnpm error\nnpm error While resolving: react-beautiful-dnd@13.1.1\nnpm error Found: react@19.0.0\nnpm error Could not resolve dependency:\nnpm error peer react@"^16.8.5 || ^17.0.0 || ^18.0.0" from react-beautiful-dnd@13.1.1\nnpm error A complete log of this run can be found in: /root/.npm/_logs/x.log',
    edits: ['package.json'],
    report: 'react-beautiful-dnd does not accept React 19. I replaced it by @hello-pangea/dnd.',
    title: ['ERESOLVE', /peer react|could not resolve/i],
    cause: 'react-beautiful-dnd does not accept React 19.',
    fix: ['@hello-pangea/dnd'],
  },
  {
    command: 'mvn -q verify',
    output:
      '[ERROR] COMPILATION ERROR :\n[ERROR] /app/src/main/java/App.java:[7,17] package javax.annotation does not exist\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project app: Compilation failure\n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.',
    edits: ['pom.xml'],
    report: 'javax.annotation is no longer part of the JDK since 11. I added jakarta.annotation-api.',
    title: ['package javax.annotation does not exist'],
    cause: /javax\.annotation is no longer part of the JDK/,
  },
  {
    command: 'pip install -r requirements.txt',
    output:
      '  error: subprocess-exited-with-error\n  × Getting requirements to build wheel did not run successfully.\n  │ exit code: 1\n      AttributeError: cython_sources\n  note: This error originates from a subprocess, and is likely not a problem with pip.\nerror: metadata-generation-failed',
    edits: ['requirements.txt'],
    report: 'PyYAML 5.4 does not build with Cython 3. I raised it to 6.0.1.',
    title: ['AttributeError', 'cython_sources'],
    cause: 'PyYAML 5.4 does not build with Cython 3.',
  },
  {
    command: 'cargo test',
    output:
      'error[E0433]: failed to resolve: use of undeclared crate or module `rand`\n --> src/lib.rs:3:5\nerror: aborting due to previous error\nFor more information about this error, try `rustc --explain E0433`.\nerror: could not compile `sampler` (lib) due to 1 previous error',
    runs: ['cargo add rand'],
    report: 'rand was only a dependency of another workspace member. I added it here.',
    title: ['E0433', 'undeclared crate or module'],
    cause: /rand was only a dependency/,
  },
  {
    command: 'go build ./...',
    output:
      'go: updates to go.mod needed\ngo: example.com/app imports\n\tgithub.com/jackc/pgx/v5: no required module provides package github.com/jackc/pgx/v5; to add it:\n\tgo get github.com/jackc/pgx/v5',
    runs: ['go get github.com/jackc/pgx/v5'],
    title: ['no required module provides package github.com/jackc/pgx/v5'],
    fix: ['Ran: `go get github.com/jackc/pgx/v5`.'],
  },
  {
    command: 'kubectl apply -f deploy.yaml',
    output:
      'error: unable to recognize "deploy.yaml": no matches for kind "Ingress" in version "extensions/v1beta1"',
    edits: ['deploy.yaml'],
    report:
      'The cluster dropped extensions/v1beta1 in 1.22. I changed the apiVersion to networking.k8s.io/v1.',
    title: ['no matches for kind "Ingress"'],
    cause: 'The cluster dropped extensions/v1beta1 in 1.22.',
  },
  {
    command: 'docker compose up -d',
    output:
      'Error response from daemon: driver failed programming external connectivity on endpoint app-db-1: Bind for 0.0.0.0:5432 failed: port is already allocated',
    runs: ['docker stop old-db'],
    report: 'Another container still held port 5432. I stopped it.',
    title: ['port is already allocated'],
    cause: 'Another container still held port 5432.',
    fix: ['I stopped it.', 'docker stop old-db'],
  },
  {
    command: 'npm run build',
    output:
      "> web@2.1.0 build\n> next build\n\nFailed to compile.\n\n./app/page.tsx\nModule not found: Can't resolve '@/lib/money' in '/app/app'\n\n> Build failed because of webpack errors",
    edits: ['tsconfig.json'],
    report: 'Root cause: the paths alias pointed at ./lib after the move to src. I set it to ./src/lib.',
    title: ["Can't resolve '@/lib/money'"],
    cause: /paths alias pointed at \.\/lib/,
  },
  {
    command: 'pytest tests/test_tz.py -q',
    output:
      "E       zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key Europe/Vienna'\n=========== short test summary info ===========\nFAILED tests/test_tz.py::test_local - zoneinfo._common.ZoneInfoNotFoundError\n1 failed in 0.11s",
    runs: ['pip install tzdata'],
    report: 'The slim image has no tz database. I installed tzdata.',
    title: ['ZoneInfoNotFoundError', 'Europe/Vienna'],
    cause: 'The slim image has no tz database.',
  },
  {
    command: 'bundle install',
    output:
      "Gem::Ext::BuildError: ERROR: Failed to build gem native extension.\nchecking for pg_config... no\nNo pg_config... trying anyway.\nCan't find the 'libpq-fe.h header\n*** extconf.rb failed ***",
    runs: ['sudo apt-get install -y libpq-dev'],
    report: 'The headers of libpq were missing. I installed libpq-dev.',
    title: [/libpq-fe\.h header|native extension/],
    cause: 'The headers of libpq were missing.',
  },
  {
    command: 'yarn install --frozen-lockfile',
    output:
      'error lottie-web@5.12.2: The engine "node" is incompatible with this module. Expected version ">=20". Got "18.17.0"\nerror Found incompatible module.\ninfo Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command.',
    edits: ['.nvmrc'],
    runs: ['nvm use 20'],
    report: 'lottie-web needs Node 20 and .nvmrc still named 18. I changed .nvmrc.',
    title: ['engine "node" is incompatible'],
    cause: /lottie-web needs Node 20/,
  },
  {
    command: 'git push origin main',
    output:
      'remote: error: GH001: Large files detected. You may want to try Git Large File Storage.\nremote: error: File data/dump.sql is 132.00 MB; this exceeds the file size limit of 100.00 MB\n ! [remote rejected] main -> main (pre-receive hook declined)\nerror: failed to push some refs',
    runs: ['git lfs migrate import --include=data/dump.sql'],
    report: 'The dump was committed without LFS. I moved it to LFS with git lfs migrate.',
    title: [/GH001|exceeds the file size limit|Large files/],
    cause: 'The dump was committed without LFS.',
  },
  {
    command: 'alembic upgrade head',
    output:
      'Traceback (most recent call last):\n  File "/app/env.py", line 3, in run\nsqlalchemy.exc.ProgrammingError: (psycopg2.errors.DuplicateTable) relation "orders" already exists',
    runs: ['alembic stamp 4f2a'],
    report: 'The table was created by hand before the migration existed. I stamped the revision.',
    title: ['relation "orders" already exists'],
    cause: 'The table was created by hand before the migration existed.',
  },
  {
    command: 'cd web && npm run test:e2e -- --project=chromium 2>&1 | tail -40',
    output:
      "browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1148/chrome\n1 failed",
    runs: ['npx playwright install chromium'],
    report: 'Playwright was upgraded without its browser. I installed chromium.',
    title: ['npm run test:e2e', "Executable doesn't exist"],
    cause: 'Playwright was upgraded without its browser.',
  },
  {
    command: 'helm upgrade --install api ./chart',
    output: 'Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress',
    runs: ['kubectl delete secret sh.helm.release.v1.api.v7'],
    report: 'A killed release left its secret pending. I deleted the secret of version 7.',
    title: ['another operation (install/upgrade/rollback) is in progress'],
    cause: 'A killed release left its secret pending.',
  },
  {
    command: 'dotnet build',
    output:
      '/src/App.csproj : error NU1605: Detected package downgrade: Microsoft.Extensions.Logging from 8.0.0 to 7.0.0. Reference the package directly from the project to select a different version.\n\nBuild FAILED.\n    0 Warning(s)\n    1 Error(s)',
    edits: ['src/App.csproj'],
    report: 'The library asks for Logging 8 while the project pinned 7. I raised the pin.',
    title: ['NU1605', 'package downgrade'],
    cause: /asks for Logging 8/,
  },
  {
    command: 'composer install',
    output:
      'Your lock file does not contain a compatible set of packages. Please run composer update.\n\n  Problem 1\n    - symfony/console v7.0.1 requires php >=8.2 -> your php version (8.1.27) does not satisfy that requirement.',
    edits: ['composer.json'],
    runs: ['composer update'],
    title: [/compatible set of packages|php/],
  },
  {
    command: 'pod install',
    output:
      '[!] CocoaPods could not find compatible versions for pod "Firebase/Core":\n  In Podfile:\n    Firebase/Core (= 10.9.0)\nSpecs satisfying the dependency were found, but they required a higher minimum deployment target.',
    edits: ['ios/Podfile'],
    report: 'Firebase 10.9 requires iOS 13 and the Podfile said 11. I set platform :ios, "13.0".',
    title: ['could not find compatible versions for pod "Firebase/Core"'],
    cause: /Firebase 10\.9 requires iOS 13/,
  },
  {
    command: 'node server.js',
    output:
      'node:internal/errors:496\n    ErrorCaptureStackTrace(err);\n    ^\nTypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /app/config.ts\n    at new NodeError (node:internal/errors:405:5) {\n  code: \'ERR_UNKNOWN_FILE_EXTENSION\'\n}\n\nNode.js v18.17.0',
    edits: ['package.json'],
    report: 'Node 18 cannot load TypeScript. I pinned Node 24 in engines and .nvmrc.',
    title: ['ERR_UNKNOWN_FILE_EXTENSION', 'Unknown file extension ".ts"'],
    cause: 'Node 18 cannot load TypeScript.',
  },
  {
    command: 'php artisan migrate',
    output: 'SQLSTATE[HY000] [2002] Connection refused (Connection: mysql, SQL: select * from migrations)',
    edits: ['.env'],
    report: 'DB_HOST was 127.0.0.1, which is the container itself. I set it to mysql.',
    title: ['Connection refused'],
    cause: /DB_HOST was 127\.0\.0\.1/,
  },
  {
    command: 'aws s3 sync dist s3://site',
    output:
      'fatal error: An error occurred (ExpiredToken) when calling the ListObjectsV2 operation: The provided token has expired.',
    runs: ['aws sso login'],
    report: 'The SSO session had expired. I signed in again.',
    title: ['token has expired'],
    cause: 'The SSO session had expired.',
  },
  {
    command: 'eslint .',
    output:
      "Oops! Something went wrong! :(\n\nESLint: 9.14.0\n\nESLint couldn't find an eslint.config.(js|mjs|cjs) file.\nFrom ESLint v9.0.0, the default configuration file is now eslint.config.js.",
    edits: ['eslint.config.js'],
    runs: ['git rm .eslintrc.json'],
    report: 'ESLint 9 no longer reads .eslintrc.json. I moved the rules to eslint.config.js.',
    title: ["couldn't find an eslint.config"],
    cause: 'ESLint 9 no longer reads .eslintrc.json.',
  },
  {
    command: 'npm start',
    output:
      "Error: error:0308010C:digital envelope routines::unsupported\n  opensslErrorStack: [ 'error:03000086:digital envelope routines::initialization error' ],\n  code: 'ERR_OSSL_EVP_UNSUPPORTED'",
    edits: ['package.json'],
    report: 'webpack 4 hashes with MD4, which OpenSSL 3 no longer has. I upgraded react-scripts to 5.',
    title: ['ERR_OSSL_EVP_UNSUPPORTED', 'digital envelope routines::unsupported'],
    cause: 'webpack 4 hashes with MD4, which OpenSSL 3 no longer has.',
    fix: ['react-scripts to 5'],
  },
  {
    command: 'python manage.py runserver',
    output: 'django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.',
    runs: ['cp .env.example .env'],
    report: 'There was no .env after the fresh clone. I copied the example.',
    title: ['SECRET_KEY setting must not be empty'],
    cause: 'There was no .env after the fresh clone.',
  },
  {
    command: 'psql -f schema.sql app',
    output:
      'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: FATAL:  role "app" does not exist',
    runs: ['createuser app'],
    title: ['role "app" does not exist'],
    fix: ['Ran: `createuser app`.'],
  },
  {
    command: 'cmake --build build',
    output:
      '/src/net.cpp:4:10: fatal error: curl/curl.h: No such file or directory\ncompilation terminated.\nninja: build stopped: subcommand failed.',
    runs: ['apt-get install -y libcurl4-openssl-dev'],
    report: 'The image lacks the headers of curl. I installed libcurl4-openssl-dev.',
    title: ['curl/curl.h: No such file or directory'],
    cause: 'The image lacks the headers of curl.',
  },
  {
    command: 'flutter build apk',
    output:
      "FAILURE: Build failed with an exception.\n\n* Where:\nBuild file '/app/android/build.gradle' line: 12\n\n* What went wrong:\nA problem occurred configuring project ':app'.\n> Failed to find target with hash string 'android-34' in: /opt/android-sdk\n\nBUILD FAILED in 1s",
    runs: ['sdkmanager "platforms;android-34"', 'flutter clean'],
    title: ["Failed to find target with hash string 'android-34'"],
  },
  {
    command: 'swift build',
    output: "error: no such module 'ArgumentParser'\nimport ArgumentParser\n       ^\nerror: fatalError",
    edits: ['Package.swift'],
    report: 'The target did not list ArgumentParser as a dependency. I added the product.',
    title: ["no such module 'ArgumentParser'"],
    cause: 'The target did not list ArgumentParser as a dependency.',
  },
  {
    command: 'mix test',
    output: "** (Mix) The database for App.Repo couldn't be created: killed",
    runs: ['docker compose up -d postgres'],
    report: 'Postgres was not running. I started it.',
    title: ["couldn't be created"],
    cause: 'Postgres was not running.',
  },
  {
    command: 'npm run deploy',
    output: 'Error: P1001',
    edits: ['.env.production'],
    report: 'The firewall blocks port 5432 from outside. I set DATABASE_URL to the pooler on 6543.',
    title: ['P1001', 'firewall blocks port 5432'],
    cause: 'The firewall blocks port 5432 from outside.',
  },
  {
    command: 'npm run sync',
    output: 'Error: E4711',
    runs: ['npm install ledger-client@4'],
    title: ['with E4711', 'npm install ledger-client@4'],
  },
  {
    command: 'npm ci',
    succeeded: 'rm -rf node_modules package-lock.json && npm install && npm ci',
    output:
      'npm error code EINTEGRITY\nnpm error sha512-abc integrity checksum failed when using sha512: wanted sha512-abc but got sha512-def.',
    title: ['EINTEGRITY', 'integrity checksum failed'],
    fix: ['rm -rf node_modules package-lock.json'],
  },
  {
    command: 'npm run build',
    succeeded: 'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
    output: 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    title: ['JavaScript heap out of memory'],
    fix: ['NODE_OPTIONS=--max-old-space-size=4096'],
  },
  {
    command: 'ansible-playbook site.yml',
    output:
      'fatal: [web1]: FAILED! => {"changed": false, "msg": "Failed to import the required Python library (psycopg2) on web1\'s Python /usr/bin/python3."}\n\nPLAY RECAP *****\nweb1 : ok=3 changed=0 unreachable=0 failed=1',
    runs: ['ansible-galaxy collection install community.postgresql'],
    edits: ['site.yml'],
    report: 'The module needs psycopg2 on the target. I added a task that installs python3-psycopg2.',
    title: ['Failed to import the required Python library (psycopg2)'],
    cause: 'The module needs psycopg2 on the target.',
  },
]

const said = (by: 'agent' | 'person', text: string): Step => ({ kind: 'said', by, text })
const ran = (command: string, exitCode: number, output: string): Step => ({
  kind: 'command',
  command,
  exitCode,
  output,
})

function draftOf({ command, succeeded = command, output, edits = [], runs = [], report = '' }: Played) {
  const steps: Step[] = [
    said('person', 'Please make it work.'),
    ran(command, 1, output),
    ...edits.map((file): Step => ({ kind: 'edit', file })),
    ...runs.map((line) => ran(line, 0, 'done')),
    ran(succeeded, 0, '12 passed\nDone in 2.1s'),
    ...(report ? [said('agent', report)] : []),
  ]
  const [candidate] = mine({ steps, environment: {} }).candidates
  return candidate && draftCard(candidate)
}

/** Lines that every failure of a tool has. */
const SAYS_NOTHING =
  /Build failed with an exception|Compilation failure|Failed to compile|aborting due to|could not compile|exit code|non-zero|BUILD FAILED|Something went wrong|subprocess-exited|metadata-generation|compilation terminated|Execution failed for task|failed to push some refs|to add it|Read more|https?:\/\//i
const BARE = /fails: [A-Z]+[-_]?\d*$/

describe('a draft reads as a person would have written it', () => {
  test.each(SESSIONS.map((session) => [session.command, session] as const))('%s', (_, session) => {
    const draft = draftOf(session)
    expect(draft, 'a draft is made').toBeDefined()
    if (!draft) return
    const { title, root_cause, fix_summary } = draft
    expect(title).toMatch(/^`[^`]+` fails(?:: | with |, )\S/)
    expect(title.length).toBeLessThanOrEqual(140)
    expect(title).not.toMatch(SAYS_NOTHING)
    expect(title).not.toMatch(BARE)
    expect(title.split(' ').length, title).toBeGreaterThan(4)
    let rest = title
    for (const part of session.title) {
      const at = typeof part === 'string' ? rest.indexOf(part) : rest.search(part)
      expect(at, `${part} in: ${title}`).toBeGreaterThanOrEqual(0)
      rest = rest.slice(at)
    }
    if (session.cause === null) expect(root_cause).toBeNull()
    else if (session.cause instanceof RegExp) expect(root_cause).toMatch(session.cause)
    else if (session.cause !== undefined) expect(root_cause).toBe(session.cause)
    for (const part of session.fix ?? [])
      if (typeof part === 'string') expect(fix_summary).toContain(part)
      else expect(fix_summary).toMatch(part)
    expect(fix_summary).not.toBe('')
  })
})

test('numbers, dates and names of the output stay in the symptom', () => {
  const draft = draftOf(SESSIONS[0] as Played)
  expect(draft?.symptom).toContain(
    'The `20251101_add_orders` migration started at 2025-11-01 10:00:00.123 UTC failed',
  )
})

test('rows of the same sign cost no time', () => {
  const candidate = (text: string) => ({
    command: text,
    exit_code: 1,
    failure: text,
    success: '',
    attempts: 1,
    files: [],
    commands: [],
    report: text,
    environment: {},
  })
  const rows = [
    'a: ',
    'x.y:1 ',
    '| ',
    'Error: ',
    'It was; I ',
    '**Cause:** ',
    '. I ',
    '"a',
    '/a/b.c ',
    'so I ',
    '```\n',
  ]
  const draft = (row: string) => (length: number) => draftCard(candidate(row.repeat(length).slice(0, length)))
  expect(rows.filter((row) => growsTooFast(draft(row), 1000))).toEqual([])
})

test('a line that only prints more is no fix', () => {
  const [failing] = SESSIONS.filter(({ command }) => command === 'npm run build')
  expect(
    draftOf({ ...(failing as Played), edits: [], succeeded: 'CI=1 DEBUG=vite:* npm run build' }),
  ).toBeUndefined()
})
