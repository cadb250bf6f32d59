import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeVault, type Vault } from '../test/support/engines.ts'
import { runKvault, spawnKvault } from '../test/support/process.ts'
import { type App, buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { contextFor, inTx } from './core/context.ts'
import { addressHash, fingerprintOf, unseal } from './core/crypto.ts'
import { claimFolder, releaseFolders } from './db/sqlite/server-lock.ts'
import { signingKey } from './features/library/signing-keys.ts'
import { enqueueMail } from './features/mail/outbox.ts'
import { changeKey } from './features/secret-key/secret-key.ts'
import { conversationOf } from './features/support/chat.ts'

const FIRST = 'first key of this vault '.repeat(2).trim()
const SECOND = 'second key of this vault '.repeat(2).trim()
const CHAT = '8d7f4a1e-6a0b-4b55-9d7a-0f4f0c1f2a3b'

describe.each(['sqlite', 'postgres'] as const)('the secret key on %s', (engine) => {
  let vault: Vault
  let warnings: string[]
  const file = () => join(vault.dataDir, 'secret.key')

  beforeEach(async () => {
    vault = await makeVault(engine, { SMTP_URL: 'smtp://127.0.0.1:9' })
    warnings = []
  })
  afterEach(async () => {
    await vault.remove()
  })

  const start = (env: Record<string, string> = {}): Promise<App> => {
    const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line).msg) })
    return buildApp(readConfig({ ...vault.env, ...env }), { jobs: [], log })
  }
  /** Runs `work` in a server that is started for it. */
  async function during<T>(env: Record<string, string>, work: (app: App) => Promise<T>): Promise<T> {
    const app = await start(env)
    try {
      return await work(app)
    } finally {
      await app.close()
    }
  }
  const kvault = (args: string[], env: Record<string, string> = {}) =>
    runKvault(args, { ...vault.env, ENV_FILE: '', ...env })

  const fill = ({ services }: App): Promise<string> =>
    inTx(contextFor(services), async (ctx) => {
      const mail = { to: 'guest@example.com', subject: 'Hello', text: 'a waiting mail', html: '<p>it</p>' }
      await enqueueMail(ctx, 'test:1:1', mail)
      await (await conversationOf(ctx, { conversation_id: CHAT })).keep('a question', 'an answer')
      return (await signingKey(ctx)).keyId
    })
  const look = ({ services }: App) =>
    inTx(contextFor(services), async (ctx) => {
      const { text_body } = await ctx.db.selectFrom('outbox').selectAll().executeTakeFirstOrThrow()
      return {
        mail: unseal(text_body, ctx.secret),
        chat: (await conversationOf(ctx, { conversation_id: CHAT })).history.map(({ content }) => content),
        keyId: (await signingKey(ctx)).keyId,
        hash: addressHash(ctx, 'left', 'gone@example.com'),
      }
    })

  test('a start with another key is refused by name; the loss is said once, and the former key is another then', async () => {
    await during({ SECRET_KEY: FIRST }, fill)
    const known = fingerprintOf(FIRST)
    const refused = start({ SECRET_KEY: SECOND })
    await expect(refused).rejects.toMatchObject({ name: 'OtherSecretKey' })
    for (const part of [
      known,
      `SECRET_KEY holds the key ${fingerprintOf(SECOND)}`,
      `LOST_SECRET_KEY=${known}`,
      '1 waiting mails',
    ])
      await expect(refused).rejects.toThrow(part)
    await expect(start({ SECRET_KEY: SECOND, LOST_SECRET_KEY: fingerprintOf(SECOND) })).rejects.toThrow(known)
    expect(warnings).toEqual([])
    await during({ SECRET_KEY: SECOND, LOST_SECRET_KEY: known }, async () => {})
    expect(warnings).toEqual([
      'the lost secret key makes unreadable: 1 waiting mails, 1 chats with support, the key that signs snapshots of the library',
    ])
    await during({ SECRET_KEY: SECOND, LOST_SECRET_KEY: known }, async () => {})
    expect(warnings).toHaveLength(1)
    await expect(start({ SECRET_KEY: FIRST })).rejects.toThrow(fingerprintOf(SECOND))
  })

  test('a missing key file is named, and none is made in its place', async () => {
    await during({}, fill)
    renameSync(file(), `${file()}.away`)
    await expect(start()).rejects.toThrow(`${file()} is missing`)
    expect(existsSync(file())).toBe(false)
    renameSync(`${file()}.away`, file())
    await during({}, async (app) => expect((await look(app)).mail).toBe('a waiting mail'))
  })

  test('a database of an older version tells its key by its newest mail, or by the key of snapshots', async () => {
    const forget = (...tables: ('server_secret' | 'outbox')[]) =>
      during({ SECRET_KEY: FIRST }, async ({ services }) => {
        for (const table of tables)
          await services.database.transaction((db) => db.deleteFrom(table).execute())
      })
    await during({ SECRET_KEY: FIRST }, fill)
    await forget('server_secret')
    await expect(start({ SECRET_KEY: SECOND })).rejects.toThrow(fingerprintOf(FIRST))
    await forget('server_secret', 'outbox')
    await expect(start({ SECRET_KEY: SECOND })).rejects.toThrow('LOST_SECRET_KEY=unnamed')
    await during({ SECRET_KEY: SECOND, LOST_SECRET_KEY: 'unnamed' }, async () => {})
    expect(warnings).toHaveLength(1)
  })

  test('a change seals everything anew, in the key file or by a given key', async () => {
    const keyId = await during({}, fill)
    const before = await during({}, look)
    expect(before).toMatchObject({ mail: 'a waiting mail', chat: ['a question', 'an answer'], keyId })
    const former = readFileSync(file(), 'utf8').trim()
    const made = await kvault(['secret-key', 'change'])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toContain('1 waiting mails, 1 chats with support, 1 keys')
    const next = readFileSync(file(), 'utf8').trim()
    expect(next).not.toBe(former)
    expect(made.stdout).not.toContain(next)
    expect(await during({}, look)).toEqual(before)
    await expect(start({ SECRET_KEY: former })).rejects.toThrow(fingerprintOf(next))

    const given = join(vault.dataDir, 'next')
    writeFileSync(given, `${SECOND}\n`)
    expect(await kvault(['secret-key', 'change'], { SECRET_KEY: next })).toMatchObject({ code: 2 })
    const changed = await kvault(['secret-key', 'change', '--key-file', given], { SECRET_KEY: next })
    expect(changed).toMatchObject({ code: 0, stderr: '' })
    expect(await during({ SECRET_KEY: SECOND }, look)).toEqual(before)
    expect(readFileSync(file(), 'utf8').trim()).toBe(next)
    await expect(start()).rejects.toThrow(fingerprintOf(SECOND))
    const again = await kvault(['secret-key', 'change', '--key-file', given], { SECRET_KEY: next })
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(fingerprintOf(SECOND))])
    writeFileSync(given, 'short')
    expect(await kvault(['secret-key', 'change', '--key-file', given])).toMatchObject({ code: 2 })
  })

  test('a server that runs keeps the key from changing', async () => {
    await during({}, async (app) => {
      if (engine === 'sqlite') claimFolder(vault.dataDir)
      await fill(app)
      const before = await look(app)
      const refused = await kvault(['secret-key', 'change'])
      releaseFolders()
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is running') })
      expect(await look(app)).toEqual(before)
    })
    expect((await kvault(['secret-key', 'change'])).code).toBe(0)
  })

  test('a change that fails halfway changes nothing, and one that was cut off before its end is completed', async () => {
    await during({}, fill)
    const before = await during({}, look)
    const key = readFileSync(file(), 'utf8').trim()
    await during({}, async ({ services }) => {
      const ctx = {
        ...contextFor(services),
        config: { ...services.config, dataDir: `${vault.dataDir}/none` },
      }
      const from = { secret: key, source: 'a test' }
      const halfway = inTx(ctx, async (ctx) => {
        const database = { ...ctx.database, engine: 'sqlite' as const }
        await changeKey({ ...ctx, database }, from, SECOND)
        throw new Error('the power failed')
      })
      await expect(halfway).rejects.toThrow('the power failed')
      releaseFolders()
    })
    expect(await during({}, look)).toEqual(before)
    // Another change has left its key behind, which the database never came to know.
    writeFileSync(`${file()}.new`, `${FIRST}\n`)
    expect(await during({}, look)).toEqual(before)

    expect((await kvault(['secret-key', 'change'])).code).toBe(0)
    renameSync(file(), `${file()}.new`)
    writeFileSync(file(), `${key}\n`)
    expect(await during({}, look)).toEqual(before)
    expect(existsSync(`${file()}.new`)).toBe(false)
  })

  test('of two changes at once one is done', async () => {
    await during({}, fill)
    const before = await during({}, look)
    const change = () => spawnKvault(['secret-key', 'change'], { ...vault.env, ENV_FILE: '' })
    const codes = (await Promise.all([change(), change(), change()])).map(({ code }) => code)
    expect(codes).toContain(0)
    expect(await during({}, look)).toEqual(before)
  })

  test('a restore without the key is refused by the same sentence before it touches anything', async () => {
    const backup = join(vault.dataDir, 'a.kvbackup')
    await during({ SECRET_KEY: FIRST }, fill)
    expect((await kvault(['backup', backup], { SECRET_KEY: FIRST })).code).toBe(0)
    const target = await makeVault(engine, {}, { isEmpty: true })
    try {
      const restore = (env: Record<string, string>) =>
        runKvault(['restore', backup], { ...target.env, ENV_FILE: '', ...env })
      for (const env of [{}, { SECRET_KEY: SECOND }] as Record<string, string>[]) {
        const refused = await restore(env)
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringContaining(`was last used with the secret key ${fingerprintOf(FIRST)}`),
        ])
        expect(existsSync(join(target.dataDir, 'vault.db'))).toBe(false)
      }
      expect((await restore({ SECRET_KEY: FIRST })).code).toBe(0)
    } finally {
      await target.remove()
      rmSync(backup, { force: true })
    }
  })
})
