import { withoutStamp } from '../text/command-output.ts'
import { SAYS_WRONG } from '../text/failure.ts'
import { cutText } from '../text/unicode.ts'
import { type CardContent, FIRST_TEXTS } from './card-fields.ts'
import { namedCommands, readCommand } from './command-line.ts'
import type { Candidate } from './mining.ts'

/** The text of a card, made from a candidate without a model, good enough to be accepted unread. */
type DraftCard = Pick<CardContent, (typeof DRAFTED_FIELDS)[number]>

export const DRAFTED_TEXTS = ['title', ...FIRST_TEXTS] as const
export const DRAFTED_FIELDS = [...DRAFTED_TEXTS, 'environment', 'steps', 'tags'] as const

const MAX_TITLE_LENGTH = 140
const MAX_COMMAND_LENGTH = 48
const MAX_FIX_LENGTH = 900
const MAX_SENTENCES = 5

/** Cuts a text at a blank. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const { text: cut } = cutText(text, most - 1)
  const blank = cut.lastIndexOf(' ')
  return `${cut.slice(0, blank > most / 2 ? blank : undefined).replace(/(?<![\s,;:.([{'"`-])[\s,;:.([{'"`-]+$/, '')}…`
}

/** Makes the first letter of a plain word a capital; a name keeps its own. */
const capitalised = (text: string): string =>
  /^(?:an?|the|it|its|there|this|that|no|we|our|your|both|one|some)\b/.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text

