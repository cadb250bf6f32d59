import { termsOf } from '../../text/analyse.ts'
import { fold } from '../../text/fold.ts'
import { STOP_WORDS } from '../../text/terms.ts'

/** Words of people for what the guide names otherwise: `asked words > words of the guide`. */
const SAME = `
colleague teammate coworker employee friend coworkers > member team role editor
cannot can't allowed rights right access permission permissions permitted > role
viewer editor admin > role
edit > change editor
rid kick throw fire out > remove
left > leave
undelete recover undo unpublish > bring back restore delete
forgot forgotten lost > change password reset
login signin sign-on > sign in
logout signout > sign out session
cost costs price pricing money paid pay charge charged free expensive > credits plan
subscription subscribe > plan
invoice receipt > billing status plan
upgrade update release version > new version
download export gdpr > download everything account export
screenshot image photo > pictures
human person support staff contact > ticket support
bug problem complain complaint > ticket
abusive abuse spam offensive illegal > report moderation
internet offline disconnected down > server away
failing fails failed failure crash crashes > failure failed
nothing silent empty > working hooks
agent assistant llm model > agent
claude codex cursor gemini copilot windsurf vscode > connect agent
token tokens secret secrets password credentials > secrets
leak leaked leaks > secrets redaction
nginx caddy apache tls ssl > https
public > publish published publishing share
log logs metrics monitoring prometheus grafana alert > watch log metrics
machine machines servers nodes cluster replicas > machine cores
disk full space > disk fills
forget > delete memory project
history changed changes > earlier versions
duplicate duplicates same merge > merge replace others
mails mail email emails newsletter notify notification notifications > mail
shortcut shortcuts hotkey hotkeys > keyboard
dark theme colour color > appearance
conversation conversations chat transcript > exchange kept
rotate renew replace > new key revoke
swagger openapi schema > openapi
exact phrase quotes literal > query itself
company companies organisation another other > servers
refused rejected declined > not published
injection jailbreak > instructions text others
stop disable off switch > switch off
human-readable > read
docker container compose kubernetes podman > container docker
postgres postgresql > postgresql
backup backups dump > backup
`

/** German words by their beginning. */
const GERMAN = `
karte > card
kolleg mitarbeit teammitglied mitglied > member team role editor
bearbeit änder > change edit editor
darf dürf recht erlaub berechtig zugriff > role
rolle > roles
einlad einlädt lade lädt eingeladen > invite invitation
team gruppe arbeitsbereich > team workspace
sicherung sicher datensicherung > backup
wiederherstell wiederher stelle zurückhol rückgängig > restore bring back
lösch gelöscht entfern > delete remove
konto > account
passwort kennwort > password
vergess > reset
schlüssel > api key
such find > search
biblioth > library
kost preis guthaben bezahl geld kostenlos > credits costs plan
plan abo > plan
kündig > cancel plan
rechnung zahlung > billing plan
verbind anschließ > connect
veröffentlich > publish
zurücknehm zurückzieh > take back
teil freigeb > share
befehl kommando > command
fehlschlägt fehlschlag scheiter fehler > failed failure
nichts > nothing working hooks
bekommt bekomm > get
abmeld auslogg > sign out
anmeld einlogg > sign in
verlass austret > leave
gedächtnis erinner merkt > memory
vergiss > delete memory
entwurf entwürf > drafts
kommentar > comment
erwähn > mention
benachrichtig > inbox mail
meld > report
bild foto > picture
aktualisier neue neuer > new version
umzieh umzug > move
herunterlad exportier export daten > download everything account export
sprache > language
tastatur tastenkürzel > keyboard
dunkel > appearance
handy telefon > phone
ausschalt schalte schaltet abschalt deaktivier aus > switch off
geheim > secrets
einstell > settings
projekt > project
rechner computer maschine > machine
zertifikat > certificate
festplatte speicher > storage disk
werkzeug > tools
mensch > ticket support
hilfe > support
abgelaufen ungültig > expired
urteil > verdict
veraltet > outdated
moderator > moderation
lizenz > licence
schnittstelle > api
grenz limit > limits
`

