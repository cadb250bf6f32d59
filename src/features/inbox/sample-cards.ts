import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { AnswerId } from '../../core/schemas.ts'
import { CaseCreate, record, removeDeletable } from '../cards/index.ts'
import { requireUser, sampleRows } from '../identity/index.ts'

export const SAMPLE_CARDS: Record<string, z.input<typeof CaseCreate>> = {
  'pool-exhausted': {
    card_type: 'debug_fix',
    title: 'Connection pool exhausted after a deploy',
    symptom:
      'A few minutes after a deploy all requests time out after 30 seconds. The log says `timeout exceeded when trying to connect`, and the database shows idle connections up to its limit.',
    root_cause:
      'One new code path throws between `pool.connect()` and `client.release()`. Each such request keeps a connection forever.',
    fix_summary:
      'Release the client in a `finally` block, or use `pool.query()`, which releases by itself. Restart the service once to free what was lost.',
    steps: [
      { order: 1, action: 'Search the change for `pool.connect(` without a `finally`', result: '' },
      {
        order: 2,
        action: 'Wrap the work in `try { … } finally { client.release() }`',
        result: 'The number of idle connections stays flat under load',
      },
    ],
    environment: { 'node-postgres': '8' },
    tags: ['postgres', 'pool', 'timeout'],
    evidences: [{ kind: 'error', content: 'Error: timeout exceeded when trying to connect' }],
  },
  'inotify-watchers': {
    card_type: 'debug_fix',
    title: 'Dev server stops with ENOSPC: file watchers reached',
    symptom:
      'On Linux the development server exits at start with `ENOSPC: System limit for number of file watchers reached`, although the disk has plenty of space.',
    root_cause:
      'Every watched file takes an inotify watch, and the limit of the system is too low for this tree.',
    fix_summary:
      'Raise `fs.inotify.max_user_watches`, and let the server ignore folders such as `node_modules` and `dist`.',
    steps: [
      {
        order: 1,
        action: 'echo fs.inotify.max_user_watches=524288 | sudo tee /etc/sysctl.d/60-watches.conf',
        result: '',
      },
      { order: 2, action: 'sudo sysctl --system', result: 'The server starts' },
    ],
    environment: { os: 'Linux' },
    tags: ['linux', 'inotify', 'dev-server'],
  },
  'rotate-signing-key': {
    card_type: 'how_to',
    title: 'Rotate a signing key without signing anybody out',
    symptom:
      'A key that signs tokens has to be replaced while tokens signed with the old one are still in use.',
    fix_summary:
      'Publish both public keys, sign with the new one, and remove the old one once its last token has expired.',
    steps: [
      { order: 1, action: 'Make the new key and add its public half to the published set', result: '' },
      { order: 2, action: 'Wait until all caches of the set have expired', result: '' },
      { order: 3, action: 'Sign with the new key', result: 'New tokens name the new key in `kid`' },
      {
        order: 4,
        action: 'Wait for the lifetime of a token, then remove the old public key',
        result: 'Old tokens are refused',
      },
    ],
    tags: ['security', 'jwt', 'keys'],
  },
  'cursor-pagination': {
    card_type: 'decision',
    title: 'Lists that grow are paged by a cursor, not by an offset',
    symptom:
      'A list is paged while rows are added. With an offset a reader sees rows twice or never, and late pages get slower and slower.',
    fix_summary:
      'Order by time and id, and go on after the last pair of them. Keep page numbers only where a list is short and people jump in it.',
    root_cause: 'An offset counts rows from the beginning, so every earlier insert moves all that follow.',
    tags: ['api', 'pagination', 'sql'],
  },
}

export const addSamples = capability({
  name: 'samples.add',
  summary: 'Add the sample cards that you do not have, to your personal workspace',
  description: 'They are private, like every new card, and do not count as a step of the checklist.',
  scopes: ['account'],
  rest: ['POST /api/v1/samples'],
  input: z.object({}),
  output: z.object({ added: z.int() }).meta({ id: 'SamplesAdded' }),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      const present = new Set((await sampleRows(ctx.db, ctx.viewer.userId)).map(({ sample }) => sample))
      const missing = Object.entries(SAMPLE_CARDS).filter(([sample]) => !present.has(sample))
      const { personal_workspace_id: workspace_id } = await requireUser(ctx, ctx.viewer.userId)
      for (const [sample, card] of missing)
        await record(ctx, CaseCreate.parse({ ...card, workspace_id }), { sample })
      return { added: missing.length }
    }),
})

/** Returns whether a sample is unchanged. An edited, shared or published sample is the person's own work. */
const isUnchanged = ({ version, status }: { version: number; status: string }) =>
  version === 1 && status === 'unpublished'

export const removeSamples = capability({
  name: 'samples.remove',
  summary: 'Remove your sample cards; those that were changed or shared stay and are named',
  description: 'They can be brought back for 30 days, like every deleted card.',
  scopes: ['account'],
  rest: ['DELETE /api/v1/samples'],
  input: z.object({}),
  output: z
    .object({
      removed: z.int(),
      kept: z.array(z.object({ card_id: AnswerId, title: z.string() })),
    })
    .meta({ id: 'SamplesRemoved' }),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      const rows = await sampleRows(ctx.db, ctx.viewer.userId)
      const unchanged = rows.filter(isUnchanged)
      for (const row of unchanged) await removeDeletable(ctx, row.card_id)
      const kept = rows.filter((row) => !isUnchanged(row))
      return {
        removed: unchanged.length,
        kept: kept.map(({ card_id, title }) => ({ card_id, title })),
      }
    }),
})
