import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './hooks.ts'

test('a shell reads the path of a hook as it is, whatever the home folder is called', () => {
  const paths = ['/usr/bin/node', '/home/Zoë Q/a', "/home/o'neil", '/home/a "b"', '/home/$HOME `c` $(d) \\e']
  for (const path of paths)
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`]).toString()).toBe(path)
  expect(shellWord('/usr/bin/node')).toBe('/usr/bin/node')
  expect(shellWord('C:\\Program Files\\node.exe', 'win32')).toBe('"C:\\Program Files\\node.exe"')
})
