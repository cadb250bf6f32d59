import { npmFail, PASS } from './outputs.ts'
import { asks, edit, run, type Scene, says } from './script.ts'

/** The second part of the errors that were cured. */
export const MORE_PAIRS: readonly Scene[] = [
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
