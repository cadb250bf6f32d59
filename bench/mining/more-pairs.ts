import { asks, edit, run, type Scene, says } from './script.ts'

/** A second set, written after the first rules. */
export const MORE_PAIRS: readonly Scene[] = [
  {
    name: 'a range of versions is widened',
    pair: () => 'poetry install',
    steps: ({ name }) => [
      run(
        'poetry install',
        1,
        `The current project's supported Python range (>=3.9) is not compatible with some of the required packages Python requirement:\n  - ${name} requires Python >=3.11\nBecause ${name} is forbidden, version solving failed.`,
      ),
      edit('pyproject.toml'),
      run('poetry lock', 0, 'Resolving dependencies...'),
      run('poetry install', 0, 'Installing the current project'),
    ],
  },
  {
    name: 'stubs of types are installed',
    pair: () => 'mypy src',
    steps: () => [
      run(
        'mypy src',
        1,
        'src/fetch.py:3: error: Library stubs not installed for "requests"  [import-untyped]\nFound 1 error in 1 file',
      ),
      run('pip install types-requests', 0, 'Successfully installed types-requests'),
      run('mypy src', 0, 'Success: no issues found in 14 source files'),
    ],
  },
  {
    name: 'a directive is misspelt in the settings of a server',
    pair: () => 'nginx -t',
    steps: () => [
      run(
        'nginx -t',
        1,
        'nginx: [emerg] unknown directive "proxy_passs" in /etc/nginx/conf.d/app.conf:12\nnginx: configuration file /etc/nginx/nginx.conf test failed',
      ),
      edit('/etc/nginx/conf.d/app.conf'),
      run('nginx -t', 0, 'nginx: configuration file /etc/nginx/nginx.conf test is successful'),
    ],
  },
  {
    name: 'a manifest has a wrong field',
    pair: () => 'kubectl apply -f k8s/',
    steps: ({ name }) => [
      run(
        'kubectl apply -f k8s/',
        1,
        `error: error validating "k8s/${name}.yaml": error validating data: unknown field "spec.replica"`,
      ),
      edit(`k8s/${name}.yaml`),
      run('kubectl apply -f k8s/', 0, `deployment.apps/${name} configured`),
    ],
  },
  {
    name: 'a product is not named as a dependency',
    pair: () => 'swift build',
    steps: ({ name }) => [
      run('swift build', 1, `error: no such module '${name}Kit'\nimport ${name}Kit\n       ^`),
      edit('Package.swift'),
      run('swift build', 0, 'Build complete! (12.1s)'),
    ],
  },
  {
    name: 'two heads of a history are merged',
    pair: () => 'alembic upgrade head',
    steps: () => [
      run(
        'alembic upgrade head',
        255,
        'FAILED: Multiple head revisions are present for given argument head; please specify a specific target revision',
      ),
      run('alembic merge heads -m "merge"', 0, 'Generating migrations/versions/ab12_merge.py ... done'),
      run('alembic upgrade head', 0, 'Running upgrade -> ab12, merge'),
    ],
  },
  {
    name: 'a page needs a boundary',
    pair: () => 'npx next build',
    steps: ({ file }) => [
      asks('The deployment is red, please look.'),
      run(
        'npx next build',
        1,
        `Error: useSearchParams() should be wrapped in a suspense boundary at page "/${file}".\nError occurred prerendering page "/${file}"`,
      ),
      says('Static rendering needs a Suspense boundary around the hook.'),
      edit(`src/app/${file}/page.tsx`),
      run('npx next build', 0, 'Compiled successfully'),
      says('I wrapped the form in Suspense.'),
    ],
  },
  {
    name: 'classes are found again',
    pair: () => 'vendor/bin/phpunit',
    steps: ({ name }) => [
      run(
        'vendor/bin/phpunit',
        2,
        `Error: Class "App\\${name}\\Reader" not found\nERRORS!\nTests: 4, Assertions: 3, Errors: 1.`,
      ),
      edit('composer.json'),
      run('composer dump-autoload', 0, 'Generated autoload files'),
      run('vendor/bin/phpunit', 0, 'OK (4 tests, 9 assertions)'),
    ],
  },
  {
    name: 'a package left the standard library',
    pair: () => 'mvn -q test',
    steps: () => [
      run(
        'mvn -q test',
        1,
        '[ERROR] COMPILATION ERROR :\n[ERROR] package javax.annotation does not exist\n[ERROR] Failed to execute goal maven-compiler-plugin',
      ),
      edit('pom.xml'),
      run('mvn -q test', 0, ''),
      says('javax.annotation left the JDK with 11, so I added jakarta.annotation-api.'),
    ],
  },
  {
    name: 'a downgrade of a package is refused',
    pair: () => 'dotnet build',
    steps: ({ name }) => [
      run(
        'dotnet build',
        1,
        `error NU1605: Warning As Error: Detected package downgrade: ${name}.Core from 8.0.1 to 8.0.0.`,
      ),
      edit('src/App/App.csproj'),
      run('dotnet build', 0, 'Build succeeded.\n    0 Warning(s)\n    0 Error(s)'),
    ],
  },
  {
    name: 'a library of the system is not found',
    pair: () => 'cmake -B build',
    steps: () => [
      run(
        'cmake -B build',
        1,
        'CMake Error at CMakeLists.txt:14 (find_package):\n  Could not find a package configuration file provided by "fmt"',
      ),
      run('brew install fmt', 0, 'fmt 11.0 is installed'),
      run('cmake -B build', 0, '-- Generating done'),
    ],
  },
  {
    name: 'the remote has newer commits',
    pair: () => 'git push origin main',
    steps: () => [
      run(
        'git push origin main',
        1,
        "! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'origin'",
      ),
      run('git pull --rebase origin main', 0, 'Successfully rebased and updated refs/heads/main.'),
      run('git push origin main', 0, 'main -> main'),
    ],
  },
  {
    name: 'it takes three attempts',
    pair: () => 'npm run build',
    steps: ({ name, file, other }) => [
      run('npm run build', 1, `Error: Failed to load PostCSS config: Cannot find module '${name}-postcss'`),
      edit(`src/${file}.css`),
      run('npm run build', 1, `Error: Failed to load PostCSS config: Cannot find module '${name}-postcss'`),
      edit(`src/${other}.ts`),
      run('npm run build', 1, `Error: Failed to load PostCSS config: Cannot find module '${name}-postcss'`),
      edit('postcss.config.mjs'),
      run('npm run build', 0, 'built in 2.90s'),
    ],
  },
  {
    name: 'the exit code is asked for',
    pair: () => 'make test; echo "exit: $?"',
    steps: ({ name }) => [
      run(
        'make test; echo "exit: $?"',
        0,
        `ld: library '${name}' not found\nclang: error: linker command failed with exit code 1\nmake: *** [test] Error 1\nexit: 2`,
      ),
      edit('Makefile'),
      run('make test; echo "exit: $?"', 0, 'all 40 checks done\nexit: 0'),
    ],
  },
  {
    name: 'a role of the database is missing',
    pair: () => 'bin/rails db:prepare',
    steps: ({ name }) => [
      run(
        'bin/rails db:prepare',
        1,
        `ActiveRecord::DatabaseConnectionError: There is an issue connecting with your hostname\nFATAL:  role "${name}" does not exist`,
      ),
      run(`createuser -s ${name}`, 0, ''),
      run('bin/rails db:prepare', 0, 'Created database'),
    ],
  },
  {
    name: 'an agent explains what an old job lacked',
    pair: () => 'node dist/worker.js --once',
    steps: ({ name }) => [
      asks('The worker does not start since yesterday.'),
      run(
        'node dist/worker.js --once',
        1,
        `Error: ENOENT: no such file or directory, open '/app/dist/${name}.wasm'\n    at Object.openSync (node:fs:573:18)`,
      ),
      says('The build no longer copies the binary.'),
      edit('scripts/build.mjs'),
      run('npm run build', 0, 'built in 1.20s'),
      run('node dist/worker.js --once', 0, 'worked off 3 jobs'),
      says('The wasm file was not copied because the glob only had .js; I added it.'),
    ],
  },
]
