import { EXIT } from '../exit-codes.ts'
import { findProfile, type ProfileOptions } from '../profile.ts'
import { paint, plain, print, printJson, table } from '../terminal.ts'
import { checkClients, checkCredential } from './client-checks.ts'
import type { Finding } from './finding.ts'
import { checkHooks } from './hook-checks.ts'
import { checkProxy, checkServer, checkTls } from './server-checks.ts'

const COLOUR = { ok: 'green', warn: 'yellow', fail: 'red' } as const
const WIDEST = 90

const row = ({ state, what, detail, advice }: Finding): string[] => [
  paint(COLOUR[state], state),
  what,
  plain(detail, WIDEST),
  advice ? `→ ${advice}` : '',
]

/** Checks every part between an agent and the vault, and says what to do about each finding. */
export async function doctor(options: ProfileOptions & { json?: boolean }): Promise<number> {
  const profile = findProfile(options)
  const { url, apiKey } = profile
  const server = await checkServer(url)
  const findings = [...server.findings, await checkTls(url), checkProxy(url)]
  if (server.reply) {
    findings.push(...(await checkCredential(url, apiKey)), ...(await checkClients(url)))
  }
  findings.push(...(await checkHooks(profile)))
  if (options.json) printJson({ url, findings })
  else print(table(['', 'what', 'finding', 'what to do'], findings.map(row)))
  const failed = findings.filter((finding) => finding.state === 'fail')
  if (failed.length === 0) return EXIT.done
  return failed.some((finding) => finding.what === 'Credential') ? EXIT.notSignedIn : EXIT.failed
}
