import { MORE_PAIRS } from './more-pairs.ts'
import { npmFail, PASS } from './outputs.ts'
import { asks, edit, run, type Scene, says } from './script.ts'

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
  ...MORE_PAIRS,
]
