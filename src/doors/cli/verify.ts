import { realpathSync } from 'node:fs'
import { readCite } from '../../features/cites/cite.ts'
import { versionsOf } from './check-cards.ts'
import { checkoutOf } from './check-files.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { readGiven } from './given-file.ts'
import { requireId } from './given-options.ts'
import { readLocked } from './lock-files/locked.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { paint, plain, print, printJson, warn } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

const OUTCOMES = ['worked', 'failed', 'stale'] as const
type Outcome = (typeof OUTCOMES)[number]

export type VerifyOptions = ProfileOptions & {
  worked?: boolean
  failed?: boolean
  stale?: boolean
  env?: string[]
  note?: string
  evidenceFile?: string
  appliedIn?: string
  json?: boolean
}

type Environment = Record<string, string>

/** The vault takes this many characters. */
const LONGEST_EVIDENCE = 20_000

const wrong = (message: string) => new CommandError(message, EXIT.usage)

function outcomeOf(options: VerifyOptions): Outcome {
  const [outcome, ...more] = OUTCOMES.filter((name) => options[name])
  if (outcome === undefined || more.length > 0) throw wrong('Give one of --worked, --failed and --stale.')
  return outcome
}

function givenEnvironment(given: readonly string[]): Environment {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      const [name, version] = [text.slice(0, Math.max(0, at)).trim(), text.slice(at + 1).trim()]
      if (!name || !version) throw wrong(`"${text}" is not an environment. Write it as node=24.1.`)
      return [name, version]
    }),
  )
}

/** The versions of what the card cites, from the lock files here. Nothing else of the checkout is sent. */
function environmentFor(cites: readonly string[], folder: string): Environment {
  const { versions, passedOver } = readLocked(checkoutOf(folder) ?? folder, folder)
  for (const { file, reason } of passedOver) warn(`${file} ${reason}. Passed over.`)
  const environment: Environment = {}
  for (const text of cites) {
    const cite = readCite(text)
    if (cite?.kind !== 'package') continue
    const [version] = versionsOf(versions, cite)
    if (version === undefined) continue
    // Two registries may have a package of the same name: then the second is written with its registry.
    const isTaken = environment[cite.name] !== undefined && environment[cite.name] !== version
    environment[isTaken ? `${cite.ecosystem}:${cite.name}` : cite.name] = version
  }
  return environment
}

async function evidenceFrom(file: string): Promise<string> {
  const text = await readGiven(file, LONGEST_EVIDENCE)
  if (text.length > LONGEST_EVIDENCE)
    throw wrong(`Evidence has at most ${LONGEST_EVIDENCE} characters. Keep the most useful part.`)
  return text
}

const headersOf = ({ apiKey }: Profile) => ({ 'x-api-key': apiKey })

async function cardOf(profile: Profile, cardId: string): Promise<{ title: string; cites: string[] }> {
  const reply = await ask(profile.url, `/api/v1/cards/${encodeURIComponent(cardId)}`, {
    headers: headersOf(profile),
    shape: { title: '' },
  })
  if (reply.status !== 200) throw failure(reply)
  const { title, cites } = reply.body as { title: string; cites?: string[] }
  return { title, cites: cites ?? [] }
}

type Answer = { card_id: string; environment: Environment; trust: { summary: string } | null }

function printVerdict(outcome: Outcome, title: string, { card_id, environment, trust }: Answer): void {
  const where = Object.entries(environment).map(([name, version]) => plain(`${name} ${version}`))
  print(`Said ${outcome} of ${card_id}  ${plain(title)}`)
  print(where.length > 0 ? `Environment: ${where.join(', ')}` : 'Environment: none')
  if (trust) print(paint('dim', plain(trust.summary, 200)))
}

export async function verifyCard(cardId: string, options: VerifyOptions): Promise<number> {
  const outcome = outcomeOf(options)
  requireId('card', cardId)
  const given = options.env ? givenEnvironment(options.env) : undefined
  const evidence = options.evidenceFile === undefined ? undefined : await evidenceFrom(options.evidenceFile)
  const profile = requireProfile(options)
  const { title, cites } = await cardOf(profile, cardId)
  const reply = await ask(profile.url, `/api/v1/cards/${encodeURIComponent(cardId)}/verdicts`, {
    body: {
      outcome,
      environment: given ?? environmentFor(cites, realpathSync(process.cwd())),
      note: options.note,
      evidence,
      applied_in: options.appliedIn,
    },
    headers: headersOf(profile),
    shape: { card_id: '', environment: {} },
  })
  if (reply.status !== 201) throw failure(reply)
  if (options.json) printJson(reply.body)
  else printVerdict(outcome, title, reply.body as Answer)
  return EXIT.done
}
