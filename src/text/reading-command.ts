/**
 * Commands that only print texts. The hooks ask the vault by these rules, and recall answers by them. Nothing here knows
 * the server: it runs on the person's machine too.
 */

/** Programs that print a text which is already there: an error in it is not theirs. */
const READERS = new Set(
  [
    'awk bat batcat cat column cut diff echo egrep fgrep find fold gawk grep head jq less ls more nl',
    'printf rg sed sort strings tac tail tree uniq wc yq zcat',
  ].flatMap((names) => names.split(' ')),
)
/** They print nothing. */
const SILENT = new Set(['', 'cd', 'export', 'pwd', 'set', 'sleep', 'true'])
const READING_GIT = /^(?:-C \S+ |--no-pager )*(?:blame|diff|grep|log|ls-files|show|status)\b/

/** Up to the quote that closes it, if there is one: a search for what is closed would begin anew at each escaped quote. */
const QUOTED = /"(?:[^"\\$`]|\\.)*("?)/g

/** Signs in quotes join no commands. Between double quotes a command may stand, so these stay. */
const withoutQuoted = (command: string): string =>
  command.replace(/'[^']*'/g, '_').replace(QUOTED, (whole, closing) => (closing === '' ? whole : '_'))

function onlyReads(part: string): boolean {
  const words = part.trim().replace(/^(?:\w+=\S* +)*(?:xargs(?: +-\S+)* +)?/, '')
  const [program = '', ...rest] = words.split(/\s+/)
  if (program === 'git') return READING_GIT.test(rest.join(' '))
  if (rest.some((word) => /^-(?:exec|ok)/.test(word))) return false
  return READERS.has(program) || SILENT.has(program)
}

/** Whether a command does nothing but print texts, as `cat CHANGELOG.md | head` does. In doubt it does more. */
export function isReading(command: string): boolean {
  const plain = withoutQuoted(command).replace(/\d?>&\d/g, '')
  return !/[`"']|\$\(|<\(/.test(plain) && plain.split(/\|\|?|&&?|;|\n/).every(onlyReads)
}

/** `cat: notes.md: No such file or directory`, also with the name of a shell before it. */
const OWN_ERROR = /^(?:\S+: (?:line )?\d{1,5}: )?(\w{1,20}): /

/** A reading command fails with its own words, and then there is seldom anything before them. */
export function failsToRead(command: string, shown: string): boolean {
  if (/^fatal: /.test(shown)) return /\bgit\b/.test(command)
  return READERS.has(OWN_ERROR.exec(shown)?.[1] ?? '')
}
