import { partsOf } from './command-line.ts'

export type CommandStep = {
  kind: 'command'
  command: string
  exitCode: number | null
  output: string
}

export type EditStep = {
  kind: 'edit'
  file: string
  before?: string
  after?: string
  isDeletion?: true
  /** The time within the exchange is unknown: a captured turn names the changed files, but not when. */
  isAnytime?: true
}

type SaidStep = { kind: 'said'; by: 'person' | 'agent'; text: string }

export type Step = CommandStep | EditStep | SaidStep

export type Session = {
  steps: readonly Step[]
  environment: Readonly<Record<string, string>>
}

const MAX_NAME_LENGTH = 300

export const baseName = (path: string): string =>
  path.slice(-MAX_NAME_LENGTH).split(/[/\\]/).at(-1)?.toLowerCase() ?? ''

export type Changes = { files: string[]; commands: string[]; edits: readonly Edit[] }

/** An edit that was not reverted, with its text if the session has it. */
export type Edit = Pick<EditStep, 'file' | 'before' | 'after' | 'isDeletion'>

const words = (list: string) => list.split(' ')

/** The subcommands of each program that change something. An empty list means all of them. */
const CHANGING: Readonly<Record<string, readonly string[]>> = {
  npm: words(
    'install i add ci uninstall remove rm update upgrade rebuild dedupe link dist-tag pkg cache config login',
  ),
  pnpm: words('install i add remove rm update up rebuild dedupe link import approve-builds store config env'),
  yarn: words('install add remove up upgrade set link dlx cache config'),
  bun: words('install i add remove update pm'),
  pip: words('install uninstall cache config'),
  pip3: words('install uninstall'),
  uv: words('add remove sync lock pip venv python cache'),
  poetry: words('add remove install update lock cache env config'),
  pipenv: words('install uninstall update lock'),
  conda: words('install create update remove'),
  cargo: words('add remove update install clean'),
  rustup: words('update default target component toolchain override'),
  go: words('get mod install clean work'),
  gem: words('install update uninstall'),
  bundle: words('install update add config'),
  composer: words('require install update remove dump-autoload clear-cache clearcache config'),
  dotnet: words('add restore remove workload nuget tool dev-certs clean'),
  brew: words('install upgrade uninstall services link unlink reinstall'),
  apt: words('install remove update'),
  'apt-get': words('install remove update'),
  apk: words('add del'),
  dnf: words('install remove'),
  yum: words('install remove'),
  nvm: words('use install alias'),
  corepack: words('enable prepare use'),
  docker: words(
    'compose start restart build pull volume network system rm stop run kill builder buildx image context login',
  ),
  kubectl: words('apply create delete set rollout patch config scale annotate label'),
  helm: words('upgrade install repo dependency rollback uninstall'),
  systemctl: words('start restart enable stop reload'),
  service: [],
  terraform: words('init import state force-unlock workspace'),
  git: words(
    'apply submodule lfs config merge rebase pull cherry-pick fetch clone rm mv remote worktree update-index',
  ),
  prisma: words('migrate generate db'),
  alembic: words('upgrade downgrade stamp merge revision'),
  playwright: words('install install-deps'),
  chmod: [],
  chown: [],
  mkdir: [],
  mv: [],
  cp: [],
  ln: [],
  rm: [],
  touch: [],
  patch: [],
  tee: [],
  unzip: [],
  createdb: [],
  createuser: [],
  'ansible-galaxy': [],
  asdf: words('install local global plugin reshim'),
  mise: words('install use trust'),
  pyenv: words('install local global'),
  rbenv: words('install local global'),
  sdk: words('install use default'),
  fnm: words('use install'),
  pod: words('install update repo'),
  flutter: words('pub clean upgrade config'),
  gradle: ['--stop', 'clean', 'wrapper'],
  './gradlew': ['--stop', 'clean', 'wrapper'],
  mvn: words('clean install dependency:purge-local-repository wrapper:wrapper'),
  sdkmanager: [],
  adb: words('kill-server start-server reconnect uninstall'),
  'xcode-select': [],
  watchman: words('watch-del watch-del-all shutdown-server'),
  'redis-cli': words('flushall flushdb del'),
  launchctl: [],
  'ssh-add': [],
  'update-ca-certificates': [],
  gh: words('auth'),
  volta: words('install pin'),
  supabase: words('start stop link'),
  make: words('clean install deps setup'),
  dart: words('pub'),
  mix: ['deps.get', 'deps.update', 'ecto.migrate', 'ecto.create'],
  vcpkg: words('install'),
  conan: words('install'),
  pacman: [],
  snap: words('install'),
  choco: words('install'),
  winget: words('install'),
  gcloud: words('auth config'),
  aws: words('configure sso'),
  az: words('login account'),
  dropdb: [],
  kill: [],
  pkill: [],
  killall: [],
  sysctl: [],
  ulimit: [],
  export: [],
  unset: [],
  mkcert: [],
  ldconfig: [],
  'update-alternatives': [],
  direnv: [],
  psql: [],
}

