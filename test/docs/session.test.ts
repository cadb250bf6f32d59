import { afterEach, expect, test } from 'vitest'
import { describeWhere } from '../support/skips.ts'
import { commandBlocksOf } from './fences.ts'
import { isInstalled, Session } from './session.ts'

const sessions: Session[] = []
afterEach(() => {
  for (const session of sessions.splice(0)) session.close()
})

async function type(...lines: string[]): Promise<void> {
  const session = new Session('page.md', 'http://127.0.0.1:1', { KVAULT_API_KEY: 'k' }, {})
  sessions.push(session)
  for (const block of commandBlocksOf(lines.join('\n'))) await session.run(block)
}

const missing = isInstalled('bash') ? undefined : 'bash is not installed'

describeWhere('the terminal that types the commands of a page', missing, () => {
  test('keeps variables and the folder from block to block', async () => {
    await type('```sh', 'A=1; echo x > file', '```', '', '```sh', 'echo "$A" $(cat file) # → 1 x', '```')
  })

  test('puts in its own address, key and folders', async () => {
    await type(
      '```sh',
      'echo {base_url} localhost:8080/a http://127.0.0.1:8080 <API_KEY>',
      '```',
      '```text',
      'http://127.0.0.1:1 127.0.0.1:1/a http://127.0.0.1:1 k',
      '```',
    )
    await type('```sh', 'mkdir -p /srv/a && ls -d /srv/a # → knowledge-vault-docs-…/srv/a', '```')
  })

  test('names page, line, command and output of a failure', async () => {
    const typed = type('# Page', '', '```sh', 'echo fine', 'ls no-such-file', 'echo not reached', '```')
    await expect(typed).rejects.toThrow(
      /^page\.md:5: the command failed with exit code \d+\n\$ ls no-such-file\nfine\n.*no-such-file/,
    )
    await expect(typed).rejects.not.toThrow('not reached')
  })

  test('names page and line of an output that does not come', async () => {
    await expect(type('```sh', 'echo one # → one', 'echo two # → three', '```')).rejects.toThrow(
      'page.md:3: the documented output is not there: three',
    )
  })

  test('a failure inside a pipe counts', async () => {
    await expect(type('```sh', 'ls no-such-file | cat', '```')).rejects.toThrow('page.md:2')
  })
})
