import { expect, test } from 'vitest'
import { asCommandError } from './terminal.ts'

test('a user without a home folder is told to name one, as in a container with any user id', () => {
  for (const syscall of ['uv_os_homedir', 'uv_os_get_passwd']) {
    const error = Object.assign(new Error(`A system error occurred: ${syscall} returned ENOENT`), {
      code: 'ERR_SYSTEM_ERROR',
      syscall,
    })
    expect(asCommandError(error)?.message).toBe(
      'This user has no home folder. Set HOME to a folder of yours.',
    )
  }
  expect(asCommandError(Object.assign(new Error('x'), { code: 'ERR_SYSTEM_ERROR' }))).toBeUndefined()
})