const GERMAN_QUESTION =
  /(?:^|[^\p{L}])(?:wie|warum|wieso|weshalb|wo|wer|welche[rsn]?|ich|nicht|kann|mein[e]?|der|das|ist|für|eine[nrm]?|gibt|was)(?=[^\p{L}]|$)/iu
const GERMAN_STOP = new Set(
  'wie warum wieso weshalb wo wann wer wem wen was welche welcher welches ich du er sie es wir man mein meine meinen meiner meinem dein der die das den dem des ein eine einen einer einem in im an am auf aus bei mit von vom zu zum zur für nicht kein keine und oder aber wenn dass ist sind war wird werden kann können könnte gibt geht mache machen macht jemand jemanden habe hat haben als auch noch nur schon so hier da dort bitte sehe sehen wieder her hin'.split(
    ' ',
  ),
)
const FILLER = new Set(
  'how may might behind something anything everything why what when where who which whose do does did make makes get gets got getting give gives go goes want wants need needs know tell explain show mean means happen happens happened use uses using work works one two any anybody anyone somebody someone some more now today please thing things way there have has can could will would should put find able possible still ever really company s t not no without my your our i we you me it this that them'.split(
    ' ',
  ),
)
const words = (text: string): string[] => text.trim().split(/\s+/)

type Rows = readonly (readonly [readonly string[], readonly string[]])[]
const rowsOf = (table: string): Rows =>
  table
    .trim()
    .split('\n')
    .map((row) => row.split(' > ').map(words) as [string[], string[]])

const ENGLISH = new Map<string, string[]>()
for (const [asked, means] of rowsOf(SAME))
  for (const word of asked) ENGLISH.set(word, [...(ENGLISH.get(word) ?? []), ...means.flatMap(termsOf)])
const GERMAN_ROWS = rowsOf(GERMAN).map(([beginnings, means]) => [beginnings, means.flatMap(termsOf)] as const)

/** One word of a question, with the terms that the guide may have for it. */
export type QuestionWord = { own: readonly string[]; others: readonly string[] }

function germanTerms(word: string): readonly string[] {
  const found = GERMAN_ROWS.flatMap(([beginnings, means]) => {
    const longest = Math.max(0, ...beginnings.map((one) => (word.startsWith(one) ? one.length : 0)))
    return longest > 0 ? [{ longest, means }] : []
  })
  return found.toSorted((a, b) => b.longest - a.longest)[0]?.means ?? []
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’_.-]{0,60}/gu
const MAX_WORDS = 60

/** Returns the words of a question that say what it is about. */
export function questionWords(question: string): QuestionWord[] {
  const isGerman = GERMAN_QUESTION.test(question) && !/\b(?:the|how|why|does|can i|my)\b/i.test(question)
  const seen = new Set<string>()
  const found: QuestionWord[] = []
  for (const [spelled] of question.slice(0, 2000).matchAll(WORD)) {
    const word = spelled
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(/(?:'s|[.'-])$/, '')
    if (seen.has(word) || found.length >= MAX_WORDS) continue
    seen.add(word)
    if (isGerman ? GERMAN_STOP.has(word) : (FILLER.has(word) || STOP_WORDS.has(word)) && !ENGLISH.has(word))
      continue
    const own = termsOf(fold(word))
    const others = isGerman ? germanTerms(word) : (ENGLISH.get(word) ?? [])
    if (own.length + others.length > 0)
      found.push({ own, others: others.filter((term) => !own.includes(term)) })
  }
  return found
}

const PRONOUN =
  /\b(?:it|its|that|this|these|those|them|they|one|ones|there|then|das|dies|es|ihn|sie|diese[rsnm]?|damit|dort|davon)\b/i
const GOES_ON = /^\W*(?:and|also|but|what about|how about|or|und|aber|auch|oder|was ist mit)\b/i
const MAX_OWN_WORDS = 2

/** Returns true for a question that is only understood with the one before: "and for a team?", "how do I undo it?". */
export const isFollowUp = (question: string): boolean => {
  const { length } = questionWords(question)
  return length === 0 || (length <= MAX_OWN_WORDS && (PRONOUN.test(question) || GOES_ON.test(question)))
}
