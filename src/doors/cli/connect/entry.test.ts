import { expect, test } from 'vitest'
import { CommandError } from '../exit-codes.ts'
import { entryIn, keyIn, wayOf, withEntry } from './client-settings.ts'
import { CLIENTS, findClient, SERVER_NAME } from './clients.ts'

const endpoint = { url: 'http://127.0.0.1:8080', apiKey: '<API_KEY>' }
const add = (text: string, name: string) => {
  const client = findClient(name)
  return withEntry(text, client, client.entry(endpoint), 'file')
}
const remove = (text: string, name: string) => withEntry(text, findClient(name), undefined, 'file')

for (const target of CLIENTS) {
  test(`${target.name}: the entry is added to an empty file, found, and taken out again`, () => {
    const written = withEntry('', target, target.entry(endpoint), 'file')
    const entry = entryIn(written, target, 'file')
    expect(entry).toEqual(target.entry(endpoint))
    expect(keyIn(entry ?? {})).toBe('<API_KEY>')
    expect(JSON.stringify(wayOf(entry ?? {}))).toContain('127.0.0.1:8080')
    const removed = withEntry(written, target, undefined, 'file')
    expect(removed).not.toContain(SERVER_NAME)
    expect(entryIn(removed, target, 'file')).toBeUndefined()
    expect(keyIn(target.entry({ url: endpoint.url }))).toBeUndefined()
  })
}

test('JSON: comments, order, trailing commas, large numbers, tabs, CRLF and the byte order mark stay', () => {
  const before = [
    '\uFEFF{',
    '\t// mine',
    '\t"id": 9007199254740993, "z": 1.50,',
    '\t"servers": {',
    '\t\t"other": { "command": "x" /* why */ },',
    '\t},',
    '\t"a": [1,2,],',
    '}',
    '',
  ].join('\r\n')
  const after = add(before, 'vscode')
  expect(after).toContain(`"${SERVER_NAME}": {\r\n\t\t\t"type": "http"`)
  const ours = after.split('\r\n').filter((line) => !before.split('\r\n').includes(line))
  expect(ours.every((line) => line.startsWith('\t\t'))).toBe(true)
  expect(remove(after, 'vscode')).toBe(before)
})

test('JSON: in every form, removing an added entry restores every byte', () => {
  const samples = [
    '{}',
    '{\n}\n',
    '{"mcpServers":{"other":{"command":"x"}}}',
    '{ "mcpServers": { "other": {} } }\n',
    '{\n  "mcpServers": {\n    "other": {} // the last\n  } // end\n}\n',
    '{\n  "mcpServers": {\n    "other": {}, // the last\n    // nothing more\n  },\n}\n',
    '{\n    "theme": "dark"\n}',
    '{\n  "mcpServers": {\n    "other": {}\n    , "last": {}\n    ,\n  }\n}\n',
  ]
  for (const before of samples) {
    const after = add(before, 'cursor')
    expect(entryIn(after, findClient('cursor'), 'file'), before).toEqual(findClient('cursor').entry(endpoint))
    const left = remove(after, 'cursor')
    const withoutMap = left.replace(/,?\s*"mcpServers": \{\}/, '')
    expect(
      [left, withoutMap].map((text) => text.replaceAll(/\s/g, '')),
      left,
    ).toContain(before.replaceAll(/\s/g, ''))
  }
})

test('a second time changes the entry in its place', () => {
  const client = findClient('cursor')
  const first = add('{"mcpServers":{"a":{},"knowledge-vault":{"url":"http://old/mcp"},"z":{}}}', 'cursor')
  expect(first).not.toContain('http://old')
  expect(Object.keys(JSON.parse(first).mcpServers)).toEqual(['a', SERVER_NAME, 'z'])
  expect(withEntry(first, client, client.entry(endpoint), 'file')).toBe(first)
})

/** Files that people have. Each must keep every byte that is not ours. */
const TOML: Record<string, string> = {
  'a plain one': 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n',
  'lines of Windows': 'model = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "y"\r\n',
  'dotted keys': 'mcp_servers.other.command = "y"\ndate = 1979-05-27T07:32:00-08:00\n\n[tui]\na = 1\n',
  'a multi-line string that looks like our table':
    'x = """\n[mcp_servers.knowledge-vault]\nurl = "no"\n"""\ny = \'\'\'\n[tui]\n\'\'\'\n\n[[list]]\na = 1\n',
  'odd spaces, underscores, large numbers and floats':
    '[ mcp_servers . other ] # keep\nn = 1_000\nbig = 9007199254740993\nf = 1.50\ni = inf\n',
  'quoted heads':
    '["mcp_servers"."other"]\ncommand = "y"\n\n[projects."/home/me"]\ntrust_level = "trusted"\n',
  'no line end at the end': 'model = "x"',
}

for (const [name, before] of Object.entries(TOML)) {
  test(`TOML with ${name}: nothing but our table is added, and it goes again`, () => {
    const after = add(before, 'codex')
    expect(after.startsWith(before)).toBe(true)
    expect(entryIn(after, findClient('codex'), 'file')).toMatchObject({
      url: 'http://127.0.0.1:8080/mcp?profile=core',
    })
    expect(remove(after, 'codex').trimEnd()).toBe(before.trimEnd())
    expect(add(after, 'codex')).toBe(after)
  })
}

test('TOML: servers in one inline table are extended in their place', () => {
  const before = 'model = "x"\nmcp_servers = { other = { command = "y" } } # inline\n\n[tui]\na = 1\n'
  const after = add(before, 'codex')
  expect(after).toContain('mcp_servers = { other = { command = "y" }, knowledge-vault = {')
  expect(after).toContain('} # inline\n\n[tui]\na = 1\n')
  expect(remove(after, 'codex')).toBe(before)
})

test('TOML: an entry of ours in another spelling is replaced whole', () => {
  const before =
    '["mcp_servers"."knowledge-vault"]\nurl = "http://old/mcp"\n\n[mcp_servers.knowledge-vault.http_headers]\n"X-API-Key" = "old"\n\n[mcp_servers.other]\ncommand = "y"\n'
  const after = add(before, 'codex')
  expect(after).not.toContain('old')
  expect(after).toContain('[mcp_servers.other]\ncommand = "y"')
  expect(entryIn(after, findClient('codex'), 'file')).toEqual(findClient('codex').entry(endpoint))
})

test('an unreadable file is left alone, and the message says how to continue by hand', () => {
  for (const [name, text] of [
    ['vscode', '{ "servers": '],
    ['vscode', '[]'],
    ['cursor', '{"mcpServers": []}'],
    ['codex', 'model = '],
    ['codex', 'mcp_servers = 5\n'],
  ] as const)
    expect(() => add(text, name), text).toThrow(CommandError)
})

test('JSON: comments in an empty map of servers stay, with the entry and after removing it', () => {
  const samples = [
    '{ "mcpServers": {\n    // "old": {}\n  } }\n',
    '{\n  "mcpServers": {\n    /* later */\n  }\n}\n',
  ]
  for (const before of samples) {
    const after = add(before, 'cursor')
    const [comment = ''] = /\/[/*].*/.exec(before) ?? []
    expect(after).toContain(comment)
    expect(entryIn(after, findClient('cursor'), 'file')).toBeDefined()
    expect(remove(after, 'cursor')).toBe(before)
  }
  expect(add('{\n  // nothing yet\n}\n', 'cursor')).toMatch(
    /^\{\n {2}\/\/ nothing yet\n {2}"mcpServers": \{\n/,
  )
})
