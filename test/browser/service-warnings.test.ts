import { expect, test } from 'vitest'
import { makeAdmin } from '../support/admin.ts'
import { expectAccessible } from './accessible.ts'
import { settled } from './settled.ts'
import { openStage } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage({ HOST: '0.0.0.0' })

test('an admin of a server that is open by mistake is told so on every page; others are not', async () => {
  const admin = await stage.person('Admin')
  await makeAdmin(stage.app, admin.email)
  await openPage(admin.page, '/')
  await admin.page.getByText('This server runs in development mode').waitFor()
  await visit(admin.page, '/cards')
  await admin.page.getByText('This server runs in development mode').waitFor()
  await expectAccessible(admin.page)
  const other = await stage.person('Other')
  await openPage(other.page, '/cards')
  await settled(other.page)
  expect(await other.page.getByText('development mode').count()).toBe(0)
})
