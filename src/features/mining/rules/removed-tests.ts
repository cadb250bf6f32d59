import { withoutEnd } from '../../../text/without-end.ts'
import type { Changes, Edit } from './changes.ts'
import { isNamedIn, SETTINGS_FILE, TEST_FILE } from './named-files.ts'
import { baseName } from './session.ts'

/**
 * Whether a test that failed is no longer run: deleted, skipped, excluded. Then the command succeeds and nothing is
 * fixed. Each rule looks for the test that the failing output names, since tests go for good reasons too.
 */

const FOLDER_OF_TESTS = /^(?:tests?|__tests__|specs?)$/
const REMOVES = /^(?:sudo )?(?:git )?rm /
const RENAMES = /^(?:git )?mv /
/** What a file is renamed to so that no runner finds it. */
const PUT_ASIDE = /\.(?:bak|skip(?:ped)?|disabled|off|old|orig|tmp)$/

const operandsOf = (command: string): string[] =>
  command
    .split(/\s+/)
    .slice(1)
    .map((word) => word.replace(/^["']|["']$/g, ''))
    .filter((word) => !word.startsWith('-'))

/** The paths that a command removes, or moves out of the way. */
function removedBy(command: string): string[] {
  if (REMOVES.test(command)) return operandsOf(command)
  const moved = RENAMES.test(command) ? operandsOf(command) : []
  return PUT_ASIDE.test(moved.at(-1) ?? '') ? moved.slice(0, -1) : []
}

function isFailingTest(path: string, output: string): boolean {
  if (TEST_FILE.test(path)) return isNamedIn(output, path)
  const folder = baseName(withoutEnd(path, '/\\*'))
  return FOLDER_OF_TESTS.test(folder) && output.includes(`${folder}/`)
}

const SKIPPED =
  /\b(?:it|test|describe|suite|context)\.(?:skip|todo|fixme|only)\b|\bx(?:it|test|describe)\s?\(|@pytest\.mark\.(?:skip|xfail)|\bpytest\.skip\(|@unittest\.(?:skip|expectedFailure)|\bt\.Skip(?:Now|f)?\(|#\[ignore|@(?:Ignore|Disabled)\b/g
const DECLARED = /\b(?:it|test)(?:\.\w{1,20})?\s?\(|\bdef test_\w|\bfunc Test\w|#\[test\]|@Test\b/g

const count = (pattern: RegExp, text = ''): number => text.match(pattern)?.length ?? 0

/** More tests are skipped than before, or fewer are there. */
function leavesTestsOut(edits: readonly Edit[]): boolean {
  let [skipped, declared] = [0, 0]
  for (const { before, after } of edits) {
    skipped += count(SKIPPED, after) - count(SKIPPED, before)
    declared += count(DECLARED, after) - count(DECLARED, before)
  }
  return skipped > 0 || declared < 0 || edits.some(({ isDeletion }) => isDeletion)
}

const EXCLUDES = /exclude|ignore|deselect|skip/i
const ALL_TESTS = /(?:^|[\s/'"*])(?:tests?|__tests__|specs?)\/\*/
const PATH = /[\w@./\\-]{3,200}/g

/** A setting of the runner names the failing test, or all tests, as excluded. */
function isExcluded({ file, before = '', after = '' }: Edit, output: string): boolean {
  if (!SETTINGS_FILE.test(file) || !EXCLUDES.test(after)) return false
  const known = new Set(before.split('\n'))
  const added = after
    .split('\n')
    .filter((line) => !known.has(line))
    .join('\n')
    .toLowerCase()
  const failing = (output.match(PATH) ?? []).filter((path) => TEST_FILE.test(path))
  const isCovered = ALL_TESTS.test(added) && !ALL_TESTS.test(before)
  return isCovered || failing.some((path) => isNamedIn(added, path) && !isNamedIn(before.toLowerCase(), path))
}

const PASSED = /\b(\d{1,6}) (?:passed|passing)\b/g
const FAILED = /\b(\d{1,6}) (?:failed|failing)\b/g

const numbersIn = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map((match) => Number(match[1]))
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** The runner counts fewer tests than before. Outputs with another number of counts cannot be compared. */
function runsFewer(failing: string, passing: string): boolean {
  const [failed, before, after] = [
    numbersIn(failing, FAILED),
    numbersIn(failing, PASSED),
    numbersIn(passing, PASSED),
  ]
  const areAlike = failed.length > 0 && after.length > 0 && before.length === after.length
  return areAlike && sum(after) < sum(before) + sum(failed)
}

export type Outputs = { failing: string; passing: string }

export function areTestsRemoved({ failing, passing }: Outputs, { commands, edits }: Changes): boolean {
  const low = failing.toLowerCase()
  const editsByFile = new Map<string, Edit[]>()
  for (const edit of edits) {
    const name = baseName(edit.file)
    editsByFile.set(name, [...(editsByFile.get(name) ?? []), edit])
  }
  return (
    runsFewer(failing, passing) ||
    commands.some((command) => removedBy(command).some((path) => isFailingTest(path, low))) ||
    [...editsByFile.values()].some((of) => isFailingTest(of[0]?.file ?? '', low) && leavesTestsOut(of)) ||
    edits.some((edit) => isExcluded(edit, failing))
  )
}

const SAYS_REMOVED =
  /\b(?:exclud|skip|remov|delet|disabl|ignor)(?:p?ed|p?ing) (?:the |that |this |these |those |both |all )?(?:\w{1,20} )?tests?(?: (?:files?|cases?|suites?))?(?=[.,;:!)]| (?:that|which|from|in|for|because|until|so|and|as|since|by)\b|$)/im

/** A captured turn does not show what was edited; the agent may say so. */
export const isSaidRemoved = (report: string): boolean => SAYS_REMOVED.test(report)
