import { filesIn, speaksOfAnother } from './named-files.ts'

/**
 * Whether a card is about another thing than a failure: both say that a module, a package, a file or the like is wrong,
 * that a command failed, or the number of a message of the same tool, in the same words, and name different ones. The
 * words around the name then speak for the card, and it is still not about this failure.
 */

const QUOTED = `['"\`‘“]([^'"\`’”\\s]{2,100})['"\`’”]`
/** What a message calls by name right before the quoted name. */
const KINDS =
  'module|package|import|crate|gem|plugin|extension|relation|table|column|symbol|attribute|name|make target'
const NAMED_THING = new RegExp(`\\b(${KINDS}|module named|resolve|named|undefined):?\\s{1,3}${QUOTED}`, 'gi')
/** `Could not load the "sharp" module`: the name comes first. */
const THING_NAMED_BEFORE = new RegExp(`${QUOTED}\\s{1,3}(module|package|crate|gem|plugin|extension)\\b`, 'gi')
/** Python, Go and people write the name without quotes too. */
const BARE_THING = /\b(module named|undefined:|make target)\s{1,3}([\w./-]{2,100})/gi
const BARE_MODULE = /\bcannot find (module) (@?[\w-][\w./-]{1,100})/gi
/** Linkers quote the name, with its parameters; people write it without quotes. */
const UNDEFINED_REFERENCE = /\bundefined (reference) to\s{1,3}[`'"‘“]?([\w:~$.]{2,100})/gi
/** A header that a compiler does not find, a crate whose own build failed, and why npm gave up. */
const MISSING_HEADER = /\bfatal (error): ([\w./+-]{2,100}\.h(?:pp)?): No such file/gi
const BUILD_OF_CRATE = /\bcustom (build) command for [`'"]?([\w-]{2,60})/gi
const CODE_OF_NPM = /\bnpm (?:error|err!) code (E[A-Z]{3,20})\b/gi
/** Builders name the command that failed, with the shell that they gave it to. */
const NAMED_COMMAND =
  /\b(process|command|script):?\s{1,3}["'`](?:\/bin\/(?:ba)?sh -c )?([^"'`\n]{2,100})["'`]/gi
/** A command that is not there, as bash, sh, zsh, Windows and Go say it. In zsh the first name is its own. */
const MISSING_COMMAND = [
  /(?<![\w.+-])([\w.+-]{2,60}): command not found(?!:)/gi,
  /\bsh: (?:(?:line )?\d{1,5}: )?([\w.+-]{2,60}): not found/gi,
  /\bcommand not found: ([\w.+-]{2,60})/gi,
  new RegExp(`${QUOTED} is not recognized as`, 'gi'),
  /\bexec: "([\w.+-]{2,60})": executable file not found/gi,
]
/** `Cannot connect to the Docker daemon`; a server or a host that is not called by its name may be any. */
const NAMED_SERVICE =
  /\b(connect to)(?: the| local)? (?!server|host|database|socket|remote|proxy|local)([a-z][\w-]{2,40})\b/gi
/** `P1001`, `TS2345`, `ORA-00942`: the tool in letters, then the number of its message. */
const CODE = /(?<![\w-])(([A-Z]{1,5})-?\d{3,5})(?![\w-])/g

/** A refused connection says little more than who does not answer: by its name, its client or its usual port. */
const REFUSED = /connection refused|econnrefused|could not connect|couldn't connect|can't connect/i
const SERVICES = [
  /postgres|\bpsql\b|\bpg_|\b5432\b/i,
  /redis|\b6379\b/i,
  /mysql|mariadb|\b3306\b/i,
  /mongo|\b27017\b/i,
  /kubectl|kubernetes|\bkube|\b6443\b/i,
  /rabbitmq|\bamqp|\b5672\b/i,
  /kafka|\b9092\b/i,
  /elasticsearch|opensearch|\b9200\b/i,
] as const

/** The failure is of one service that does not answer, and the card is about others alone. */
function isOfAnotherService(failure: string, card: string): boolean {
  if (!REFUSED.test(failure)) return false
  const asked = SERVICES.filter((service) => service.test(failure))
  const told = SERVICES.filter((service) => service.test(card))
  return asked.length > 0 && told.length > 0 && !asked.some((service) => told.includes(service))
}

const NAMED_OTHERWISE = [
  NAMED_THING,
  BARE_THING,
  BARE_MODULE,
  UNDEFINED_REFERENCE,
  MISSING_HEADER,
  BUILD_OF_CRATE,
  NAMED_COMMAND,
  NAMED_SERVICE,
]

type Names = Map<string, string[]>

const inSmallLetters = (found: readonly (readonly [string, string])[]): Names => {
  const names: Names = new Map()
  for (const [kind, name] of found) {
    const known = names.get(kind)
    if (known) known.push(name.toLowerCase())
    else names.set(kind, [name.toLowerCase()])
  }
  return names
}

const FILE = 'file'

function thingsIn(text: string): Names {
  const all = (pattern: RegExp) => [...text.matchAll(pattern)]
  const kindOf = (said: string) =>
    said
      .toLowerCase()
      .replace(/^(?:module named|resolve)$/, 'module')
      .replace(':', '')
  return inSmallLetters([
    ...all(THING_NAMED_BEFORE).map(([, name = '', kind = '']) => [kindOf(kind), name] as const),
    ...NAMED_OTHERWISE.flatMap(all).map(([, kind = '', name = '']) => [kindOf(kind), name] as const),
    ...MISSING_COMMAND.flatMap(all).map(([, name = '']) => ['missing command', name] as const),
    ...filesIn(text).map((name) => [FILE, name] as const),
  ])
}

const codesIn = (text: string, codes: RegExp): Names =>
  inSmallLetters([
    ...[...text.matchAll(codes)].map(([, name = '', tool = '']) => [tool.toLowerCase(), name] as const),
    ...[...text.matchAll(CODE_OF_NPM)].map(([, name = '']) => ['code of npm', name] as const),
  ])

/** The texts of a card come in lower case. */
const CODE_OF_CARD = new RegExp(CODE, 'gi')

/** A file of the project at hand by its path, one by an alias such as `@/lib`, or something that is installed. */
const formOf = (name: string): 'path' | 'alias' | 'installed' =>
  /^\.{0,2}[/\\]/.test(name) ? 'path' : /^[@~#]\//.test(name) ? 'alias' : 'installed'

/** The texts of a card, in lower case: all of them, those that say what it is about, and the title alone. */
export type NamingCard = { all: string; about: string; title: string }

/** `sub/module` of a package is that package, and `*.css` is each. */
const isRelated = (name: string, told: string): boolean => {
  const other = told.replaceAll('*', '')
  return name.includes(other) || other.includes(name)
}

function isAnother(
  kind: string,
  names: readonly string[],
  other: string,
  { about, title }: NamingCard,
): boolean {
  if (names.some((name) => isRelated(name, other))) return false
  if ((kind === FILE || kind === 'module') && speaksOfAnother(names, other, title)) return true
  if (kind === FILE) return false
  if (!names.some((name) => formOf(name) === formOf(other))) return true
  // A card that names its thing only where it quotes the error may help with others too. A path is an example.
  return about.includes(other) && !(kind === 'module' && formOf(other) === 'path')
}

/** Of each kind that both name, the card names another; nothing that the failure names stands in the card. */
function differ(asked: Names, told: Names, card: NamingCard): boolean {
  if ([...asked.values()].flat().some((name) => card.all.includes(name))) return false
  return [...asked].some(([kind, names]) =>
    (told.get(kind) ?? []).some((other) => isAnother(kind, names, other, card)),
  )
}

/** `around` is the command that failed: its name tells the service too. */
export function namesAnother(lines: readonly string[], card: NamingCard, around = ''): boolean {
  const text = lines.join('\n')
  if (isOfAnotherService(`${around}\n${text}`, card.all)) return true
  const things = thingsIn(text)
  const codes = codesIn(text, CODE)
  // The code says what kind of thing is wrong, so the same code with another name is another failure.
  if (differ(things, thingsIn(card.all), card)) return true
  const isNamed = [...things.values()].flat().some((name) => card.all.includes(name))
  return !isNamed && differ(codes, codesIn(card.all, CODE_OF_CARD), card)
}
