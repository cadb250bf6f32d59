import { asks, edit, run, type Scene, says } from './script.ts'

const PASS = ' Test Files  1 passed (1)\n      Tests  12 passed (12)\n   Duration  812ms'
const npmFail = (error: string) =>
  `> app@1.0.0 test\n> vitest run\n\n${error}\n\n Test Files  1 failed (1)\n      Tests  1 failed | 11 passed (12)\nnpm error Lifecycle script \`test\` failed`

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
