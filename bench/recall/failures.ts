import { commandText } from '../../src/text/command-text.ts'
import { randomFrom } from '../search/cards.ts'

type Random = ReturnType<typeof randomFrom>
const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T

/** The commands that fail, by topic. */
const COMMANDS: Record<string, readonly string[]> = {
  npm: ['npm install', 'npm ci', 'npm run build', 'npx vite build', 'npm publish'],
  node: ['node server.js', 'npm start', 'npm test', 'node --test'],
  git: [
    'git push origin main',
    'git pull --rebase',
    'git clone https://git.example/app.git',
    'git submodule update',
  ],
  docker: [
    'docker compose up -d',
    'docker build -t app .',
    'docker run --rm app',
    'docker pull registry.example/app',
  ],
  kubernetes: [
    'kubectl apply -f deploy.yaml',
    'kubectl describe pod api',
    'helm upgrade app ./chart',
    'kubectl logs api',
  ],
  postgres: ['psql -f migrate.sql', 'npm run migrate', 'pg_restore -d shop dump', 'alembic upgrade head'],
  python: [
    'python manage.py test',
    'pytest -q',
    'pip install -r requirements.txt',
    'python app.py',
    'poetry install',
  ],
  rust: ['cargo build', 'cargo test', 'cargo run --release'],
  go: ['go build ./...', 'go test ./...', 'go run .'],
  java: ['mvn -q package', './gradlew build', 'java -jar app.jar'],
  css: ['npm run build', 'npx sass src:dist', 'npx tailwindcss -i in.css'],
  react: ['npm test', 'npm run dev', 'npx next build'],
  linux: ['sudo systemctl restart app', 'make install', './deploy.sh', 'ssh deploy@web-2 uptime'],
  nginx: ['sudo nginx -t', 'curl -i https://shop.example/', 'tail -n 50 /var/log/nginx/error.log'],
  tls: ['curl -v https://api.example', 'openssl s_client -connect api.example:443', 'npm run fetch'],
  dns: ['dig api.example', 'curl https://api.example', 'getent hosts db.example'],
  ci: ['act -j build', 'gh run view --log', 'gitlab-runner exec docker test'],
  cloud: ['aws s3 cp out s3://media', 'terraform apply', 'gcloud run deploy', 'az webapp up'],
  mobile: [
    'npx react-native run-android',
    'xcodebuild -scheme App',
    './gradlew assembleDebug',
    'flutter build ios',
  ],
  desktop: ['npm run package', 'brew install app', 'winget install app', 'msbuild App.sln'],
}

const STARTS = [
  'Reading configuration from ./config.yaml',
  'Resolving dependencies ...',
  '> app@2.4.1 start',
  'Step 4/9 : copying sources',
  '[1/4] Checking the workspace',
  '[########------------] 40%',
  'Using cache in /tmp/build-x81z/cache',
  'Loaded 14 entries in 0.42s',
]
const ENDS = [
  '    at main (/srv/app/src/main.js:20:7)',
  '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  'make: *** [Makefile:12: build] Error 1',
  'npm error A complete log of this run can be found in: /home/dev/.npm/_logs/2026-03-14T10_22_31_123Z-debug-0.log',
  'Elapsed: 12.4s',
  'Cleaning up.',
  '',
]

/** An error as an agent sees it: after a command, among other output of the program. */
export function failing(topic: string, error: string, seed: number): string {
  const random = randomFrom(seed * 7919 + 13)
  const some = (from: readonly string[], most: number) =>
    Array.from({ length: random(most + 1) }, () => pick(random, from))
  const lines = [...some(STARTS, 3), ...error.split('\n'), ...some(ENDS, 3)]
  const stamp =
    random(3) === 0
      ? `2026-03-${10 + random(18)} 10:${10 + random(49)}:${10 + random(49)}.${random(900)} `
      : ''
  const output = lines.map((line) => (line === '' ? line : stamp + line)).join('\n')
  return commandText({ command: pick(random, COMMANDS[topic] ?? ['make']), exitCode: 1 + random(2), output })
}

