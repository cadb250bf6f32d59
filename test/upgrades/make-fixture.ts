import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { VERSION } from '../../src/core/version.ts'
import { takeBackup } from '../../src/features/backup/backup.ts'
import { busyVault } from '../support/busy.ts'
import { clientOf } from '../support/client.ts'
import { lookAt } from './look.ts'

/**
 * Keeps a vault of the present schema as a fixture, once for each release:
 *   node test/upgrades/make-fixture.ts
 * Later versions must open it without loss; see upgrades.db.test.ts.
 */

const folder = join(import.meta.dirname, VERSION)
const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-fixture-'))
const ENV = { DATA_DIR: dataDir, RATE_LIMIT: 'off', SECRET_KEY: 'for the fixture and nothing else' }
const app = await buildApp(readConfig(ENV), { log: pino({ level: 'silent' }), jobs: [] })
const anonymous = clientOf(app, {})
const user = async (name = 'person') => {
  const email = `${name}@example.com`
  const body = { email, password: 'correct horse battery', display_name: name }
  const { access_token: token, user } = (await anonymous.post('/api/v1/auth/register', body)).body
  const client = clientOf(app, { authorization: `Bearer ${token}` })
  return { ...client, userId: user.user_id, workspaceId: user.personal_workspace_id, email, token }
}
const world = await busyVault({ user })
const EXPECTED = {
  email: world.author.email,
  card_id: world.card.card_id,
  shared_id: world.shared.card_id,
  workspace_id: world.team.workspace_id,
}
const seen = await lookAt(world.author, EXPECTED)
mkdirSync(folder, { recursive: true })
await takeBackup(app.services.config, join(folder, 'vault.kvbackup'))
await app.close()
writeFileSync(join(folder, 'vault.db.gz'), gzipSync(readFileSync(join(dataDir, 'vault.db')), { level: 9 }))
writeFileSync(join(folder, 'expected.json'), `${JSON.stringify({ ...EXPECTED, seen }, null, 2)}\n`)
rmSync(dataDir, { recursive: true })
