import { asks, edit, npmFail, PASS, run, type Scene, says } from './script.ts'

/** Errors that were cured: each has one failing command, what was changed, and the same command succeeding. */
export const PAIRS: readonly Scene[] = [
  {
    name: 'a missing package is installed',
    pair: () => 'npm test',
    steps: ({ name }) => [
      asks('Make the tests pass.'),
      run(
        'npm test',
        1,
        npmFail(`Error: Cannot find module '@${name}/client'\nRequire stack:\n- src/index.ts`),
      ),
      says(`The package is not installed. I add it.`),
      run(`npm install @${name}/client`, 0, 'added 1 package in 2s'),
      run('npm test', 0, PASS),
      says(`Fixed: @${name}/client was missing from package.json; I installed it.`),
    ],
  },
  {
    name: 'a path alias is missing from the settings',
    pair: () => 'npx tsc --noEmit',
    steps: ({ file }) => [
      run(
        'npx tsc --noEmit',
        2,
        `src/${file}.ts(3,21): error TS2307: Cannot find module '#lib/${file}' or its corresponding type declarations.`,
      ),
      edit('tsconfig.json'),
      run('tsc --noEmit 2>&1', 0, ''),
      says('The alias was missing in tsconfig.json; I added it to paths.'),
    ],
  },
  {
    name: 'a python module is added to the project',
    pair: () => 'pytest -q',
    steps: ({ name }) => [
      run(
        'pytest -q',
        2,
        `ImportError while importing test module\ntests/test_api.py:3: in <module>\nE   ModuleNotFoundError: No module named '${name}_sdk'\n1 error in 0.32s`,
      ),
      edit('pyproject.toml'),
      run('uv sync', 0, 'Resolved 41 packages'),
      run('python -m pytest -q', 0, '24 passed in 1.21s'),
      says('The module was not declared, so I added it to pyproject.toml.'),
    ],
  },
  {
    name: 'a file is kept out of the build context',
    pair: ({ name }) => `docker build -t ${name} .`,
    steps: ({ name }) => [
      run(
        `docker build -t ${name} .`,
        1,
        `#9 ERROR: failed to calculate checksum of ref: "/package-lock.json": not found\nERROR: failed to solve: failed to compute cache key`,
      ),
      says('The lock file is listed in .dockerignore.'),
      edit('.dockerignore'),
      run(`docker build -t ${name} .`, 0, '#14 naming to docker.io/library/app done'),
    ],
  },
  {
    name: 'a service is started',
    pair: () => 'npm run test:db',
    steps: ({ port }) => [
      run(
        'npm run test:db',
        1,
        npmFail(`Error: connect ECONNREFUSED 127.0.0.1:${port}\n    at TCPConnectWrap.afterConnect`),
      ),
      run('docker compose up -d db', 0, 'Container app-db-1  Started'),
      run('npm run test:db', 0, PASS),
      says('The database was not running; I started it with docker compose.'),
    ],
  },
  {
    name: 'the module kind is set',
    pair: () => 'node scripts/load.js',
    steps: ({ name }) => [
      run(
        'node scripts/load.js',
        1,
        `Error [ERR_REQUIRE_ESM]: require() of ES Module /app/node_modules/${name}/index.js not supported.`,
      ),
      edit('package.json'),
      edit('scripts/load.js'),
      run('node scripts/load.js', 0, 'loaded 40 rows'),
      says('The package is ESM only, so I set "type": "module" and replaced require by import.'),
    ],
  },
  {
    name: 'module sums are tidied',
    pair: () => 'go test ./...',
    steps: ({ name }) => [
      run(
        'go test ./...',
        1,
        `main.go:8:2: missing go.sum entry for module providing package example.com/${name} (imported by app); to add:\n\tgo get app`,
      ),
      run('go mod tidy', 0, `go: finding module for package example.com/${name}`),
      run('go test ./...', 0, `ok  \tapp\t0.41s`),
    ],
  },
  {
    name: 'a system library is installed',
    pair: () => 'cargo build',
    steps: () => [
      run(
        'cargo build',
        101,
        'error: failed to run custom build command for `openssl-sys v0.9.102`\nCould not find directory of OpenSSL installation\nthread main panicked at build/find_normal.rs',
      ),
      says('pkg-config and the headers of OpenSSL are missing.'),
      run('sudo apt-get install -y pkg-config libssl-dev', 0, 'Setting up libssl-dev'),
      run('cargo build', 0, '    Finished dev [unoptimized + debuginfo] target(s) in 41.2s'),
    ],
  },
  {
    name: 'a version conflict is solved',
    pair: () => 'pip install -r requirements.txt',
    steps: ({ name }) => [
      run(
        'pip install -r requirements.txt',
        1,
        `ERROR: Cannot install ${name}==2.0 and requests==2.19 because these package versions have conflicting dependencies.\nERROR: ResolutionImpossible`,
      ),
      edit('requirements.txt'),
      run('pip3 install -r requirements.txt', 0, `Successfully installed ${name}-2.0 requests-2.31`),
      says('I raised requests to 2.31, which both accept.'),
    ],
  },
  {
    name: 'a client is generated',
    pair: () => 'npm test',
    steps: () => [
      run(
        'npm test',
        1,
        npmFail(
          'Error: @prisma/client did not initialize yet. Please run "prisma generate" and try to import it again.',
        ),
      ),
      run('npx prisma generate', 0, 'Generated Prisma Client'),
      run('npm run test', 0, PASS),
    ],
  },
  {
    name: 'a port is freed',
    pair: () => 'npm run e2e',
    steps: ({ port }) => [
      run(
        'npm run e2e',
        1,
        `Error: listen EADDRINUSE: address already in use :::${port}\n    at Server.setupListenHandle`,
      ),
      run(`lsof -ti :${port}`, 0, '4242'),
      run('kill 4242', 0, ''),
      run('npm run e2e', 0, '8 passed (12.1s)'),
    ],
  },
  {
    name: 'a script is made executable',
    pair: () => './scripts/deploy.sh staging',
    steps: () => [
      run('./scripts/deploy.sh staging', 126, 'bash: ./scripts/deploy.sh: Permission denied'),
      run('chmod +x scripts/deploy.sh', 0, ''),
      run('./scripts/deploy.sh staging', 0, 'deployed'),
    ],
  },
  {
    name: 'a build gets more memory',
    pair: () => 'npm run build',
    steps: () => [
      run(
        'npm run build',
        134,
        'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\nAborted (core dumped)',
      ),
      edit('package.json'),
      run('npm run build', 0, 'built in 41.20s'),
      says('The build needs more memory: I set --max-old-space-size=4096 in the script.'),
    ],
  },
  {
    name: 'a test program learns modules',
    pair: () => 'npx jest',
    steps: ({ file }) => [
      run(
        'npx jest',
        1,
        `FAIL src/${file}.test.js\n  ● Test suite failed to run\n    SyntaxError: Cannot use import statement outside a module`,
      ),
      edit('jest.config.js'),
      run('npx jest', 0, 'PASS src/a.test.js\nTests:       9 passed, 9 total'),
    ],
  },
  {
    name: 'an old build runs on a new runtime',
    pair: () => 'yarn build',
    steps: () => [
      run(
        'yarn build',
        1,
        "Error: error:0308010C:digital envelope routines::unsupported\n  code: 'ERR_OSSL_EVP_UNSUPPORTED'",
      ),
      says('webpack 4 uses MD4, which OpenSSL 3 no longer has.'),
      edit('webpack.config.js'),
      run('yarn build', 0, 'compiled successfully'),
    ],
  },
  {
    name: 'the end of the output is all that is shown',
    pair: () => 'npm test 2>&1 | tail -20',
    steps: ({ file }) => [
      run(
        'npm test 2>&1 | tail -20',
        0,
        npmFail(`TypeError: Cannot read properties of undefined (reading 'rows')\n ❯ src/${file}.ts:14:20`),
      ),
      edit(`src/${file}.ts`),
      run('npm test 2>&1 | tail -20', 0, PASS),
      says(`The query may return nothing; I added a guard in src/${file}.ts.`),
    ],
  },
  {
    name: 'another exchange comes between',
    pair: () => 'bundle exec rspec',
    steps: ({ name }) => [
      asks('Run the specs.'),
      run(
        'bundle exec rspec',
        7,
        `Could not find gem '${name}' in locally installed gems.\nRun \`bundle install\` to install missing gems.`,
      ),
      says('A gem is missing. Shall I install it?'),
      asks('Yes.'),
      run('bundle install', 0, 'Bundle complete! 21 Gemfile dependencies'),
      says('Installed.'),
      asks('Now run them again.'),
      run('bundle exec rspec', 0, '120 examples, 0 failures'),
      says('All specs pass now: the gem was missing.'),
    ],
  },
  {
    name: 'one error hides another',
    pair: () => 'npm run build',
    steps: ({ file, name }) => [
      run('npm run build', 1, `[vite]: Rollup failed to resolve import "${name}-kit" from "src/${file}.ts".`),
      run(`npm i ${name}-kit`, 0, 'added 3 packages'),
      run(
        'npm run build',
        1,
        `RollupError: "useThing" is not exported by "node_modules/${name}-kit/index.js", imported by "src/${file}.ts".`,
      ),
      edit(`src/${file}.ts`),
      run('npm run build', 0, 'built in 3.20s'),
      says('The kit renamed its export in version 2, so I changed the import.'),
    ],
  },
  {
    name: 'the folder is named once',
    pair: ({ name }) => `cd packages/${name} && npm run build`,
    steps: ({ name }) => [
      run(
        `cd packages/${name} && npm run build`,
        2,
        `error TS6059: File '/app/shared/index.ts' is not under 'rootDir'. 'rootDir' is expected to contain all source files.`,
      ),
      edit(`packages/${name}/tsconfig.json`),
      run('npm run build', 0, ''),
    ],
  },
  {
    name: 'tables are made',
    pair: () => 'python manage.py test',
    steps: ({ name }) => [
      run(
        'python manage.py test',
        1,
        `django.db.utils.OperationalError: no such table: ${name}_entry\nFAILED (errors=1)`,
      ),
      run(`python manage.py makemigrations ${name}`, 0, `Migrations for '${name}'`),
      run('python manage.py migrate', 0, 'Applying migrations... OK'),
      run('python manage.py test', 0, 'Ran 31 tests in 2.1s\n\nOK'),
    ],
  },
  {
    name: 'a plugin of the linter is missing',
    pair: () => 'npm run lint',
    steps: ({ name }) => [
      run(
        'npm run lint',
        2,
        `Oops! Something went wrong!\nESLint couldn't find the plugin "eslint-plugin-${name}".`,
      ),
      run(`npm install -D eslint-plugin-${name}`, 0, 'added 4 packages'),
      run('npm run lint', 0, ''),
    ],
  },
  {
    name: 'an old bug is mended',
    pair: () => 'npx vitest run',
    steps: ({ file }) => [
      run(
        'npx vitest run',
        1,
        ` FAIL  src/${file}.test.ts > totals\nTypeError: Cannot read properties of null (reading 'amount')\n ❯ src/${file}.ts:31:12`,
      ),
      says('The row can be null when the account is new.'),
      edit(`src/${file}.ts`, 'row.amount', 'row?.amount ?? 0'),
      run('npx vitest run', 0, PASS),
    ],
  },
  {
    name: 'tests depend on the time zone',
    pair: () => 'pnpm test',
    steps: ({ file }) => [
      run(
        'pnpm test',
        1,
        npmFail(
          `AssertionError: expected '2026-03-01T23:00' to be '2026-03-02T00:00'\n ❯ test/${file}.test.ts:9:5`,
        ),
      ),
      says('The test expects UTC, and the machine has another time zone.'),
      edit('vitest.config.ts'),
      run('pnpm test', 0, PASS),
    ],
  },
  {
    name: 'a build tool needs another runtime',
    pair: () => './gradlew build',
    steps: () => [
      run(
        './gradlew build',
        1,
        'FAILURE: Build failed with an exception.\n> Unsupported class file major version 65',
      ),
      edit('gradle/wrapper/gradle-wrapper.properties'),
      run('./gradlew build', 0, 'BUILD SUCCESSFUL in 41s'),
    ],
  },
  {
    name: 'providers are fetched again',
    pair: () => 'terraform plan',
    steps: ({ name }) => [
      run(
        'terraform plan',
        1,
        `Error: Inconsistent dependency lock file\nprovider registry.terraform.io/acme/${name}: locked version selection doesn't match`,
      ),
      run('terraform init -upgrade', 0, 'Terraform has been successfully initialized!'),
      run('terraform plan', 0, 'No changes.'),
    ],
  },
  {
    name: 'headers are missing',
    pair: () => 'make',
    steps: ({ file }) => [
      run(
        'make',
        2,
        `src/${file}.c:1:10: fatal error: Python.h: No such file or directory\nmake: *** [Makefile:12: all] Error 1`,
      ),
      run('apt-get install -y python3-dev', 0, 'Setting up python3-dev'),
      run('make', 0, 'cc -o app'),
    ],
  },
  {
    name: 'a setting is written from the command line',
    pair: () => 'npm ci',
    steps: ({ name }) => [
      run(
        'npm ci',
        1,
        `npm error code E401\nnpm error Unable to authenticate, your authentication token seems to be invalid for @${name}`,
      ),
      run(`cat > .npmrc <<'END'\n@${name}:registry=https://npm.example.com\nEND`, 0, ''),
      run('npm ci', 0, 'added 240 packages in 9s'),
      says('The scope needs its registry, so I added it to .npmrc.'),
    ],
  },
  {
    name: 'the environment is copied',
    pair: () => 'npm run seed',
    steps: () => [
      run('npm run seed', 1, 'Error: DATABASE_URL is not set\n    at config.ts:8:11'),
      run('cp .env.example .env', 0, ''),
      run('npm run seed', 0, 'seeded 12 rows'),
    ],
  },
  {
    name: 'a stub is replaced in place',
    pair: () => 'deno task check',
    steps: ({ file }) => [
      run(
        'deno task check',
        1,
        `error: Relative import path "std/${file}" not prefixed with / or ./ or ../\n    at file:///app/mod.ts:1:20`,
      ),
      run(`sed -i 's#std/${file}#jsr:@std/${file}#' mod.ts`, 0, ''),
      run('deno task check', 0, 'Check mod.ts'),
    ],
  },
  {
    name: 'a build inside a longer line succeeds',
    pair: () => 'npm run typecheck',
    steps: ({ name }) => [
      run(
        'npm run typecheck',
        2,
        `error TS2688: Cannot find type definition file for '${name}'.\n  The file is in the program because: Entry point for implicit type library`,
      ),
      run(`npm install --save-dev @types/${name}`, 0, 'added 1 package'),
      run('npm run typecheck && npm test', 0, PASS),
    ],
  },
]

