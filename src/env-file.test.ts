import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigError, ofPackage, readConfig, unknownInEnvFile, withEnvFile } from './config.ts'

let folder: string
let file: string

const only = (file: string) => ({ file, variables: {} })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-env-'))
  file = join(folder, '.env')
  writeFileSync(file, '# a comment\nPORT=9000\nMAIL_FROM="Vault <vault@example.com>"\nSMTP_URL=\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

test('the file gives what the environment does not', () => {
  const config = readConfig(withEnvFile({ HOST: '::1' }, only(file)))
  expect(config).toMatchObject({
    host: '::1',
    port: 9000,
    mail: { from: 'Vault <vault@example.com>', smtpUrl: undefined },
  })
})

test('a mark that editors on Windows write before the first name is no part of it', () => {
  const marked = join(folder, 'marked')
  writeFileSync(marked, '\uFEFFNODE_ENV=production\r\nPORT=9000\r\n')
  expect(readConfig(withEnvFile({}, only(marked)))).toMatchObject({ production: true, port: 9000 })
  expect(unknownInEnvFile({}, only(marked))).toEqual([])
})

test('the environment wins', () => {
  expect(readConfig(withEnvFile({ PORT: '9001' }, only(file))).port).toBe(9001)
})

test('a missing file is an error only if it was named', () => {
  const missing = join(folder, 'missing')
  expect(withEnvFile({ PORT: '1' }, only(missing))).toEqual({ PORT: '1' })
  expect(() => withEnvFile({ ENV_FILE: missing })).toThrow(/^ENV_FILE: .*missing cannot be read/)
})

test('names in the file that are no settings are found, and nothing else of the environment', () => {
  const mistyped = join(folder, 'mistyped')
  writeFileSync(mistyped, 'PORT=9000\nBACKUP_DRI=/backups\n')
  expect(unknownInEnvFile({ TERM: 'dumb', ENV_FILE: mistyped })).toEqual(['BACKUP_DRI'])
  expect(unknownInEnvFile({ TERM: 'dumb' }, only(join(folder, 'missing')))).toEqual([])
})

test('a value that # would cut is refused, unless it is in quotes or # is a comment beyond doubt', () => {
  const hashes = join(folder, 'hashes')
  writeFileSync(
    hashes,
    'SMTP_URL=smtp://u:pa#ss@h\r\nexport MAIL_FROM = a@b.example#x\nSECRET_KEY=#x\nOTHER=a#b\n',
  )
  expect(() => withEnvFile({ ENV_FILE: hashes })).toThrow(
    new ConfigError(
      ['SMTP_URL', 'MAIL_FROM', 'SECRET_KEY'].map(
        (name) => `${name}: # begins a comment in ${hashes}; quote the value, or put a blank before #`,
      ),
    ),
  )
  writeFileSync(
    hashes,
    '#PORT=1#2\nHOST=::1 # here\nSMTP_URL="smtp://u:pa#ss@h" #x\nBASE_URL= # none\nPORT=9000\t#x\n',
  )
  expect(withEnvFile({}, only(hashes))).toEqual({
    HOST: '::1',
    SMTP_URL: 'smtp://u:pa#ss@h',
    BASE_URL: '',
    PORT: '9000',
  })
})

test('an empty ENV_FILE means no file', () => {
  expect(withEnvFile({ ENV_FILE: '' }, only(file))).toEqual({ ENV_FILE: '' })
})

test("an installed package keeps data and settings in the person's own folder, unless told otherwise", () => {
  const standards = ofPackage({ XDG_DATA_HOME: folder }, '/home/me')
  const own = join(folder, 'knowledge-vault')
  expect(standards).toEqual({ file: join(own, '.env'), variables: { DATA_DIR: own } })
  expect(readConfig(withEnvFile({}, standards)).dataDir).toBe(own)
  expect(withEnvFile({ DATA_DIR: '/elsewhere' }, standards).DATA_DIR).toBe('/elsewhere')
})
