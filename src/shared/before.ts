/** What a project knows about its files and commands, as the hook before a tool reads it. */
export type NamesIndex = {
  ids: string[]
  /** Positions in `ids`, by a file's path or name, and by a command. */
  files: Record<string, number[]>
  commands: Record<string, number[]>
}

/** What an agent is about to do. */
export type Deed = { file: string } | { command: string }

const MAX_COMMAND = 4000
const MAX_IDS = 10

const own = (list: Record<string, number[]>, name: string): number[] =>
  Object.hasOwn(list, name) && Array.isArray(list[name]) ? list[name] : []

/** Returns the ids of what names a file: by its path in the project, or by its bare name where that was written. */
function idsOfFile({ files }: NamesIndex, file: string): number[] {
  const path = file.replaceAll('\\', '/').replace(/^\.\//, '')
  return [
    ...own(files, path),
    ...(path.includes('/') ? own(files, path.slice(path.lastIndexOf('/') + 1)) : []),
  ]
}

/** Commands of a line: what stands between `&&`, `||`, `;`, `|` and line ends. */
const partsOf = (command: string): string[][] =>
  command
    .slice(0, MAX_COMMAND)
    .split(/&&|\|\||[;|\n]/)
    .map((part) =>
      part
        .trim()
        .split(/\s+/)
        .filter((word) => !/^(?:sudo|env|time|\w+=\S*)$/.test(word)),
    )

const isFlag = (word: string): boolean => word.startsWith('-')

/** Whether a command is the named one: the same words at its beginning, and its flags anywhere. */
function isNamed(words: readonly string[], named: string): boolean {
  const wanted = named.split(' ')
  const plain = words.filter((word) => !isFlag(word))
  return (
    wanted.filter((word) => !isFlag(word)).every((word, at) => plain[at] === word) &&
    wanted.filter(isFlag).every((flag) => words.some((word) => word === flag || word.startsWith(`${flag}=`)))
  )
}

function idsOfCommand({ commands }: NamesIndex, command: string): number[] {
  const parts = partsOf(command).filter((words) => words.length > 0)
  return Object.keys(commands).flatMap((named) =>
    parts.some((words) => isNamed(words, named)) ? own(commands, named) : [],
  )
}

/** Returns the ids of what names this file or command; none for nearly all of them. */
export function idsBefore(index: NamesIndex, deed: Deed): string[] {
  const found = 'file' in deed ? idsOfFile(index, deed.file) : idsOfCommand(index, deed.command)
  return [...new Set(found)].flatMap((at) => index.ids[at] ?? []).slice(0, MAX_IDS)
}
