import { beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { openStage, switchSetting } from './support.ts'
import { openPage } from './visit.ts'

const stage = openStage()
beforeAll(() => stage.publishByStranger())

test('somebody lets agents look in the library, chooses how much that may cost, and takes it back', async () => {
  const person = await stage.person('Careful spender')
  const settings = () =>
    person.api<{ agent_library: boolean; agent_library_monthly_credits: number }>(
      'GET',
      '/api/v1/user/settings',
    )
  const { page } = person
  await openPage(page, '/settings')
  const library = page.getByLabel('Also look in the public library')
  await library.waitFor()
  expect(await page.getByLabel('Credits a month, at most').count()).toBe(0)
  await switchSetting(library, true)
  await page.getByText('Saved.').first().waitFor()
  // Nothing is spent before a limit is chosen.
  expect(await settings()).toMatchObject({ agent_library: true, agent_library_monthly_credits: 0 })
  await page.getByLabel('Credits a month, at most').selectOption('50')
  await expect.poll(settings).toMatchObject({ agent_library: true, agent_library_monthly_credits: 50 })
  await expectAccessible(page)
  await library.click()
  await expect.poll(() => library.isChecked()).toBe(false)
  await expect.poll(settings).toMatchObject({ agent_library: false, agent_library_monthly_credits: 50 })
})
