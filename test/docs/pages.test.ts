import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { freePort } from '../support/postgres.ts'
import { repository } from '../support/process.ts'
import { describeWhere } from '../support/skips.ts'
import { commandBlocksOf, fencesOf } from './fences.ts'
import { programs } from './programs.ts'
import { isInstalled, Session } from './session.ts'

const guide = readdirSync(join(repository, 'docs', 'guide')).filter((name) => name.endsWith('.md'))
const PAGES = ['README.md', ...guide.sort().map((name) => `docs/guide/${name}`)].map((name) => ({
  name,
  text: readFileSync(join(repository, name), 'utf8'),
}))

/** `sh` is run. `console` is for commands that cannot run here, and says why. The others are not commands. */
const LANGUAGES = [
  'sh',
  'console',
  'text',
  'json',
  'http',
  'ts',
  'js',
  'python',
  'yaml',
  'toml',
  'ini',
  'sql',
]

test('every block of a page says what it is, and commands that are not run say why', () => {
  const wrong = PAGES.flatMap(({ name, text }) =>
    fencesOf(text).flatMap(({ language, note, line }) => {
      const where = `${name}:${line - 1}`
      if (!LANGUAGES.includes(language))
        return [`${where}: "${language}" is not one of ${LANGUAGES.join(', ')}`]
      return language === 'console' && note === ''
        ? [`${where}: say after "console" why this cannot be run in a test`]
        : []
    }),
  )
  expect(wrong).toEqual([])
})

const ABSENT = ['bash', 'curl'].filter((program) => !isInstalled(program))
const missing = ABSENT.length > 0 ? `${ABSENT.join(' and ')} not installed` : undefined

/** A page of the guide speaks of a vault that runs, to somebody who has a key. */
async function sessionOfGuide(page: string): Promise<{ session: Session; vault: LiveVault }> {
  const vault = await liveVault()
  const key = await apiKeyOf(await registerPerson(vault))
  const env = { DATA_DIR: vault.dataDir, KVAULT_URL: vault.url, KVAULT_API_KEY: key, KEY: key, ENV_FILE: '' }
  return { session: new Session(page, vault.url, env, programs(await freePort())), vault }
}

/** The README begins with nothing: its first command starts the vault. */
async function sessionOfReadme(page: string): Promise<Session> {
  const port = await freePort()
  return new Session(page, `http://127.0.0.1:${port}`, {}, programs(port))
}

describeWhere('the commands of README.md and docs/guide', missing, () => {
  for (const { name, text } of PAGES) {
    const blocks = commandBlocksOf(text)
    if (blocks.length === 0) continue
    describe(name, () => {
      const started =
        name === 'README.md'
          ? sessionOfReadme(name).then((session) => ({ session, vault: undefined }))
          : sessionOfGuide(name)
      afterAll(async () => {
        const { session, vault } = await started
        session.close()
        await vault?.close()
      })
      for (const block of blocks)
        test(`line ${block.line}: ${block.script.split('\n')[0]}`, async () => {
          await (await started).session.run(block)
        })
    })
  }
})
