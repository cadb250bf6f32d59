import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled } from './settled.ts'
import { openStage } from './support.ts'
import { openPage } from './visit.ts'

const stage = openStage()
type CardAnswer = { card_id: string }

/** Each one runs if the text becomes HTML, an address or Markdown with code in it. */
const ATTACKS = [
  '<script>globalThis.hacked = 1</script>',
  '<img src=x onerror="globalThis.hacked = 1">',
  '<svg onload="globalThis.hacked = 1"></svg>',
  '"><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '[click](javascript:globalThis.hacked=1) ![x](javascript:globalThis.hacked=1)',
  '<a href="javascript:globalThis.hacked=1">a</a>',
  '<mark><img src=x onerror="globalThis.hacked = 1"></mark>',
  '```html\n<img src=x onerror="globalThis.hacked = 1">\n```',
]
const attack = ATTACKS.join('\n\n')

const hostile = {
  title: attack.replaceAll('\n', ' '),
  symptom: attack,
  fix_summary: attack,
  root_cause: attack,
  body: attack,
  steps: [{ order: 1, action: attack, result: attack }],
  tags: ATTACKS.map((text) => text.slice(0, 100)),
  environment: { '<img src=x onerror="globalThis.hacked = 1">': ATTACKS[1] },
  card_payload: { text: attack },
  evidences: [{ kind: '<img src=x onerror="globalThis.hacked=1">', content: attack }],
}

async function expectHarmless(page: Page): Promise<void> {
  await settled(page)
  for (const link of await page.locator('main a').all())
    expect((await link.getAttribute('href')) ?? '').not.toMatch(/^\s*javascript:/i)
  const found = await page.evaluate(() => ({
    hacked: 'hacked' in globalThis,
    elements: document.querySelectorAll('main :is(script, iframe, img, object, embed, [onerror], [onload])')
      .length,
  }))
  expect(found).toEqual({ hacked: false, elements: 0 })
}

test('no text of a card becomes code on any page that shows it', async () => {
  const person = await stage.person('<img src=x onerror="globalThis.hacked = 1">')
  const { page } = person
  const card = await person.api<CardAnswer>('POST', '/api/v1/cards', hostile)
  await person.api('PATCH', `/api/v1/cards/${card.card_id}`, {
    scope_notes: attack,
    root_cause: `${attack} changed`,
  })
  for (const path of [
    `/cards/${card.card_id}`,
    `/cards/${card.card_id}/edit`,
    `/cards/${card.card_id}/history`,
    '/cards',
    '/',
    '/?q=globalThis+hacked&plan=true',
    `/?q=globalThis+hacked&card=${card.card_id}`,
  ]) {
    await openPage(page, path)
    await page.getByText('globalThis.hacked').first().waitFor({ state: 'attached' })
    await expectHarmless(page)
  }
  await openPage(page, `/cards/${card.card_id}/edit`)
  const previews = page.getByRole('button', { name: /^Preview/ })
  while ((await previews.count()) > 0) await previews.first().click()
  await expectHarmless(page)
})
