import { withoutEnd } from './unicode.ts'

/** Finds the files and commands that a text names, and the sentences that rule about them. */

const EXTENSIONS =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|py|pyi|rb|go|rs|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|php|sh|bash|ps1|sql|json|jsonc|ya?ml|toml|lock|mdx?|rst|css|scss|less|html|vue|svelte|astro|tf|proto|graphql|ini|cfg|conf|env|xml|gradle|lua|exs?|erl|hs|scala|dart|r|jl|nix|zig'
const FILE = new RegExp(
  `(?<![\\w@./\\\\-])(?:@?[\\w.-]{1,100}/){0,20}(?:[\\w-][\\w.-]{0,100}\\.(?:${EXTENSIONS})|Dockerfile|Makefile|Procfile|Gemfile|Rakefile|Justfile)(?![\\w/-]|\\.\\w)`,
  'g',
)
const PROGRAMS =
  'npm|pnpm|yarn|npx|bun|deno|node|make|just|cargo|go|docker|docker-compose|podman|kubectl|helm|terraform|tofu|ansible|git|gh|pip|poetry|uv|pytest|tox|rake|bundle|rails|gradle|mvn|dotnet|composer|php|psql|alembic|prisma|vitest|jest|tsc|eslint|biome|ssh|scp|rsync|aws|gcloud|az|flyctl|systemctl'
/** A program, its subcommand and what follows up to the next plain word: `git push --force`, `npm run migrate`. */
const COMMAND = new RegExp(
  `(?<![\\w./-])(?:${PROGRAMS})(?: (?:run|exec|compose) [a-z][\\w:.-]{1,60}| [a-z][\\w:.-]{1,60})(?: --?[\\w-]{1,40})?`,
  'g',
)

/** Words that follow a program's name in prose: `make sure`, `go back`. */
const PROSE =
  /^(?:make (?:sure|it|the|a|an|that|them|this|up|use|no|any|every|all|our|your|its|one|two|changes?)|go (?:to|back|on|through|up|down|into|from|with|for|the|and|away|first|over|live|ahead)|just (?:a|the|as|in|to|one|for|like|be|because|not|now|use|run|add|keep)|node (?:is|and|or|has|with|in|to|version|versions|that|process|processes)|git (?:is|and|or|has|history|repo|repository|itself|hook|hooks|tags?)|docker (?:is|and|or|image|images|container|file|desktop)|npm (?:is|and|or|package|packages|scripts?)|yarn (?:is|and|or)|rails (?:is|and|or|app)|ssh (?:is|and|or|keys?)|az? \w+|bundle (?:is|and|or|size|of|that))$/

const RULE =
  /\b(?:must|never|always|only|instead|don't|do not|does not|not|no longer|except|exactly|because|decided|generated|by hand|before|first|without|unless|from now on|keep|avoid|breaks?|broke|forbidden|agreed|policy|BREAKING)\b/i

const SENTENCE_END = /(?<=[.!?;])\s+(?=[\p{Lu}`"'(*-])/u
const MAX_READ = 16_000

export const sentencesOf = (text: string): string[] =>
  text
    .slice(0, MAX_READ)
    .split('\n')
    .flatMap((line) => line.trim().split(SENTENCE_END))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')

export const isRule = (sentence: string): boolean => RULE.test(sentence)

/** Names of products, which look like files. */
const PRODUCT =
  /^(?:node|next|vue|nuxt|express|three|d3|react|ember|chart|socket|moment|alpine|nest)\.(?:js|io)$/i

/** Returns the files that a sentence names, as it writes them. */
export const filesNamed = (sentence: string): string[] =>
  [...sentence.matchAll(FILE)]
    .map(([name]) => name.replace(/^\.\//, ''))
    .filter((name) => !PRODUCT.test(name))

/** Returns the commands that a sentence names. */
export const commandsNamed = (sentence: string): string[] =>
  [...sentence.matchAll(COMMAND)]
    .map(([command]) => withoutEnd(command, '.:-'))
    .filter((command) => !PROSE.test(command))

type Named = { files: Set<string>; commands: Set<string> }

/** Returns what the ruling sentences of a text name; with `all` every sentence rules, as in a list of facts. */
export function namedIn(text: string, { all = false } = {}): Named {
  const named: Named = { files: new Set(), commands: new Set() }
  for (const sentence of sentencesOf(text)) {
    if (!all && !isRule(sentence)) continue
    for (const file of filesNamed(sentence)) named.files.add(file)
    for (const command of commandsNamed(sentence)) named.commands.add(command)
  }
  return named
}