const EDITS_FILE = /^(?:sed|perl|gsed) (?:-\w{1,10} )*-\w{0,5}i/
const WRITES_FILE = /(?:^|\s)>{1,2}\s*(?!&|\/dev\/)([\w./~@+-]{1,200})(?=\s|$)/
const DATABASE_ORDER = /\b(?:create|alter|grant|drop|insert|update) /i
const MIGRATION = /\b(?:db:migrate|db:push|db:seed|manage\.py migrate|migrate:latest|migrate deploy)\b/
const WRAPPED = /^(?:sudo(?: -\w{1,3})?|npx(?: -y| --yes)?|pnpm exec|bunx|uv run|poetry run|python3? -m) /

function isOrder(part: string): boolean {
  const plain = part.replace(WRAPPED, '').replace(WRAPPED, '')
  const [program = '', order = ''] = plain.split(/\s+/, 3)
  if (EDITS_FILE.test(plain) || MIGRATION.test(plain)) return true
  if (program === 'psql') return DATABASE_ORDER.test(plain)
  const orders = Object.hasOwn(CHANGING, program) ? CHANGING[program] : undefined
  if (orders === undefined) return false
  return orders.length === 0 || orders.includes(order)
}

function changesBy(command: string): Pick<Changes, 'files' | 'commands'> {
  const changes: Pick<Changes, 'files' | 'commands'> = { files: [], commands: [] }
  for (const { text } of partsOf(command)) {
    if (REVERT.test(text)) continue
    const written = WRITES_FILE.exec(text)?.[1]
    if (written !== undefined) changes.files.push(written)
    else if (isOrder(text)) changes.commands.push(text)
  }
  return changes
}

const REVERT = /^git (?:checkout|restore|stash|reset|clean|revert)\b/
const REVERTS_ALL = /^git (?:stash(?: push| save| -\S{1,20}|$)|reset --hard|(?:checkout|restore)(?: --)? \.$)/
const BRINGS_BACK = /^git stash (?:pop|apply)\b/
const REVERTS_FILES = /^git (?:checkout|restore) (.{1,500})$/

const MAX_EDITS_PER_FILE = 50

/** Follows the edits of a session, so that a reverted edit does not count as a fix. */
export class ChangeLog {
  /** Keyed by base name, because agents write absolute and relative paths. */
  #edits = new Map<string, Edit[]>()
  readonly #commands = new Set<string>()
  #stashed = new Map<string, Edit[]>()

  note(step: Step): void {
    if (step.kind === 'edit') this.#edit(step)
    if (step.kind === 'command') this.#command(step.command, step.exitCode)
  }

  #edit({ file, before, after, isDeletion }: Edit): void {
    const name = baseName(file)
    const edits = this.#edits.get(name) ?? []
    const at = edits.findLastIndex((edit) => edit.before === after && edit.after === before)
    if (before !== undefined && at !== -1) edits.splice(at, 1)
    else if (edits.length < MAX_EDITS_PER_FILE)
      edits.push({
        file,
        ...(before === undefined || after === undefined ? {} : { before, after }),
        ...(isDeletion ? { isDeletion } : {}),
      })
    if (edits.length === 0) this.#edits.delete(name)
    else this.#edits.set(name, edits)
  }

  #command(command: string, exitCode: number | null): void {
    for (const { text } of partsOf(command)) if (text.startsWith('git ')) this.#revert(text)
    if (exitCode !== null && exitCode !== 0) return
    const { files, commands } = changesBy(command)
    for (const file of files) this.#edit({ file })
    for (const line of commands) this.#commands.add(line)
  }

  #revert(part: string): void {
    if (BRINGS_BACK.test(part)) {
      for (const edits of this.#stashed.values()) for (const edit of edits) this.#edit(edit)
      this.#stashed = new Map()
    } else if (REVERTS_ALL.test(part)) {
      if (part.startsWith('git stash')) this.#stashed = this.#edits
      this.#edits = new Map()
    } else
      for (const name of (REVERTS_FILES.exec(part)?.[1] ?? '').split(/\s+/))
        this.#edits.delete(baseName(name))
  }

  get isEmpty(): boolean {
    return this.#edits.size + this.#commands.size === 0
  }

  all(): Changes {
    return {
      files: [...this.#edits.values()].flatMap(([first]) => (first ? [first.file] : [])),
      commands: [...this.#commands],
      edits: [...this.#edits.values()].flat(),
    }
  }
}
