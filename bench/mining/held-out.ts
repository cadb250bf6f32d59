import { asks, edit, run, type Scene, says } from './script.ts'

/** Cures that no rule was written for. They only measure; do not look at them when you change a rule. */
export const HELD_OUT_PAIRS: readonly Scene[] = [
  {
    name: 'a certificate is not trusted',
    pair: () => 'npm run fetch:prices',
    steps: ({ name }) => [
      run(
        'npm run fetch:prices',
        1,
        `TypeError: fetch failed\n  [cause]: Error: self-signed certificate in certificate chain\n  code: 'SELF_SIGNED_CERT_IN_CHAIN'`,
      ),
      edit('.env'),
      run('npm run fetch:prices', 0, `fetched 31 prices of ${name}`),
      says('I set NODE_EXTRA_CA_CERTS to the company certificate.'),
    ],
  },
  {
    name: 'a workspace package is not built',
    pair: ({ name }) => `pnpm --filter ${name} test`,
    steps: ({ name, other }) => [
      run(
        `pnpm --filter ${name} test`,
        1,
        `Error: Failed to resolve entry for package "@app/${other}". The package may have incorrect main/module/exports specified in its package.json.`,
      ),
      edit(`packages/${other}/package.json`),
      run(`pnpm --filter ${name} test`, 0, 'Tests  18 passed (18)'),
    ],
  },
  {
    name: 'an old lock file',
    pair: () => 'npm ci',
    steps: ({ name }) => [
      run(
        'npm ci',
        1,
        `npm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.\nnpm error Missing: ${name}@2.1.0 from lock file`,
      ),
      run('npm install --package-lock-only', 0, 'up to date'),
      run('npm ci', 0, 'added 311 packages in 12s'),
    ],
  },
  {
    name: 'a browser is not downloaded',
    pair: () => 'npx playwright test',
    steps: () => [
      run(
        'npx playwright test',
        1,
        "Error: browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1140/chrome",
      ),
      run('npx playwright install --with-deps chromium', 0, 'Chromium downloaded'),
      run('npx playwright test', 0, '12 passed (8.2s)'),
    ],
  },
  {
    name: 'a wheel is not built for this runtime',
    pair: () => 'uv pip install -r requirements.txt',
    steps: ({ name }) => [
      run(
        'uv pip install -r requirements.txt',
        1,
        `error: Failed to build \`${name}==1.4\`\n  Caused by: The build backend returned an error\nAttributeError: module 'pkgutil' has no attribute 'ImpImporter'`,
      ),
      says('This release does not support Python 3.12.'),
      edit('requirements.txt'),
      run('uv pip install -r requirements.txt', 0, 'Installed 40 packages'),
    ],
  },
  {
    name: 'a column is missing after a merge',
    pair: () => 'bin/rails test',
    steps: ({ name }) => [
      asks('Please run the tests after the merge.'),
      run(
        'bin/rails test',
        1,
        `ActiveRecord::PendingMigrationError:\nMigrations are pending. To resolve this issue, run: bin/rails db:migrate`,
      ),
      run('bin/rails db:migrate', 0, `== AddRegionTo${name}: migrated`),
      run('bin/rails test', 0, '88 runs, 204 assertions, 0 failures, 0 errors, 0 skips'),
    ],
  },
  {
    name: 'an image has the wrong processor',
    pair: () => 'docker compose up --wait',
    steps: ({ name }) => [
      run(
        'docker compose up --wait',
        1,
        `${name}-1  | exec /usr/local/bin/entrypoint: exec format error\ncontainer ${name}-1 exited (255)`,
      ),
      edit('compose.yaml'),
      run('docker compose up --wait', 0, `Container ${name}-1  Healthy`),
      says('The image exists for amd64 only, so I set platform: linux/amd64.'),
    ],
  },
  {
    name: 'a generator is one version behind',
    pair: () => 'buf generate',
    steps: ({ name }) => [
      run(
        'buf generate',
        100,
        `Failure: plugin protoc-gen-${name}: could not find protoc plugin for name ${name}`,
      ),
      run(`go install example.com/protoc-gen-${name}@latest`, 0, ''),
      run('buf generate', 0, ''),
    ],
  },
  {
    name: 'a rule of the bundler',
    pair: () => 'npm run build:web',
    steps: ({ file }) => [
      run(
        'npm run build:web',
        1,
        `✘ [ERROR] No loader is configured for ".svg" files: src/${file}.svg\n\n1 error`,
      ),
      edit('esbuild.config.mjs'),
      run('npm run build:web', 0, 'dist/main.js  41kb'),
    ],
  },
  {
    name: 'a secret of the store is missing',
    pair: () => 'npx wrangler deploy --dry-run',
    steps: ({ name }) => [
      run(
        'npx wrangler deploy --dry-run',
        1,
        `✘ [ERROR] Processing wrangler.toml configuration:\n    - "kv_namespaces[0]" bindings should have a string "id" field for ${name}`,
      ),
      edit('wrangler.toml'),
      run('npx wrangler deploy --dry-run', 0, 'Total Upload: 41.2 KiB'),
    ],
  },
  {
    name: 'an import cycle is broken',
    pair: () => 'pytest',
    steps: ({ name, file }) => [
      run(
        'pytest',
        4,
        `ImportError: cannot import name '${name}' from partially initialized module 'app.models' (most likely due to a circular import)`,
      ),
      says('models and services import each other.'),
      edit('app/models.py'),
      edit(`app/${file}.py`),
      run('pytest', 0, '61 passed in 3.20s'),
      says('I moved the shared type into its own module, so the cycle is gone.'),
    ],
  },
  {
    name: 'the disc is full',
    pair: ({ name }) => `docker build -t ${name}:dev .`,
    steps: ({ name }) => [
      run(
        `docker build -t ${name}:dev .`,
        1,
        'ERROR: failed to solve: failed to register layer: write /usr/lib/libLLVM.so: no space left on device',
      ),
      run('docker system prune -af', 0, 'Total reclaimed space: 31GB'),
      run(`docker build -t ${name}:dev .`, 0, 'naming to docker.io/library/app:dev done'),
    ],
  },
  {
    name: 'a name of a package is taken by a folder',
    pair: () => 'python -m app.cli sync',
    steps: ({ name }) => [
      run(
        'python -m app.cli sync',
        1,
        `AttributeError: module '${name}' has no attribute 'connect'\n  File "app/cli.py", line 4`,
      ),
      says(`A folder named ${name} hides the package.`),
      run(`git mv ${name} ${name}_local`, 0, ''),
      edit('app/cli.py'),
      run('python -m app.cli sync', 0, 'synced'),
    ],
  },
  {
    name: 'a header of the proxy is missing',
    pair: () => 'npm run smoke',
    steps: ({ port }) => [
      run(
        'npm run smoke',
        1,
        `FAIL smoke: GET http://localhost:${port}/ws\nError: Unexpected server response: 426 Upgrade Required`,
      ),
      edit('deploy/Caddyfile'),
      run('systemctl reload caddy', 0, ''),
      run('npm run smoke', 0, 'smoke: 4 passed'),
    ],
  },
  {
    name: 'two turns later',
    pair: () => 'yarn install --immutable',
    steps: ({ name }) => [
      asks('CI fails at install.'),
      run(
        'yarn install --immutable',
        1,
        'YN0028: The lockfile would have been modified by this install, which is explicitly forbidden.',
      ),
      says(`The lock file lacks ${name}.`),
      asks('Then update it.'),
      run('yarn install', 0, 'Done in 4s'),
      says('Updated.'),
      asks('And now as CI does it?'),
      run('yarn install --immutable', 0, 'Done in 3s'),
      says('It installs: the lock file was out of date.'),
    ],
  },
]

