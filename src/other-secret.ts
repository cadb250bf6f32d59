import type { Ctx } from './core/context.ts'
import { unseal } from './core/secrets.ts'
import { activeKey } from './features/library-sharing/signing-keys.store.ts'
import { lastSecretName, secretName } from './features/mail/outbox.ts'

/**
 * Says at start that this process has another secret than the one that sealed last on this database: the newest mail, or the
 * key that signs snapshots. It starts nevertheless, since an operator may have changed the secret on purpose.
 */
export async function warnOfOtherSecret(ctx: Ctx): Promise<void> {
  const lastName = await lastSecretName(ctx)
  const key = await activeKey(ctx.db)
  const isSame =
    (lastName === undefined || lastName === secretName(ctx.secret)) &&
    (key === undefined || unseal(key.private_key, ctx.secret) !== null)
  if (isSame) return
  ctx.log.warn(
    'SECRET_KEY is not the one that this database was last used with; all machines on one database need the same key',
  )
}
