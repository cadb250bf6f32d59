import { hidesExitCode } from '../../../features/mining/rules/command-line.ts'
import { terminalText } from '../../../text/noise.ts'
import { failsToRead, isReading } from '../../../text/reading-command.ts'
import type { CommandRun } from './occasion.ts'

/** How much of an output is looked at: the two ends, where tools say what went wrong. */
const LOOKED_AT = 16_000

/**
 * How lines of failing tools begin. A pipe hides the exit code (`npm test | tail`), and some agents
 * do not pass it; then these patterns decide whether the vault is asked. The vault decides whether it delivers something.
 * They say nothing about a command that only prints a text, such as a log.
 */
const SIGNS: readonly RegExp[] = [
  /^[ \t]{0,8}(?:npm ERR!|npm error|ERR_PNPM_|fatal:|panic:|Traceback \(most recent call last\)|BUILD FAILED|Segmentation fault)/m,
  /^[ \t]{0,8}(?:error(?:\[[A-Z]\d{1,5}\])?:|ERROR[: ]|FAIL(?:ED|URE)?[ :])/m,
  /^[ \t]{0,8}(?:(?:E {2}|│) {0,6})?[A-Za-z_.]{0,80}(?:Error|Exception):/m,
  /\berror TS\d{4,5}:|: \*\*\* .{1,300} Stop\.$/m,
  /: (?:command not found|No such file or directory|Permission denied)$/m,
  /\b[1-9]\d{0,5} (?:failed|failing)\b/,
]

/** The two ends of a long text. */
export function bothEnds(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return `${text.slice(0, head).toWellFormed()}\n…\n${text.slice(-(most - head - 3)).toWellFormed()}`
}

/** By the exit code; if it is hidden or unknown, by the output. */
export function hasFailed({ command, exitCode, output }: CommandRun): boolean {
  if (exitCode !== null && exitCode !== 0) return true
  if (exitCode === 0 && !hidesExitCode(command)) return false
  const shown = terminalText(bothEnds(output, LOOKED_AT))
  if (isReading(command)) return failsToRead(command, shown)
  return SIGNS.some((sign) => sign.test(shown))
}