const FILES = [
  'invoice',
  'session',
  'parser',
  'cart',
  'upload',
  'ledger',
  'router',
  'profile',
  'export',
  'quota',
]
const NAMES = [
  'total',
  'items',
  'owner',
  'status',
  'rows',
  'locale',
  'cursor',
  'amount',
  'parent',
  'expiresAt',
]

type Made = (file: string, name: string, other: string, n: number) => { command: string; output: string }

/** Failures of somebody's own code, which no card knows: most of what an agent sees. */
const OWN_FAILURES: readonly Made[] = [
  (file, name, other, n) => ({
    command: 'npx vitest run',
    output: ` ❯ src/${file}.test.ts (${n} tests | 1 failed)\n   × keeps the ${name} of every ${other}\nAssertionError: expected ${n} to be ${n + 2} // Object.is equality\n - Expected\n + Received\n ❯ src/${file}.test.ts:${n}:14`,
  }),
  (file, name, other, n) => ({
    command: 'npx tsc --noEmit',
    output: `src/${file}.ts(${n},7): error TS2339: Property '${name}' does not exist on type '${other}Row'.\nFound 1 error.`,
  }),
  (file, name, other, n) => ({
    command: 'npx tsc -p .',
    output: `src/${file}.ts:${n}:3 - error TS2322: Type 'string' is not assignable to type 'number'.\n  ${name}: ${other}.toFixed(2),`,
  }),
  (file, name, other) => ({
    command: 'pytest -q',
    output: `FAILED tests/test_${file}.py::test_${name} - assert ${name}(${other}) == 3\nE   assert 4 == 3\n1 failed, 17 passed in 2.31s`,
  }),
  (file, name, other, n) => ({
    command: `python ${file}.py`,
    output: `Traceback (most recent call last):\n  File "${file}.py", line ${n}, in <module>\n    ${name}(${other})\nKeyError: '${name}'`,
  }),
  (file, name, _other, n) => ({
    command: `python -m ${file}`,
    output: `Traceback (most recent call last):\n  File "/opt/app/${file}.py", line ${n}, in ${name}\nAttributeError: 'NoneType' object has no attribute '${name}'`,
  }),
  (file, name, other, n) => ({
    command: 'npx biome check src',
    output: `src/${file}.ts:${n}:9 lint/style/useConst\n  × This let declares variable ${name} that is only assigned once.\n  i ${other} is never reassigned.\nFound 1 error.`,
  }),
  (file, name) => ({
    command: `grep -rn "${name}Handler" src/${file}`,
    output: '',
  }),
  (file, name, _other, n) => ({
    command: 'cargo test',
    output: `---- ${file}::tests::${name} stdout ----\nthread '${file}::tests::${name}' panicked at src/${file}.rs:${n}:9:\nassertion \`left == right\` failed\n  left: ${n}\n right: ${n + 1}\ntest result: FAILED. 11 passed; 1 failed`,
  }),
  (file, name, other, n) => ({
    command: 'go test ./...',
    output: `--- FAIL: Test${other} (0.00s)\n    ${file}_test.go:${n}: ${name} = ${n}, want ${n + 4}\nFAIL\nFAIL\texample.com/app/${file}\t0.012s`,
  }),
  (file, name) => ({
    command: `node scripts/${file}.js`,
    output: `/srv/app/scripts/${file}.js:12\nTypeError: Cannot read properties of undefined (reading '${name}')\n    at ${file} (/srv/app/scripts/${file}.js:12:9)`,
  }),
  (file, name) => ({
    command: `cat src/${file}-${name}.ts`,
    output: `cat: src/${file}-${name}.ts: No such file or directory`,
  }),
]

export function ownFailure(n: number): string {
  const random = randomFrom(n * 104_729 + 7)
  const make = OWN_FAILURES[n % OWN_FAILURES.length] as Made
  const report = make(pick(random, FILES), pick(random, NAMES), pick(random, NAMES), 10 + random(300))
  return commandText({ ...report, exitCode: 1 })
}