/** Misleading transcripts that no rule was written for. */
export const HELD_OUT_NON_PAIRS: readonly Scene[] = [
  {
    name: 'the seed was unlucky',
    steps: ({ file }) => [
      run(
        'npx vitest run',
        1,
        ` FAIL  src/${file}.test.ts > property holds\nError: Property failed after 41 tests { seed: 1201 }\n 1 failed`,
      ),
      says('I try once more.'),
      run('npx vitest run', 0, 'Tests  9 passed (9)'),
    ],
  },
  {
    name: 'the license was edited',
    steps: ({ file }) => [
      run('go test ./...', 1, `--- FAIL: TestClock (0.01s)\n    ${file}_test.go:8: drift\nFAIL\tapp`),
      edit('LICENSE'),
      edit('CHANGELOG.md'),
      run('go test ./...', 0, 'ok  \tapp\t0.4s'),
    ],
  },
  {
    name: 'a script of another package',
    steps: ({ file }) => [
      run('npm run test:unit', 1, ` FAIL  src/${file}.test.ts\nRangeError: Invalid time value`),
      edit(`src/${file}.ts`),
      run('npm run test:types', 0, ''),
      run('npm run test:docs', 0, '4 passed'),
    ],
  },
  {
    name: 'a probe for a program',
    steps: ({ name }) => [
      run(`which ${name}ctl`, 1, `which: no ${name}ctl in (/usr/bin)`),
      run(`npm install -g ${name}ctl`, 0, 'added 1 package'),
      run(`which ${name}ctl`, 0, `/usr/local/bin/${name}ctl`),
    ],
  },
  {
    name: 'red, then green, as asked',
    steps: ({ name }) => [
      asks(`TDD please: ${name} should round half up.`),
      edit(`spec/${name}_spec.rb`),
      run(
        'bundle exec rspec',
        1,
        `NoMethodError: undefined method 'round_half_up' for ${name}\n12 examples, 1 failure`,
      ),
      edit(`lib/${name}.rb`),
      run('bundle exec rspec', 0, '12 examples, 0 failures'),
    ],
  },
  {
    name: 'an experiment that is undone by git',
    steps: ({ file }) => [
      run(
        'cargo test',
        101,
        `thread 'totals' panicked at src/${file}.rs:9:5:\nassertion failed: a == b\ntest result: FAILED. 11 passed; 1 failed`,
      ),
      edit(`src/${file}.rs`),
      run(`git checkout -- src/${file}.rs`, 0, ''),
      run('cargo test', 0, 'test result: ok. 12 passed'),
    ],
  },
  {
    name: 'a mirror is away',
    steps: ({ file }) => [
      run(
        'pip install -r requirements.txt',
        1,
        "WARNING: Retrying after connection broken by 'ReadTimeoutError'\nERROR: Could not install packages due to an OSError: HTTPSConnectionPool: Read timed out.",
      ),
      edit(`src/${file}.py`),
      run('pip install -r requirements.txt', 0, 'Successfully installed'),
    ],
  },
  {
    name: 'stopped by hand',
    steps: ({ file }) => [
      run('python train.py', 130, 'epoch 3\nTraceback (most recent call last):\nKeyboardInterrupt'),
      edit(`src/${file}.py`),
      run('python train.py', 0, 'epoch 10 done'),
    ],
  },
  {
    name: 'imports are sorted',
    steps: ({ file }) => [
      run('isort --check .', 1, `ERROR: ${file}.py Imports are incorrectly sorted and/or formatted.`),
      run('isort .', 0, `Fixing ${file}.py`),
      edit(`${file}.py`),
      run('isort --check .', 0, ''),
    ],
  },
  {
    name: 'a bracket in a new file of settings',
    steps: ({ name }) => [
      edit(`src/${name}.tsx`),
      run('npm run build', 1, `src/${name}.tsx: Unexpected token (14:8)\nError: Build failed with 1 error`),
      edit(`src/${name}.tsx`),
      run('npm run build', 0, 'built in 2.20s'),
    ],
  },
  {
    name: 'the suite is skipped',
    steps: ({ file }) => [
      run(
        'npx jest',
        1,
        `FAIL src/${file}.test.js\n  ● adds\n    TypeError: add is not a function\nTests: 1 failed, 1 total`,
      ),
      edit(`src/${file}.test.js`),
      run('npx jest', 0, 'Tests: 1 skipped, 0 passed'),
    ],
  },
  {
    name: 'a failure inside of an if',
    steps: ({ name, file }) => [
      run(`! npm ls ${name}`, 1, `app@1.0.0\n└── ${name}@1.0.0\nerror: found`),
      edit(`src/${file}.ts`),
      run(`! npm ls ${name}`, 0, ''),
    ],
  },
  {
    name: 'it comes back',
    steps: ({ file, other }) => [
      run('npm run e2e', 1, ` 1) ${file}.spec.ts\n    Error: expected 3 rows, got 2\n  1 failed`),
      edit(`src/${other}.ts`),
      run('npm run e2e', 0, '20 passed'),
      run('git status --short', 0, ''),
      run('npm run e2e', 1, ` 1) ${file}.spec.ts\n    Error: expected 3 rows, got 2\n  1 failed`),
    ],
  },
  {
    name: 'a lock of the database',
    steps: ({ other }) => [
      run('npm run migrate', 1, 'SqliteError: database is locked\n    at Database.exec'),
      edit(`src/${other}.css`),
      run('npm run migrate', 0, 'migrated'),
    ],
  },
  {
    name: 'a quota is used up',
    steps: ({ file }) => [
      run('npx tsx scripts/ask.ts', 1, 'Error: 529 Overloaded: the model is overloaded, try again later'),
      edit(`src/${file}.ts`),
      run('npx tsx scripts/ask.ts', 0, 'answered'),
    ],
  },
]
