import { readCommand } from './command-line.ts'
import type { CommandStep } from './session.ts'

export type Outcome = 'failed' | 'succeeded' | 'unknown'

const LOOKED_AT = 20_000

const FAILING =
  /\b[1-9]\d{0,5} (?:failed|failures?|failing|errors?)\b|\b(?:FAILED|FAIL)\b|npm (?:ERR!|error)|\b[A-Z]\w{0,60}(?:Error|Exception): |^error(?:\[\w{1,10}\])?:|\berror TS\d{3,5}\b|panicked at|Traceback \(most recent|^fatal: |command not found|BUILD FAILED|exit(?:ed)?(?: with)?(?: status| code)?[:= ]{1,3}[1-9]/m
const PASSING =
  /\b[1-9]\d{0,5} (?:passed|passing)\b|\ball tests passed\b|\btest result: ok\b|^(?:PASS|ok)\b|BUILD SUCCESS|compiled successfully|\b(?:found )?0 (?:errors|vulnerabilities)\b|exit(?:ed)?(?: with)?(?: status| code)?[:= ]{1,3}0\b|\bbuilt in \d|Successfully (?:installed|built)/im

/** A test program that found no tests reports success. */
const NOTHING_DONE =
  /\bno tests? (?:files? )?(?:found|ran|to run|were run|collected)\b|\bcollected 0 items\b|\bran 0 tests\b|\[no test files\]|\b0 (?:passing|passed)\b|\bno test suite found\b|\b(?:all|\d{1,6}) (?:tests? )?skipped\b(?!.{0,80}\bpassed)|\brunning 0 tests\b/i
const SOME_PASSED = /\b[1-9]\d{0,5} (?:passed|passing)\b/i

/** Stopped by the person or by a timeout: this says nothing about the program. */
const STOPPED = new Set([124, 130, 143])

const endsOf = (text: string): string =>
  text.length <= LOOKED_AT ? text : `${text.slice(0, LOOKED_AT / 2)}\n${text.slice(-LOOKED_AT / 2)}`

/**
 * The outcome of a command. The exit code says it, unless a pipe into a viewer hides it. Then the output decides, and if it
 * does not say, the outcome is unknown.
 */
export function outcomeOf({ command, exitCode, output }: CommandStep): Outcome {
  const { isMasked } = readCommand(command)
  const text = endsOf(output)
  if (exitCode !== null && STOPPED.has(exitCode)) return 'unknown'
  if (exitCode !== null && exitCode !== 0) return 'failed'
  if (isMasked || exitCode === null) {
    if (FAILING.test(text)) return 'failed'
    return PASSING.test(text) && !isIdle(text) ? 'succeeded' : 'unknown'
  }
  return isIdle(text) ? 'unknown' : 'succeeded'
}

const isIdle = (text: string) => NOTHING_DONE.test(text) && !SOME_PASSED.test(text)
