import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../support/process.ts'

export type Instruction = { name: string; text: string }
export type Stage = { name: string; image: string; instructions: Instruction[] }
export type Copy = { from: string | undefined; sources: string[]; target: string }

/** The instructions of the Dockerfile, stage by stage; continued lines are one, comments are none. */
function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = []
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+)\s+(.+)$/.exec(line.trim()) ?? []
    if (name === 'FROM') {
      const [image = '', , alias = ''] = text.split(/\s+/)
      stages.push({ name: alias, image, instructions: [] })
    } else if (name) stages.at(-1)?.instructions.push({ name, text })
  }
  return stages
}

export const all = (stage: Stage, name: string): string[] =>
  stage.instructions.filter((one) => one.name === name).map((one) => one.text)

export function copyOf(text: string): Copy {
  const words = text.split(/\s+/)
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' }
}

/** `NAME=value NAME=value`, as ENV has it. */
export const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=("[^"]*"|\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )

/** The command of a CMD or HEALTHCHECK in its array form. */
export const commandOf = (text: string): string[] => JSON.parse(text.slice(text.indexOf('[')))

/** Docker's patterns: unlike a shell's, their star also fits a name that begins with a dot. */
const patternOf = (glob: string) =>
  new RegExp(
    `^${glob
      .split(/(\*\*\/|\*)/)
      .map(
        (part) =>
          ({ '**/': '(?:.*/)?', '*': '[^/]*' })[part] ?? part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('')}$`,
  )

const ignoreRules = readFileSync(join(repository, '.dockerignore'), 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ keeps: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }))

/** Whether the engine gets the file: the last rule that fits it, or a folder above it, decides. */
export function isSent(path: string): boolean {
  const parts = path.split('/')
  const selfAndParents = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  return ignoreRules.reduce(
    (sent, { keeps, pattern }) =>
      selfAndParents.some((candidate) => pattern.test(candidate)) ? keeps : sent,
    true,
  )
}

export const dockerfile = (): Stage[] => stagesOf(readFileSync(join(repository, 'Dockerfile'), 'utf8'))