const ALL_PASS = ' Test Files  1 passed (1)\n      Tests  12 passed (12)'
const OK = '24 passed in 1.80s'
const failing = (error: string) =>
  `${error}\n\n Test Files  1 failed (1)\n      Tests  1 failed | 11 passed (12)`
const thrown = (file: string) =>
  failing(` FAIL  src/${file}.test.ts\nTypeError: Cannot read properties of undefined (reading 'id')`)

/** What looks like a cure and is none. */
export const NON_PAIRS: readonly Scene[] = [
  {
    name: 'flaky: it passes the second time',
    steps: ({ file }) => [
      run('npm test', 1, thrown(file)),
      says('I run it again.'),
      run('npm test', 0, ALL_PASS),
    ],
  },
  {
    name: 'flaky: only prose was edited meanwhile',
    steps: ({ file }) => [
      run('npx vitest run', 1, thrown(file)),
      edit('README.md'),
      edit('docs/guide.md'),
      run('npx vitest run', 0, ALL_PASS),
    ],
  },
  {
    name: 'another command succeeds',
    steps: ({ file }) => [
      run('npm test', 1, thrown(file)),
      edit(`src/${file}.ts`),
      run('npm run lint', 0, ''),
      says('Lint is clean.'),
    ],
  },
  {
    name: 'only a part is run again',
    steps: ({ file }) => [
      run('npx vitest run', 1, thrown(file)),
      edit(`src/${file}.ts`),
      run(`npx vitest run src/${file}.test.ts`, 0, ALL_PASS),
    ],
  },
  {
    name: 'a search finds nothing, then something',
    steps: ({ name, file }) => [
      run(`grep -rn "${name}Error" src/`, 1, ''),
      edit(`src/${file}.ts`),
      run(`grep -rn "${name}Error" src/`, 0, `src/${file}.ts:3:class ${name}Error extends Error`),
    ],
  },
  {
    name: 'a comparison differs, then not',
    steps: ({ file }) => [
      run(`diff expected.txt ${file}.txt`, 1, `1c1\n< Error: expected\n---\n> Error: found`),
      edit(`${file}.txt`),
      run(`diff expected.txt ${file}.txt`, 0, ''),
    ],
  },
  {
    name: 'a question for a file',
    steps: ({ file }) => [
      run(`ls src/${file}.ts`, 2, `ls: cannot access 'src/${file}.ts': No such file or directory`),
      edit(`src/${file}.ts`),
      run(`ls src/${file}.ts`, 0, `src/${file}.ts`),
    ],
  },
  {
    name: 'the failing test comes first, and is announced',
    steps: ({ file }) => [
      asks('Do it test first, please.'),
      edit(`test/${file}.test.ts`),
      says('I write the failing test first and confirm it fails.'),
      run('npm test', 1, failing(`AssertionError: expected undefined to be 3\n ❯ test/${file}.test.ts:4:18`)),
      edit(`src/${file}.ts`),
      run('npm test', 0, ALL_PASS),
    ],
  },
  {
    name: 'the failing test comes first, unannounced',
    steps: ({ file }) => [
      edit(`test/${file}.test.ts`),
      run(
        'npx vitest run',
        1,
        failing(` FAIL  test/${file}.test.ts\nAssertionError: expected [Function] to be 3`),
      ),
      edit(`src/${file}.ts`),
      run('npx vitest run', 0, ALL_PASS),
      says('The new function is there.'),
    ],
  },
  {
    name: 'the edit is taken back',
    steps: ({ file }) => [
      run('npm test', 1, thrown(file)),
      edit(`src/${file}.ts`, 'a.id', 'a?.id'),
      edit(`src/${file}.ts`, 'a?.id', 'a.id'),
      says('That was not it; I put it back.'),
      run('npm test', 0, ALL_PASS),
    ],
  },
  {
    name: 'all edits are thrown away',
    steps: ({ file, pick }) => [
      run('go test ./...', 1, `--- FAIL: TestTotals (0.00s)\n    ${file}_test.go:12: got 3, want 4\nFAIL`),
      edit(`${file}.go`),
      run(pick(['git checkout -- .', 'git stash', 'git reset --hard', 'git restore .']), 0, ''),
      run('go test ./...', 0, 'ok  \tapp\t0.2s'),
    ],
  },
  {
    name: 'the network was away',
    steps: ({ name, file, pick }) => [
      run(
        'npm install',
        1,
        `npm error code ${pick(['ETIMEDOUT', 'ECONNRESET', 'EAI_AGAIN'])}\nnpm error network request to https://registry.example.com/${name} failed`,
      ),
      edit(`src/${file}.ts`),
      run('npm install', 0, 'added 240 packages'),
    ],
  },
  {
    name: 'somebody stopped it',
    steps: ({ file, pick }) => [
      run('npm run build', pick([130, 143, 124]), 'transforming...\n^C\nerror: interrupted'),
      edit(`src/${file}.ts`),
      run('npm run build', 0, 'built in 4.1s'),
    ],
  },
  {
    name: 'the formatter formats',
    steps: ({ file, pick }) => {
      const [check, write, said] = pick([
        [
          'npx prettier --check .',
          'npx prettier --write .',
          `[warn] src/${file}.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.`,
        ],
        ['black --check .', 'black .', `would reformat ${file}.py\nOh no! 1 file would be reformatted.`],
        ['cargo fmt --check', 'cargo fmt', `Diff in src/${file}.rs:12:\n-let a=1;\n+let a = 1;`],
      ] as const)
      return [run(check, 1, said), run(write, 0, ''), edit(`src/${file}.ts`), run(check, 0, '')]
    },
  },
  {
    name: 'a slip in what was just written',
    steps: ({ file }) => [
      edit(`src/${file}.ts`),
      run('npx tsc --noEmit', 2, `src/${file}.ts(14,3): error TS1005: ';' expected.`),
      edit(`src/${file}.ts`),
      run('npx tsc --noEmit', 0, ''),
    ],
  },
  {
    name: 'a name that is not there yet',
    steps: ({ file, name }) => [
      edit(`src/${file}.ts`),
      run(
        'npm run typecheck',
        2,
        `src/${file}.ts(22,9): error TS2339: Property '${name}' does not exist on type 'Row'.`,
      ),
      edit(`src/${file}.ts`),
      run('npm run typecheck', 0, ''),
    ],
  },
  {
    name: 'the test is gone',
    steps: ({ file }) => [
      run('npx vitest run', 1, thrown(file)),
      run(`rm src/${file}.test.ts`, 0, ''),
      run('npx vitest run', 0, 'No test files found, exiting with code 0'),
    ],
  },
  {
    name: 'a failure that nobody minds',
    steps: ({ file }) => [
      run('npm run lint || true', 0, `src/${file}.ts\n  1:1  error  Unexpected any`),
      edit(`src/${file}.ts`),
      run('npm run lint || true', 0, ''),
    ],
  },
  {
    name: 'it fails again in the same way',
    steps: ({ file, other }) => [
      run('npm test', 1, thrown(file)),
      edit(`src/${other}.tsx`),
      run('npm test', 0, ALL_PASS),
      run('npm test', 1, thrown(file)),
      says('It comes and goes.'),
    ],
  },
  {
    name: 'time ran out, and something else was edited',
    steps: ({ file, other }) => [
      run(
        'npx playwright test',
        1,
        ` 1) ${file}.spec.ts\n    Error: Test timeout of 30000ms exceeded.\n  1 failed`,
      ),
      edit(`src/${other}.css`),
      run('npx playwright test', 0, '14 passed (21.3s)'),
    ],
  },
  {
    name: 'it never succeeds',
    steps: ({ file }) => [
      run(
        'cargo test',
        101,
        `error[E0277]: the trait bound \`Row: Clone\` is not satisfied\n --> src/${file}.rs:9:5`,
      ),
      edit(`src/${file}.rs`),
      run(
        'cargo test',
        101,
        `error[E0277]: the trait bound \`Row: Copy\` is not satisfied\n --> src/${file}.rs:11:5`,
      ),
      edit(`src/${file}.rs`),
      says('I leave it here.'),
    ],
  },
  {
    name: 'the end of the output says nothing',
    steps: ({ file }) => [
      run('npm run check 2>&1 | tail -5', 0, thrown(file)),
      edit(`src/${file}.ts`),
      run('npm run check 2>&1 | tail -5', 0, 'Done in 4.20s.'),
    ],
  },
  {
    name: 'it succeeded before',
    steps: ({ file }) => [
      run('npm test', 0, ALL_PASS),
      edit(`src/${file}.ts`),
      run('npm test', 1, thrown(file)),
      says('My change broke it; I stop here and ask.'),
    ],
  },
  {
    name: 'a server answers after a while',
    steps: ({ port, file }) => [
      run(
        `curl -sf http://localhost:${port}/health`,
        7,
        `curl: (7) Failed to connect to localhost port ${port}: Connection refused`,
      ),
      edit(`src/${file}.ts`),
      run(`curl -sf http://localhost:${port}/health`, 0, '{"status":"ok"}'),
    ],
  },
  {
    name: 'too many requests',
    steps: ({ file, name }) => [
      run(
        `docker pull acme/${name}`,
        1,
        'toomanyrequests: You have reached your pull rate limit. 429 Too Many Requests',
      ),
      edit(`src/${file}.ts`),
      run(`docker pull acme/${name}`, 0, 'Status: Downloaded newer image'),
    ],
  },
  {
    name: 'the same command in another folder',
    steps: ({ file }) => [
      run('cd packages/api && npm test', 1, thrown(file)),
      edit(`packages/web/src/${file}.tsx`),
      run('cd packages/web && npm test', 0, ALL_PASS),
    ],
  },
  {
    name: 'a report of findings',
    steps: ({ name }) => [
      run('npm audit', 1, `${name}  <2.0.0\nSeverity: high\n1 high severity vulnerability`),
      run('npm audit fix', 0, 'fixed 1 of 1'),
      edit('package-lock.json'),
      run('npm audit', 0, 'found 0 vulnerabilities'),
    ],
  },
  {
    name: 'a lint of what was just written',
    steps: ({ file, name }) => [
      edit(`src/${file}.ts`),
      run(
        'npx eslint src',
        1,
        `/app/src/${file}.ts\n  3:9  error  '${name}' is assigned a value but never used  no-unused-vars\n✖ 1 problem (1 error, 0 warnings)`,
      ),
      edit(`src/${file}.ts`),
      run('npx eslint src', 0, ''),
    ],
  },
  {
    name: 'broken on purpose, to see the test fail',
    steps: ({ file }) => [
      edit(`src/${file}.ts`, 'a < b', 'a > b'),
      run('npm test', 1, failing(` FAIL  src/${file}.test.ts\nAssertionError: expected false to be true`)),
      edit(`src/${file}.ts`, 'a > b', 'a < b'),
      run('npm test', 0, ALL_PASS),
      says('The test notices it.'),
    ],
  },
  {
    name: 'another branch',
    steps: ({ file, name }) => [
      run('npm run build', 1, `[vite]: Rollup failed to resolve import "./${file}" from "src/main.ts".`),
      run(`git checkout ${name}-branch`, 0, `Switched to branch '${name}-branch'`),
      run('npm run build', 0, 'built in 2.10s'),
    ],
  },
  {
    name: 'snapshots are taken anew',
    steps: ({ file }) => [
      run(
        'npx vitest run',
        1,
        ` FAIL  src/${file}.test.tsx > renders\nError: Snapshot \`renders 1\` mismatched\n 1 failed`,
      ),
      run('npx vitest run -u', 0, 'Snapshots  1 updated\n Tests  12 passed (12)'),
      run('npx vitest run', 0, ' Tests  12 passed (12)'),
    ],
  },
  {
    name: 'the linter mends it alone',
    steps: ({ file }) => [
      run('npm run lint', 1, `src/${file}.ts\n  4:1  error  Missing semicolon  semi\n✖ 1 problem`),
      run('npm run lint -- --fix', 0, ''),
      run('npm run lint', 0, ''),
    ],
  },
  {
    name: 'there was nothing to commit',
    steps: ({ file }) => [
      run('git commit -m "Add totals"', 1, 'On branch main\nnothing to commit, working tree clean'),
      edit(`src/${file}.ts`),
      run('git add -A', 0, ''),
      run('git commit -m "Add totals"', 0, '[main 1a2b3c4] Add totals'),
    ],
  },
  {
    name: 'a rollout takes its time',
    steps: ({ name, other }) => [
      run(
        `kubectl rollout status deploy/${name} --timeout=30s`,
        1,
        'error: timed out waiting for the condition',
      ),
      edit(`src/${other}.tsx`),
      run(`kubectl rollout status deploy/${name} --timeout=30s`, 0, 'successfully rolled out'),
    ],
  },
  {
    name: 'somebody said no',
    steps: ({ file }) => [
      run('npm run release', 1, 'Publish version 2.1.0? (y/N) n\nError: Aborted by user'),
      edit(`src/${file}.ts`),
      run('npm run release', 0, '+ app@2.1.0'),
    ],
  },
  {
    name: 'a server warms up',
    steps: () => [
      run('pytest tests/api', 1, 'E   httpx.ConnectError: All connection attempts failed\n1 failed in 0.4s'),
      run('sleep 5', 0, ''),
      run('pytest tests/api', 0, OK),
    ],
  },
  {
    name: 'types of two files that were just written',
    steps: ({ file, other }) => [
      edit(`src/${file}.ts`),
      edit(`src/${other}.ts`),
      run(
        'pnpm tsc -b',
        2,
        `src/${file}.ts(4,9): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/${other}.ts(9,1): error TS2554: Expected 2 arguments, but got 1.`,
      ),
      edit(`src/${file}.ts`),
      edit(`src/${other}.ts`),
      run('pnpm tsc -b', 0, ''),
    ],
  },
  {
    name: 'a name in a new script is wrong',
    steps: ({ name }) => [
      edit(`scripts/${name}.py`),
      run(
        `python scripts/${name}.py`,
        1,
        `Traceback (most recent call last):\n  File "scripts/${name}.py", line 9, in <module>\nNameError: name 'rowz' is not defined`,
      ),
      edit(`scripts/${name}.py`),
      run(`python scripts/${name}.py`, 0, '40 rows'),
    ],
  },
  {
    name: 'a new script calls what is not there',
    steps: ({ name }) => [
      edit(`scripts/${name}.mjs`),
      run(
        `node scripts/${name}.mjs`,
        1,
        `TypeError: rows.groupBy is not a function\n    at file:///app/scripts/${name}.mjs:8:6`,
      ),
      edit(`scripts/${name}.mjs`),
      run(`node scripts/${name}.mjs`, 0, 'done'),
    ],
  },
  {
    name: 'checks of others come in',
    steps: ({ file }) => [
      run('gh pr checks 12', 8, 'build\tpending\nlint\tfail\t12s'),
      edit(`src/${file}.ts`),
      run('gh pr checks 12', 0, 'build\tpass\nlint\tpass'),
    ],
  },
  {
    name: 'conflicts are settled by another command',
    steps: ({ file }) => [
      run(
        'git merge feature',
        1,
        `CONFLICT (content): Merge conflict in src/${file}.ts\nAutomatic merge failed; fix conflicts and then commit the result.`,
      ),
      edit(`src/${file}.ts`),
      run('git merge --continue', 0, 'Merge made'),
    ],
  },
  {
    name: 'it is ended by the clock on purpose',
    steps: ({ file }) => [
      run('timeout 10 npm start', 124, 'listening on 3000\nerror: terminated'),
      edit(`src/${file}.ts`),
      run('timeout 10 npm start', 0, 'listening on 3000'),
    ],
  },
  {
    name: 'a new test for a new function, in python',
    steps: ({ name }) => [
      asks(`Add a function that rounds ${name}.`),
      edit(`tests/test_${name}.py`),
      run(
        'pytest -q',
        1,
        `FAILED tests/test_${name}.py::test_rounds - AssertionError: assert None == 3\n1 failed, 23 passed`,
      ),
      edit(`src/${name}.py`),
      run('pytest -q', 0, OK),
    ],
  },
  {
    name: 'a layer could not be fetched',
    steps: ({ name, file }) => [
      run(
        `docker build -t ${name} .`,
        1,
        '#7 ERROR: failed to fetch https://deb.example.org/dists: read tcp: connection reset by peer\nERROR: failed to solve',
      ),
      edit(`src/${file}.ts`),
      run(`docker build -t ${name} .`, 0, '#12 done'),
    ],
  },
  {
    name: 'a linter of a language looks at new code',
    steps: ({ file }) => [
      edit(`src/${file}.rs`),
      run(
        'cargo clippy -- -D warnings',
        101,
        `error: this \`if\` has identical blocks\n  --> src/${file}.rs:8:5\nerror: could not compile \`app\``,
      ),
      edit(`src/${file}.rs`),
      run('cargo clippy -- -D warnings', 0, '    Finished dev'),
    ],
  },
  {
    name: 'the agent says that it is flaky',
    steps: ({ file, other }) => [
      run(
        'npm run e2e',
        1,
        ` 1) checkout.spec.ts › pays\n    Error: expect(locator).toBeVisible() failed: element was detached\n  1 failed`,
      ),
      says('This one is known to be flaky. I go on with the task.'),
      edit(`src/${other}.ts`),
      edit(`src/${file}.ts`),
      run('npm run e2e', 0, '31 passed (40.2s)'),
    ],
  },
]
