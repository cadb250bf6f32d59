import { expect, test } from 'vitest'
import { entryIn, withEntry } from './client-file.ts'
import { CLIENTS } from './clients.ts'
import { CommandError } from './exit-codes.ts'

const ENDPOINT = { url: 'http://127.0.0.1:8080', apiKey: '<API_KEY>' }
const client = (name: string) => {
  const found = CLIENTS.find((candidate) => candidate.name === name)
  if (!found) throw new Error(name)
  return found
}

for (const target of CLIENTS) {
  test(`${target.name}: the entry is added to an empty file, found, and taken out again`, () => {
    const written = withEntry('', target, target.entry(ENDPOINT), 'file')
    expect(written).toContain('127.0.0.1:8080')
    expect(entryIn(written, target, 'file')).toContain('127.0.0.1:8080')
    const removed = withEntry(written, target, undefined, 'file')
    expect(removed).not.toContain('knowledge-vault')
    expect(entryIn(removed, target, 'file')).toBeUndefined()
  })
}

test('other servers and settings stay as they are, with the indentation of the file', () => {
  const before =
    '{\n    "theme": "dark",\n    "mcpServers": {\n        "other": { "command": "x" }\n    }\n}\n'
  const cursor = client('cursor')
  const after = withEntry(before, cursor, cursor.entry(ENDPOINT), 'file')
  expect(JSON.parse(after)).toMatchObject({ theme: 'dark', mcpServers: { other: { command: 'x' } } })
  expect(after).toContain('\n    "theme"')
})

test('TOML: our table replaces an older one of ours and leaves the others', () => {
  const codex = client('codex')
  const before =
    'model = "x"\n\n[mcp_servers.knowledge-vault]\nurl = "http://old/mcp"\n\n[mcp_servers.other]\ncommand = "y"\n'
  const after = withEntry(before, codex, codex.entry(ENDPOINT), 'file')
  expect(after).not.toContain('http://old')
  expect(after).toContain('[mcp_servers.other]\ncommand = "y"')
  expect(after).toContain('url = "http://127.0.0.1:8080/mcp"')
})

test('a file with comments is left alone, with a way to go on by hand', () => {
  expect(() => withEntry('{ // mine\n}', client('vscode'), {}, 'mcp.json')).toThrow(CommandError)
})
