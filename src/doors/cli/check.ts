import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CitingCard, holdCards } from './check-cards.ts'
import { checkoutOf, citeOfLine } from './check-files.ts'
import { printReport, type Report, reportOf } from './check-report.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { asCommandError } from './known-errors.ts'
import { readLocked } from './lock-files/locked.ts'
import { type Profile, type ProfileOptions, requireProfile } from './profile.ts'
import { print, printJson, warn } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

export type CheckOptions = ProfileOptions & { json?: boolean; cite?: string }

/** For scripts: the code 1 always means a finding. */
const CHECK_EXIT = { allFit: 0, someNoLongerFit: 1, couldNotCheck: 2 } as const

const PAGE_SIZE = 100
const MOST_PAGES = 1000

async function citingCards({ url, apiKey }: Profile): Promise<CitingCard[]> {
  const cards: CitingCard[] = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const reply = await ask(url, `/api/v1/cards/cites?page=${page}&page_size=${PAGE_SIZE}`, {
      headers: { 'x-api-key': apiKey },
      shape: { items: [{ card_id: '', title: '', cites: [''], verdicts: [] }] },
    })
    // A vault without this route reads `cites` as the id of a card.
    if ([404, 422].includes(reply.status))
      throw new CommandError(`${url} does not list what cards cite. It needs a newer version.`)
    if (reply.status !== 200) throw failure(reply)
    const { items } = reply.body as { items: CitingCard[] }
    cards.push(...items)
    if (items.length < PAGE_SIZE) break
  }
  return cards
}

/** Without links, as git names it too. */
function realFolder(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`${path} is not a folder.`)
  return realpathSync(path)
}

async function reportOn(folder: string, options: CheckOptions): Promise<Report> {
  const profile = requireProfile(options)
  const checkout = checkoutOf(folder)
  const root = checkout ?? folder
  const locked = readLocked(root, folder)
  for (const { file, reason } of locked.passedOver) warn(`${file} ${reason}. Passed over.`)
  if (locked.files.length === 0 && checkout === undefined)
    throw new CommandError(`${root} has no readable lock file and is not in a git repository.`)
  const cards = await citingCards(profile)
  return reportOf(root, locked, cards.length, holdCards(cards, locked.versions, checkout))
}

/** Everything is compared on this machine: the vault says what cards cite and learns nothing of the checkout. */
export async function check(path: string | undefined, options: CheckOptions): Promise<number> {
  const named = resolve(path ?? '.')
  try {
    const folder = realFolder(named)
    if (options.cite !== undefined) {
      const cite = citeOfLine(options.cite, folder)
      if (options.json) printJson({ cite })
      else print(cite)
      return EXIT.done
    }
    const report = await reportOn(folder, options)
    if (options.json) printJson(report)
    else printReport(report)
    return report.counts.older > 0 ? CHECK_EXIT.someNoLongerFit : CHECK_EXIT.allFit
  } catch (error) {
    const known = asCommandError(error)
    throw known ? new CommandError(known.message, CHECK_EXIT.couldNotCheck) : error
  }
}
