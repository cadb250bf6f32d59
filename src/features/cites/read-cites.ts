import { withoutEnd } from '../../text/without-end.ts'
import { type Cite, citeText, readCite } from './cite.ts'

/** The parts of a card that may cite something. */
export type Citing = {
  environment: Record<string, string>
  tags: readonly string[]
  fix_summary: string
  root_cause: string | null
  body: string | null
  steps: readonly { action: string }[]
}

export const MOST_CITES = 50
/** Commands are near the beginning of a text; a longer text is a log. */
const READ_CHARACTERS = 20_000

const RUNTIMES: Record<string, string> = {
  node: 'node',
  nodejs: 'node',
  'node.js': 'node',
  python: 'python',
  go: 'go',
  golang: 'go',
  java: 'java',
  jdk: 'java',
  ruby: 'ruby',
  php: 'php',
  rust: 'rust',
  rustc: 'rust',
  deno: 'deno',
  bun: 'bun',
  dotnet: 'dotnet',
}
const SYSTEMS = new Set([
  'debian',
  'ubuntu',
  'alpine',
  'fedora',
  'rhel',
  'macos',
  'windows',
  'ios',
  'android',
])
const TOOLS = new Set([
  'docker',
  'git',
  'npm',
  'pnpm',
  'yarn',
  'postgres',
  'postgresql',
  'mysql',
  'redis',
  'nginx',
  'kubernetes',
  'terraform',
])

/** The registry for a bare name of the environment, by the other names in it. */
const REGISTRIES: [RegExp, string][] = [
  [/^(?:node|nodejs|node\.js|deno|bun|npm|javascript|typescript)$/i, 'npm'],
  [/^(?:python|pip|pypi|django)$/i, 'pypi'],
  [/^(?:rust|rustc|cargo)$/i, 'cargo'],
]

function registryOf({ environment, tags }: Pick<Citing, 'environment' | 'tags'>): string | null {
  const words = [...Object.keys(environment), ...tags]
  return REGISTRIES.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1] ?? null
}

function ofEnvironment(content: Pick<Citing, 'environment' | 'tags'>): string[] {
  const registry = registryOf(content)
  return Object.entries(content.environment).flatMap(([written, version]) => {
    if (!/\d/.test(version)) return []
    const name = written.trim().toLowerCase()
    const runtime = RUNTIMES[name]
    if (runtime) return [`runtime:${runtime}@${version}`]
    if (SYSTEMS.has(name)) return [`os:${name}@${version}`]
    if (TOOLS.has(name)) return [`tool:${name}@${version}`]
    if (/^(?:npm|pypi|cargo|go|maven|os|runtime|tool):/.test(name)) return [`${written.trim()}@${version}`]
    return registry ? [`${registry}:${written.trim()}@${version}`] : []
  })
}

/** Commands that add a package, each with what it adds behind it. */
const COMMANDS: [RegExp, string][] = [
  [/\b(?:npm (?:i|install|add)|yarn add|pnpm add|bun add)((?: +[^\s`'";|&]+)+)/g, 'npm'],
  [/\b(?:pip3? install|uv (?:pip install|add)|poetry add)((?: +[^\s`;|&]+)+)/g, 'pypi'],
  [/\bcargo add((?: +[^\s`'";|&]+)+)/g, 'cargo'],
  [/\bgo get((?: +[^\s`'";|&]+)+)/g, 'go'],
]

/** `fastify@^5`, `django>=5`, `serde@1`: the name and the range. A name alone cites no version. */
function ofArgument(ecosystem: string, argument: string): string[] {
  const bare = argument.replaceAll(/^['"]|['"]$/g, '')
  if (bare.startsWith('-')) return []
  const [, name, range] =
    ecosystem === 'pypi'
      ? (/^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?((?:[=<>!~]=?=?)[^\s]+)$/.exec(bare) ?? [])
      : (/^((?:@[^@/]+\/)?[^@]+)@([\^~<>=v\d][^\s]*)$/.exec(bare) ?? [])
  return name && range ? [`${ecosystem}:${name}@${range}`] : []
}

const ofText = (text: string): string[] =>
  COMMANDS.flatMap(([command, ecosystem]) =>
    [...text.matchAll(command)].flatMap(([, given = '']) =>
      given
        .trim()
        .split(/ +/)
        .flatMap((argument) => ofArgument(ecosystem, argument)),
    ),
  )

const ofUrls = (text: string): string[] =>
  [...text.matchAll(/https?:\/\/[^\s<>"'`)\]]+/g)].map(([url]) => withoutEnd(url, '.,;:!?'))

/** What a card cites by itself, read from its environment, steps and texts by rules. */
export function readCites(content: Citing): string[] {
  const texts = [
    content.fix_summary,
    content.root_cause ?? '',
    content.body ?? '',
    ...content.steps.map((step) => String(step.action)),
  ].map((text) => text.slice(0, READ_CHARACTERS))
  const found = [...ofEnvironment(content), ...texts.flatMap(ofText), ...texts.flatMap(ofUrls)].flatMap(
    (text) => readCite(text) ?? [],
  )
  return distinct(found)
}

const distinct = (cites: readonly Cite[]): string[] => [...new Set(cites.map(citeText))].slice(0, MOST_CITES)
