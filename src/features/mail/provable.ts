import type { Ctx } from '../../core/context.ts'

/**
 * Without mail nobody can prove an address, so each counts as proven. The configuration decides: a restore has no transport,
 * and its vault may still send mail.
 */
export const isEveryAddressProven = ({ config }: Pick<Ctx, 'config'>): boolean =>
  config.mail.smtpUrl === undefined
