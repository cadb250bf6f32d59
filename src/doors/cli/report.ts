import { CommandError, EXIT } from './exit-codes.ts'
import { requireId } from './given-options.ts'
import { type ProfileOptions, requireProfile } from './profile.ts'
import { print, printJson } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

const KINDS = ['dangerous', 'instructions', 'secret', 'personal', 'wrong', 'spam', 'other']

export type ReportOptions = ProfileOptions & { kind?: string; note?: string; json?: boolean }

/** Tells the moderators of a card what is wrong with it. */
export async function reportCard(cardId: string, options: ReportOptions): Promise<number> {
  if (options.kind === undefined || !KINDS.includes(options.kind))
    throw new CommandError(`--kind is one of ${KINDS.join(', ')}.`, EXIT.usage)
  requireId('card', cardId)
  const { url, apiKey } = requireProfile(options)
  const reply = await ask(url, `/api/v1/cards/${encodeURIComponent(cardId)}/report`, {
    body: { kind: options.kind, ...(options.note === undefined ? {} : { note: options.note }) },
    headers: { 'x-api-key': apiKey },
    shape: { card_id: '', kind: '' },
  })
  if (reply.status !== 201) throw failure(reply)
  if (options.json) printJson(reply.body)
  else print(`Reported ${cardId}. Moderators read it without your name.`)
  return EXIT.done
}
