/**
 * Whether a card is about another thing than a failure: both say that a module, a package or the like is wrong, that a
 * command failed, or the number of a message of the same tool, in the same words, and name different ones. The words
 * around the name then speak for the card, and it is still not about this failure.
 */

const QUOTED = `['"\`‘“]([^'"\`’”\\s]{2,100})['"\`’”]`
/** What a message calls by name right before the quoted name. */
const KINDS = 'module|package|import|crate|gem|plugin|extension|relation|table|column|symbol|attribute|name'
const NAMED_THING = new RegExp(`\\b(${KINDS}|module named|resolve|named|undefined):?\\s{1,3}${QUOTED}`, 'gi')
/** `Could not load the "sharp" module`: the name comes first. */
const THING_NAMED_BEFORE = new RegExp(`${QUOTED}\\s{1,3}(module|package|crate|gem|plugin|extension)\\b`, 'gi')
/** Python and Go write the name without quotes too. */
const BARE_THING = /\b(module named|undefined:)\s{1,3}([\w./-]{2,100})/gi
/** Linkers quote the name, with its parameters; people write it without quotes. */
const UNDEFINED_REFERENCE = /\bundefined (reference) to\s{1,3}[`'"‘“]?([\w:~$.]{2,100})/gi
/** A header that a compiler does not find, a crate whose own build failed, and why npm gave up. */
const MISSING_HEADER = /\bfatal (error): ([\w./+-]{2,100}\.h(?:pp)?): No such file/gi
const BUILD_OF_CRATE = /\bcustom (build) command for [`'"]?([\w-]{2,60})/gi
const CODE_OF_NPM = /\b(npm) (?:error|err!) code (E[A-Z]{3,20})\b/gi
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
  UNDEFINED_REFERENCE,
  MISSING_HEADER,
  BUILD_OF_CRATE,
  CODE_OF_NPM,
  NAMED_COMMAND,
  NAMED_SERVICE,
]

function namesIn(text: string, codes: RegExp): Map<string, string[]> {
  const names = new Map<string, string[]>()
  const add = (kind: string, name: string) =>
    names.set(kind, [...(names.get(kind) ?? []), name.toLowerCase()])
  for (const [, name = '', kind = ''] of text.matchAll(THING_NAMED_BEFORE)) add(kind.toLowerCase(), name)
  for (const pattern of NAMED_OTHERWISE)
    for (const [, kind = '', name = ''] of text.matchAll(pattern))
      add(
        kind
          .toLowerCase()
          .replace(/^(?:module named|resolve)$/, 'module')
          .replace(':', ''),
        name,
      )
  for (const pattern of MISSING_COMMAND)
    for (const [, name = ''] of text.matchAll(pattern)) add('missing command', name)
  for (const [, name = '', tool = ''] of text.matchAll(codes)) add(`code of ${tool.toLowerCase()}`, name)
  return names
}

/** The texts of a card come in lower case. */
const CODE_OF_CARD = new RegExp(CODE, 'gi')

/** A file of the project at hand by its path, one by an alias such as `@/lib`, or something that is installed. */
const formOf = (name: string): 'path' | 'alias' | 'installed' =>
  /^\.{0,2}[/\\]/.test(name) ? 'path' : /^[@~#]\//.test(name) ? 'alias' : 'installed'

/** The texts of a card, in lower case: all of them, and those that say what it is about. */
export type NamingCard = { all: string; about: string }

/** `sub/module` of a package is that package. */
const isRelated = (one: string, other: string): boolean => one.includes(other) || other.includes(one)

/** `around` is the command that failed: its name tells the service too. */
export function namesAnother(lines: readonly string[], { all, about }: NamingCard, around = ''): boolean {
  if (isOfAnotherService([around, ...lines].join('\n'), all)) return true
  const asked = namesIn(lines.join('\n'), CODE)
  const told = namesIn(all, CODE_OF_CARD)
  const wanted = [...asked.values()].flat()
  if (wanted.length === 0 || wanted.some((name) => all.includes(name))) return false
  return [...asked].some(([kind, names]) =>
    (told.get(kind) ?? []).some(
      (other) =>
        !names.some((name) => isRelated(name, other)) &&
        // A card that names its thing only where it quotes the error may help with others too.
        (about.includes(other) || !names.some((name) => formOf(name) === formOf(other))),
    ),
  )
}