/** Lines that every failure of a tool has, so that they tell nothing about one failure. */
const BOILERPLATE = new RegExp(
  `^(?:${[
    'FAILURE: Build failed',
    String.raw`thread .{1,80} panicked at \S+$`,
    String.raw`BUILD (?:FAILED|FAILURE)\b`,
    String.raw`\* (?:What|Try|Where|Get|Exception)\b`,
    'Execution failed for task',
    'A problem occurred (?:configuring|evaluating)',
    String.raw`Task \S+ FAILED`,
    String.raw`could not compile \S+`,
    'aborting due to',
    'failed to run custom build command',
    String.raw`(?:shell )?command (?:".*" )?(?:failed|errored|exited)\b`,
    'the command .* returned a non-zero code',
    String.raw`.*\b(?:did not complete successfully|did not run successfully|exited with (?:code|status)|non-zero exit status)\b`,
    String.raw`(?:process completed with )?exit(?:ed)? (?:code|status)\b`,
    'Lifecycle script',
    String.raw`Failed to execute goal\b`,
    String.raw`(?:Build|Compilation|Compile|Job|Test run|Tests?|Some tests|Checks?|Linting|Install(?:ation)?) (?:has |have |did )?(?:failed|fail|failure|error)s?\b[^:]*:?$`,
    'compilation terminated',
    String.raw`Failed to compile\.?$`,
    String.raw`(?:an? )?(?:unexpected|unhandled|uncaught|internal|fatal)? ?(?:error|exception)s?(?: has| have)?(?: been)? ?(?:occurred|found|thrown|generated)\b.{0,20}$`,
    String.raw`there (?:was|were|is|are) (?:an? |\d+ )?errors?\b`,
    'something went wrong',
    String.raw`\d+ (?:failed|failing|errors?|problems?|tests?)\b`,
    String.raw`(?:Test Files|Tests|Test Suites|Suites)\b.{0,5}\d`,
    String.raw`(?:FAIL|FAILED|ERROR) +\S+$`,
    String.raw`FAILED \(`,
    'collect2: ',
    String.raw`\[(?:remote )?rejected\]|failed to push some refs`,
    String.raw`(?:make|gmake|ninja)(?:\[\d+\])?: `,
    'ninja: build stopped',
    'subprocess-exited-with-error',
    'metadata-generation-failed',
    'Getting requirements to build',
    'Encountered error while',
    'See above for output',
    'This (?:error originates|is an issue with the package)',
    'ERR_PNPM_RECURSIVE',
    'ELIFECYCLE',
    'Require stack',
    'Traceback',
    '(?:E?RROR|Error|errors?|failures?|failed|FAIL|Caused by|Reason|Details|Error message)[:.]?$',
    'Unhandled (?:Promise ?)?Rejection:?$',
    '(?:build|cargo build|zig build) failed$',
    String.raw`ImportError while (?:importing|loading)\b`,
    String.raw`errored? while loading\b.{0,40}$`,
    String.raw`\d+ errors? generated`,
    String.raw`Node\.js v\d`,
    'A complete log',
    String.raw`panic: \[recovered\]`,
    'the above error',
  ].join('|')})`,
  'i',
)

/** Advice of a tool; it is not what went wrong. */
const ADVICE =
  /^(?:hint|help|note|tip|try|run|rerun|re-run|see|use|to (?:fix|add|solve|address|install)|for (?:more|further)|read more|visit|did you mean|please|consider|you (?:can|may|should|need)|check|learn more|documentation|more info\w*|if you)\b/i

/** A label in front of what happened. */
const LABEL =
  /^(?:npm (?:error|ERR!)|(?:[Ee]rror|[Ff]atal|fatal error|panic|Failure|Caused by|\[cause\]|remote|go|stderr|Error message|Reason)(?=:)|error(?= \S)|\[(?:ERROR|FATAL|error|fatal)\]|(?:ERROR|FATAL|SEVERE|CRITICAL)(?=[\s:])|E(?= +\S*(?:Error|Exception|assert))|#\d{1,4}(?: [\d.]{1,9})? ERROR|(?:Unhandled|Uncaught)(?: exception)?(?=[: ])|Error response from daemon|what\(\)|code(?=:? [A-Z'"]))[:\s]*/
const MARKS =
  /^(?:[\s>!*•|│╷╵✗×✖✘❌⨯-]+|[\w.-]{1,60} {0,20}\| +|(?:ba|z|da)?sh: (?:line \d{1,5}: |\d{1,5}: )?)/
const POSITION = /^[\w@~./\\+-]{1,200}(?:\(\d{1,6}(?:,\d{1,6})?\):?|(?::\d{1,6}){1,2}:?| :)\s+(?:- )?(?!in\b)/
const CODED = /^(?:error|fatal error|warning)?\s*\[?([A-Z]{1,6}-?\d{2,6}|ERR_[A-Z_]{3,60})\]?:\s+(?=\S)/i
const CODED_ERROR = /^(?:[A-Z]\w{0,40}Error) \[([A-Z][A-Z_\d]{3,60})\]:\s+/

/** A code without words, which tells people nothing. */
const BARE_CODE =
  /^['"]?(?:[\w:.]{0,80}(?:Error|Exception)|[A-Z]{1,6}[-_]?\d{2,6}|E[A-Z\d]{3,20}|ERR_[A-Z_\d]{3,60}|[A-Z]{2,20}(?:_[A-Z\d]{1,20}){1,6})['"]?[,.]?$/

/** Advice at the end of a line. */
const TO_CURE = /[;,:]? to (?:add|fix|install|solve)(?: (?:it|this))?\s*:?\s*$/

type Reason = { text: string; code: string | null; score: number }

const STRONG =
  /\b[A-Z]\w{1,60}(?:Error|Exception)\b|\b(?:E[A-Z]{4,20}|ERR_\w{3,60}|TS\d{4,5})\b|\berror\[E\d{4}\]|\b(?:FATAL|fatal|panic)/

const URL_IN_TEXT = /\s{0,4}(?:\(|at |see |: )?https?:\/\/\S+/gi

/** Returns what a line says, without position, label and marks; and the code in front of it. */
function reasonIn(line: string): Reason {
  let [text, code, before]: [string, string | null, string] = [withoutStamp(line.trim()), null, '']
  text = text.replace(MARKS, '').replace(POSITION, '')
  while (before !== text) {
    before = text
    text = text.replace(MARKS, '').replace(LABEL, '')
    const found = CODED.exec(text) ?? CODED_ERROR.exec(text)
    if (found) {
      code ??= found[1] as string
      text = text.slice(found[0].length)
    }
  }
  text = text.replaceAll(URL_IN_TEXT, '').replace(TO_CURE, '').replaceAll(/\s+/g, ' ').trim()
  if (BARE_CODE.test(text)) return { text: '', code: text.replaceAll(/['",.]/g, ''), score: 0 }
  if (BOILERPLATE.test(text) || BOILERPLATE.test(line.trim())) return { text: '', code: null, score: 0 }
  return { text, code, score: scoreOf(line, text) }
}

const SAYS_NO =
  /\b(?:no|not|never|fail(?:ed|s)?|couldn't|isn't|expired|exceeds|rejected|refused|blocked|already|requires?|incompatible|too)\b/i

function scoreOf(line: string, text: string): number {
  const words = text.split(' ').filter((word) => /\p{L}{2}/u.test(word)).length
  const isRoot = /^\s{0,40}(?:> |\W{0,20}Caused by: |\[cause\]|\W{0,20}Reason: )/i.test(line)
  return (
    3 * Number(STRONG.test(line)) +
    2 * Number(SAYS_WRONG.test(text)) +
    Number(SAYS_NO.test(text)) +
    Number(/["'`].{2,}["'`]/.test(text)) +
    3 * Number(isRoot) -
    2 * Number(/[:,]$/.test(text)) -
    3 * Number(words < 3) -
    4 * Number(ADVICE.test(text))
  )
}

/** Returns the first sentence of a text if it says enough. */
function firstSentence(text: string): string {
  const end = text.search(/[.!?] (?=["'`(\p{Lu}])/u)
  return (end > 15 ? text.slice(0, end) : text).replace(/(?<![\s.:;,])[\s.:;,]+$/, '')
}

/** Returns the error in words: code and the telling line, or undefined if no line has words. */
function errorOf(lines: readonly string[]): { words: string; code: string | null } {
  const reasons = lines.map(reasonIn)
  let best: (Reason & { score: number }) | undefined
  for (const [at, one] of reasons.entries()) {
    const before = reasons[at - 1]
    const explainsCode = before?.text === '' && before.code !== null
    const score = one.score + 2 * Number(explainsCode || one.code !== null)
    if (one.text !== '' && score > (best?.score ?? -9)) best = { ...one, score }
  }
  const words = firstSentence(best?.text ?? '')
  const code = best?.code ?? reasons.find((one) => one.text === '' && one.code)?.code ?? null
  return { words, code: code && !words.includes(code) ? code : null }
}

/** Returns the command as a person names it; of a line of several, the one that the error mentions or the last. */
function commandOf({ command, failure }: Pick<Candidate, 'command' | 'failure'>): string {
  const named = namedCommands(command)
  const low = failure.toLowerCase()
  const programOf = (one: string) =>
    /[\w.-]+/.exec(one.replace(/^(?:sudo|npx|bunx) (?:-\w+ )*/, ''))?.[0] ?? one
  const mentioned = named.filter(
    (one) =>
      low.includes(`${programOf(one).toLowerCase()} `) || low.includes(`${programOf(one).toLowerCase()}:`),
  )
  const chosen = (mentioned.length === 1 ? mentioned[0] : named.at(-1)) ?? command.trim()
  return shorten(chosen.replaceAll('`', "'").replaceAll(/\s+/g, ' '), MAX_COMMAND_LENGTH)
}

const lowered = (text: string): string =>
  /^[A-Z][a-z]+ /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

function titleOf(candidate: Candidate, cause: string | null): string {
  const lines = candidate.failure.split('\n').filter((line) => line.trim() !== '')
  const { words, code } = errorOf(lines)
  const told = words || (cause ? lowered(firstSentence(cause)) : '')
  const name = `\`${commandOf(candidate)}\` fails`
  const start = `${name}: ${code ? `${code}, ` : ''}`
  if (told !== '') return shorten(start + endOf(told, MAX_TITLE_LENGTH - start.length), MAX_TITLE_LENGTH)
  return shorten(
    [`${name}${code ? ` with ${code}` : ''}`, curedBy(candidate)].filter(Boolean).join(', '),
    MAX_TITLE_LENGTH,
  )
}

const MIN_REASON_LENGTH = 16

/** Returns a text that fits: of "a: b: c" the end, which is nearest to the reason. */
function endOf(text: string, most: number): string {
  let rest = text
  while (rest.length > most) {
    const at = rest.indexOf(': ')
    if (at === -1 || rest.length - at - 2 < MIN_REASON_LENGTH) break
    rest = rest.slice(at + 2)
  }
  return rest
}

/** Names the change for a title if neither output nor report has words for the error. */
function curedBy({ files, commands }: Candidate): string {
  const [command, file] = [commands.at(-1), files[0]]
  if (command !== undefined)
    return `solved by \`${shorten(command.replaceAll('`', "'"), MAX_COMMAND_LENGTH)}\``
  return file === undefined ? '' : `solved in ${file}`
}

const CURE =
  /\b(?:fix(?:ed|es)?|solved|resolved|chang(?:ed|ing)|add(?:ed|ing)|remov(?:ed|ing)|delet(?:ed|ing)|clear(?:ed|ing)|clean(?:ed|ing)|replac(?:ed|ing)|set(?:ting)?|updat(?:ed|ing)|upgrad(?:ed|ing)|downgrad(?:ed|ing)|install(?:ed|ing)?|pinn(?:ed|ing)|renam(?:ed|ing)|mov(?:ed|ing)|instead|enabl(?:ed|ing)|disabl(?:ed|ing)|mark(?:ed|ing)|start(?:ed|ing)|restart(?:ed|ing)|ran|regenerat(?:ed|ing)|rebuilt|rais(?:ed|ing)|increas(?:ed|ing)|switch(?:ed|ing)|free(?:d|ing)|unlock(?:ed|ing)|made|declar(?:ed|ing)|now (?:passes|works|succeeds)|needed|requires?|must)\b/i
const CAUSE =
  /\b(?:because|caused by|root cause|the (?:\w+ )?(?:cause|reason|problem|issue|culprit) (?:is|was)|due to|turned out|turns out|since the|which (?:broke|made|meant|caused|prevented|kept|hid|left)|that is why)\b/i
/** Says a state that is wrong, without a word for cause. */
const WRONG_STATE =
  /\b(?:not|no|n't|missing|wrong|stale|old(?:er)?|left out|leaves out|lacks?|lacked|outdated|out of date|corrupt(?:ed)?|no longer|never|only|expects?|expected|needs?|needed|requires?|required|too|conflict(?:s|ed)?|listed|blocked|still|without|ignore[sd]?|excluded?|excludes|differs?|different|mismatch\w*|twice|already|nothing|null|undefined|none|another|hides?|hid|points? (?:at|to)|pointed (?:at|to)|failed|broke|broken|moved|renamed|removed|dropped|disabled|unset|empty|locked|held|full|expired|read-only|denied|changed|cannot|can't|half)\b/i
const STATE_VERB =
  /\b(?:is|was|are|were|has|had|have|do|does|did|can|cannot|could|may|exists?|lacks?|lacked|needs?|needed|expects?|expected|requires?|required|left|uses?|used|renamed|removed|dropped|moved|hides?|hid|held|points?|pointed|failed|broke|imports?|leaves|ignores?|ignored|excludes?|excluded|conflicts?|asks?|asked|returns?|returned|runs?|ran|reads?|read|looks?|ships?|shipped|pins?|pinned|kept|keeps|stopped|resolves?|resolved|installs?|changed)\b/i
/** What the agent does or reports of itself is no cause. */
const OWN_ACT =
  /^(?:(?:ok|okay|great|good|perfect|done|fixed|all good|yes|so|then|now|next|first|finally)\b[,:.! ]*)*(?:I\b|I['’]\w|we\b|we['’]\w|let me|let['’]s|(?:add|chang|remov|fix|updat|replac|install|runn|sett|mov|switch|try|check|look|restart|start)(?:ed|ing)\b)/i
const SUCCESS =
  /\b(?:now (?:passes|pass|works?|succeeds?|builds?|runs?|green|installs?)|(?:passes|pass|works|succeeds|builds|installs|is green|are green|is clean) (?:now|again)|(?:tests?|specs|suite|build|it|everything|lint|all) (?:now )?(?:passes|pass|works|succeeds|is green|is clean|are green)|all .{0,30}(?:pass|green))\b|^(?:it installs|it works)/i
const INTENT =
  /^(?:I['’]?ll|I will|let me|let['’]s|I(?:'m| am) going to|shall I|I try|I (?:now )?(?:run|look|check)\b|now I|next)/i
const REFERS_BACK =
  /\b(?:that|this|these|those|it|them|there|its|the (?:line|entry|rule|flag|setting|old one))\b/i

const CAUSE_LABEL =
  /^\**(?:root cause|cause|reason|why|diagnosis|problem|issue|what went wrong)\**\s?:\**\s*/i
const FIX_LABEL = /^\**(?:fix(?:ed)?|solution|resolution|changes?|what i did|done|solved)\**\s?:\**\s*/i

type Sentence = { text: string; label: 'cause' | 'fix' | null }

function sentencesOf(report: string): Sentence[] {
  const sentences: Sentence[] = []
  let heading: Sentence['label'] = null
  for (const line of report.replace(/```[\s\S]*?```/g, '\n').split(/\n+/)) {
    const plain = line.replace(/^[\s>*#-]{1,20}(?=\S)/, (marks) => (marks.includes('**') ? '**' : '')).trim()
    const label =
      CAUSE_LABEL.test(`${plain}:`) && plain.length < 30
        ? 'cause'
        : FIX_LABEL.test(`${plain}:`) && plain.length < 30
          ? 'fix'
          : null
    if (label) {
      heading = label
      continue
    }
    if (/^\s{0,3}#/.test(line)) heading = null
    const own = CAUSE_LABEL.test(plain) ? 'cause' : FIX_LABEL.test(plain) ? 'fix' : heading
    const rest = plain.replace(CAUSE_LABEL, '').replace(FIX_LABEL, '').replaceAll('**', '')
    for (const text of rest.split(/(?<=[.!?])\s+(?=[\p{Lu}`])/u)) {
      const tidy = text.replaceAll(/\s+/g, ' ').trim()
      if (tidy.length > 10 && tidy.length < 500) sentences.push({ text: tidy, label: own })
    }
  }
  return sentences
}

/** Cuts off what was done from a sentence that says why first: "It was missing, so I added it." */
const BEFORE_ACT =
  /^(.{12,300}?)(?:\s*[;:–—]\s*|,?\s+(?:and )?so (?=(?:I|we|now|the fix)\b)|,\s+(?:therefore|thus|which)\s+(?=(?:I|we)\b)|[,;]\s+(?=(?:I|we) )|\s+and (?=I |we ))(?:so\s+)?(?:I|we|now|added|adding|chang|remov|install|set|updat|the fix)\b/i

const withPeriod = (text: string): string => capitalised(/[.!?…]$/.test(text) ? text : `${text}.`)

function clauseOfCause(text: string): string {
  const clause = BEFORE_ACT.exec(text)?.[1]
  return withPeriod(
    (clause ?? text)
      .replace(FIX_LABEL, '')
      .replace(/^(?:ok|okay|done|fixed|so|right|found it)\b[,:.! ]+/i, '')
      .trim(),
  )
}

const WORD = /[\p{L}\p{N}_@./*-]{4,60}/gu

/** Returns words that a sentence about this failure may name: changed files, and names of the output. */
function namesOf({ files, failure, command }: Candidate): Set<string> {
  const bases = files.flatMap((file) => file.split(/[/\\]/).at(-1) ?? [])
  const words = [...bases, ...(`${failure} ${command}`.match(WORD) ?? [])]
  return new Set(words.map((word) => word.toLowerCase().replace(/^[.@/]+|(?<![.,:])[.,:]+$/g, '')))
}

/** Returns true for a sentence about a state; one directly before "I changed …" needs no word for wrong. */
function isStatement(text: string, isBeforeCure: boolean): boolean {
  if (text.endsWith('?') || OWN_ACT.test(text) || INTENT.test(text) || SUCCESS.test(text)) return false
  return (STATE_VERB.test(text) && WRONG_STATE.test(text)) || (isBeforeCure && text.split(' ').length > 3)
}

/** Returns the sentence that says why, also where it has no word such as "because". */
function causeOf(candidate: Candidate, sentences: readonly Sentence[]): string | null {
  const labelled = sentences.find(({ label }) => label === 'cause')
  if (labelled) return clauseOfCause(labelled.text)
  const said = sentences.findLast(({ text }) => CAUSE.test(text) && !text.endsWith('?'))
  if (said) return clauseOfCause(said.text)
  const names = namesOf(candidate)
  let best: { text: string; score: number } | undefined
  for (const [at, { text }] of sentences.entries()) {
    const clause = clauseOfCause(text)
    const next = sentences[at + 1]?.text ?? ''
    const isBeforeCure = (/^(?:I|we)\b/i.test(next) && !INTENT.test(next)) || clause.length + 8 < text.length
    if (!isStatement(clause, isBeforeCure)) continue
    const named = (clause.match(WORD) ?? []).filter((word) =>
      names.has(word.toLowerCase().replace(/^[.@/]+|(?<![.,:])[.,:]+$/g, '')),
    )
    const score = Math.min(named.length, 2)
    if (score >= (best?.score ?? 0)) best = { text: clause, score }
  }
  return best?.text ?? null
}

function namesOfChange({ files, commands }: Candidate): string {
  const shown = (names: readonly string[], most: number) =>
    names.length <= most
      ? names.join(', ')
      : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
  const run = commands.map((command) => `\`${command}\``)
  return [
    ...(files.length > 0 ? [`Changed: ${shown(files, 8)}.`] : []),
    ...(commands.length > 0 ? [`Ran: ${shown(run, 5)}.`] : []),
  ].join(' ')
}

/** Returns what cured the error, with the cause in front if the sentences refer back to it. */
function fixOf(candidate: Candidate, sentences: readonly Sentence[], cause: string | null): string {
  const done = sentences.filter(({ text }) => !INTENT.test(text) && !text.endsWith('?'))
  const telling = done.filter(({ text }) => !SUCCESS.test(text) || /\b(?:I|we)\b/i.test(text))
  const plain = telling.length > 0 ? telling : done
  const labelled = plain.filter(({ label }) => label === 'fix')
  const cures =
    labelled.length > 0 ? labelled : plain.filter(({ text, label }) => label !== 'cause' && CURE.test(text))
  const chosen = [
    ...new Set((cures.length > 0 ? cures : plain).slice(-MAX_SENTENCES).map(({ text }) => withPeriod(text))),
  ]
  const isSaid = cause !== null && chosen.some((text) => text.includes(cause.slice(0, -1)))
  const needsCause = cause !== null && !isSaid && REFERS_BACK.test(chosen[0] ?? '')
  const said = cutText([...(needsCause ? [cause] : []), ...chosen].join(' '), MAX_FIX_LENGTH).text
  return [said, namesOfChange(candidate)].filter((part) => part !== '').join('\n\n')
}

function stepsOf({ files, commands, command }: Candidate): DraftCard['steps'] {
  const actions = [
    ...files.map((file) => ({ action: `Change ${file}`, result: '' })),
    ...commands.map((line) => ({ action: `Run \`${line}\``, result: '' })),
    { action: `Run \`${command}\``, result: 'It succeeds.' },
  ]
  return actions.map((step, at) => ({ order: at + 1, ...step }))
}

const TOOL = /^[a-z][a-z0-9_.+-]{1,30}$/

function tagsOf(command: string): string[] {
  const [program = '', order = ''] = (readCommand(command).parts.at(-1) ?? '').split(' ')
  const isPackageManager = /^(?:npm|pnpm|yarn|bun|pip|cargo|go|docker|git)$/.test(program)
  return [program, ...(isPackageManager ? [`${program}-${order}`] : [])].filter((tag) => TOOL.test(tag))
}

export function draftCard(candidate: Candidate): DraftCard {
  const lines = candidate.failure.split('\n').filter((line) => line.trim() !== '')
  const code = candidate.exit_code ? ` with exit code ${candidate.exit_code}` : ''
  const sentences = sentencesOf(candidate.report)
  const cause = causeOf(candidate, sentences)
  return {
    title: titleOf(candidate, cause),
    symptom: `\`${candidate.command}\` fails${code}:\n\n${lines.join('\n')}`,
    fix_summary: fixOf(candidate, sentences, cause),
    root_cause: cause,
    environment: candidate.environment,
    steps: stepsOf(candidate),
    tags: tagsOf(candidate.command),
  }
}
