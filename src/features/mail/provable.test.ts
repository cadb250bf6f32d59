import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import type { Ctx } from '../../core/context.ts'
import { isProven } from '../permissions/permissions.ts'
import { isEveryAddressProven } from './outbox.ts'

/** A restore has no transport, whatever the settings. */
const restoring = (env: Record<string, string>) =>
  ({ config: readConfig(env), adapters: { mail: null } }) as unknown as Ctx

test('the settings decide whether an address can be proven, and not the transport of this process', () => {
  const unproven = { email_normal: 'a@example.com', email_verified: 0 as const }
  expect(isEveryAddressProven(restoring({}))).toBe(true)
  expect(isProven(restoring({}), unproven)).toBe(true)
  const withMail = restoring({ SMTP_URL: 'smtp://127.0.0.1:25' })
  expect(isEveryAddressProven(withMail)).toBe(false)
  expect(isProven(withMail, unproven)).toBe(false)
})
