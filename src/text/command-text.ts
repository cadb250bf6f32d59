export type CommandReport = { command?: string; exitCode?: number; output: string }

/** How a command, its exit code and its output are sent as one text. */
export const commandText = ({ command, exitCode, output }: CommandReport): string =>
  [
    ...(command === undefined ? [] : [`$ ${command.replaceAll('\n', ' ')}`]),
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    output,
  ].join('\n')

const EXIT_CODE =
  /^\W{0,3}(?:process )?(?:exited with |exit(?:ed)? )?(?:exit )?(?:code|status)[ :=]{1,3}(-?\d{1,10})\b/i

/** The same read back; other spellings of the exit code are known too, where they begin the text or end it. */
export function readCommandText(text: string): CommandReport {
  const lines = text.split('\n')
  const command = lines[0]?.startsWith('$ ') ? lines.shift()?.slice(2).trim() : undefined
  const first = EXIT_CODE.exec(lines[0] ?? '')
  if (first) lines.shift()
  const last = lines.findLast((line) => line.trim() !== '')
  const code = (first ?? EXIT_CODE.exec(last ?? ''))?.[1]
  return {
    ...(command === undefined ? {} : { command }),
    ...(code === undefined ? {} : { exitCode: Number(code) }),
    output: lines.join('\n'),
  }
}
