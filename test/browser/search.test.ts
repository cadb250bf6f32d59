import { expect, test } from 'vitest'
import { look } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { expectAccessible, openStage, type Person, settled } from './support.ts'

const stage = openStage()
type CardAnswer = { card_id: string }

async function fill(person: Person): Promise<string[]> {
  const ids: string[] = []
  for (const sample of SAMPLES)
    ids.push((await person.api<CardAnswer>('POST', '/api/v1/cards', sample)).card_id)
  return ids
}

const balanceOf = async (person: Person) =>
  (await person.api<{ credits_balance: number }>('GET', '/api/v1/auth/me')).credits_balance

test('a problem is found while typing, with marked words, and read beside the list', async () => {
  const person = await stage.person('Searcher')
  await fill(person)
  const { page } = person
  await page.goto('/')
  await page.getByText('Changed last').waitFor()
  await page.getByRole('textbox', { name: 'Search' }).fill('pool timeout after deploy')
  const results = page.getByRole('list', { name: 'Results' })
  await results.getByRole('link').first().waitFor()
  expect(await results.getByRole('listitem').first().textContent()).toContain('Connection pool exhausted')
  await results.locator('mark').first().waitFor()
  expect(await results.textContent()).toContain('Your card, free')
  await page.getByRole('article').getByRole('heading', { name: SAMPLES[0].title }).waitFor()
  expect(page.url()).toContain('q=pool')
  await settled(page)
  await expectAccessible(page)
  await page.reload()
  await results.getByRole('link').first().waitFor()
  expect(await page.getByRole('textbox', { name: 'Search' }).inputValue()).toBe('pool timeout after deploy')
})

test('a mistyped word is corrected in plain sight, and searched as it is after one click', async () => {
  const person = await stage.person('Typist')
  await fill(person)
  const { page } = person
  // A word is known for misspellings about a second after it was first used.
  const back = page.getByRole('button', { name: 'search for conection instead' })
  await expect
    .poll(
      async () => {
        await page.goto('/?q=conection+pool+exhausted')
        await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor()
        return back.count()
      },
      { timeout: 15_000 },
    )
    .toBe(1)
  await expectAccessible(page)
  await back.click()
  await page.getByText('Nothing found').waitFor()
  expect(await page.getByRole('textbox', { name: 'Search' }).inputValue()).toBe('"conection" pool exhausted')
})

test('the keyboard alone searches, moves, opens and copies', async () => {
  const person = await stage.person('Keyboarder')
  await fill(person)
  const { page } = person
  await page.goto('/cards')
  await page.getByText('Most used tags').waitFor()
  await page.keyboard.press('/')
  await page.getByRole('textbox', { name: 'Search' }).waitFor()
  await page.keyboard.type('the key')
  const results = page.getByRole('list', { name: 'Results' })
  await results.getByRole('link').nth(1).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  const chosen = results.locator('[aria-current]')
  await page.waitForURL(/card=/)
  const title = (await chosen.locator('span').first().textContent()) ?? ''
  await page.getByRole('heading', { level: 2, name: title }).waitFor()
  await page.keyboard.press('y')
  await page.getByText('Link copied.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/cards\/[\da-f-]{36}$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
})

test('a public search shows its price, charges once, and back or reload charge nothing more', async () => {
  const author = await stage.person('Author')
  const person = await stage.person('Buyer')
  const [first = ''] = await fill(author)
  await author.api('POST', `/api/v1/cards/${first}/publish`)
  const { page } = person
  await page.goto('/?scope=public&q=connection+pool+exhausted')
  await page.getByText('Nothing has been sent yet').waitFor()
  expect(await balanceOf(person)).toBe(100)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Search · 5 credits' }).first().click()
  await page.getByText('5 credits charged').waitFor()
  await page.getByText('95 credits').first().waitFor()
  expect(await page.getByRole('list', { name: 'Results' }).textContent()).toContain('Library hit')
  await page.reload()
  await page.getByText('5 credits charged').waitFor()
  await page.getByRole('link', { name: 'Library', exact: true }).click()
  await page.getByRole('heading', { name: 'Library' }).waitFor()
  await page.goBack()
  await page.getByText('5 credits charged').waitFor()
  expect(await balanceOf(person)).toBe(95)
})

test('a public search that finds nothing is free and says so', async () => {
  const person = await stage.person('Unlucky')
  const { page } = person
  await page.goto('/')
  await page.getByRole('group', { name: 'Where to search' }).getByText('Library').click()
  await page.getByRole('textbox', { name: 'Search' }).fill('zzqx unheard-of flurbification')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing was charged.').waitFor()
  expect(await balanceOf(person)).toBe(100)
})

test('without credits nothing is charged and the way to more is shown', async () => {
  const author = await stage.person('Author')
  const person = await stage.person('Poor')
  const [first = ''] = await fill(author)
  await author.api('POST', `/api/v1/cards/${first}/publish`).catch(() => undefined)
  for (let spent = 0; spent < 100; spent += 5)
    await person.api('POST', '/api/v1/search', { query: 'connection pool exhausted', scope: 'public' })
  const { page } = person
  await page.goto('/?scope=public&q=connection+pool')
  await page.getByRole('button', { name: 'Search · 5 credits' }).first().click()
  await page.getByRole('alert').getByText('Nothing was charged.').waitFor()
  await page.getByRole('link', { name: 'Get credits' }).click()
  await page.waitForURL(/\/billing/)
})

test('filters narrow the search and stand in the address', async () => {
  const person = await stage.person('Filterer')
  await fill(person)
  const { page } = person
  await page.goto('/?q=default+database+machine+linux')
  const results = page.getByRole('list', { name: 'Results' })
  await results.getByRole('link').nth(1).waitFor()
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Environment').fill('vite: 8')
  await page.keyboard.press('Enter')
  await page.getByText('1 result').first().waitFor()
  expect(await results.textContent()).toContain('ENOSPC')
  expect(page.url()).toContain('env=')
  await expectAccessible(page)
})

test('an action card joins the best hits into one plan', async () => {
  const person = await stage.person('Planner')
  await fill(person)
  const { page } = person
  await page.goto('/?q=rotate+signing+key&plan=true')
  const plan = page.getByRole('article')
  await plan.getByText('Action card').waitFor()
  expect(await plan.getByRole('listitem').count()).toBeGreaterThan(0)
  await settled(page)
  await expectAccessible(page)
})

test('on a phone a hit opens as a page of its own, and back returns to the results', async () => {
  const person = await stage.person('Commuter', { width: 360, height: 740 })
  await fill(person)
  const { page } = person
  await page.goto('/?q=connection+pool')
  await page.getByRole('list', { name: 'Results' }).getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: SAMPLES[0].title }).waitFor()
  await page.goBack()
  await page.getByRole('list', { name: 'Results' }).waitFor()
})

test.each([
  ['/', 'home', 'Changed last'],
  ['/?q=connection+pool+timeout', 'search', 'Connection pool exhausted'],
  ['/?q=connection+pool&scope=public', 'search-price', 'Nothing has been sent yet'],
  ['/?q=zzqx+flurbification', 'search-nothing', 'Nothing found'],
])('%s in both sizes and themes', async (path, name, ready) => {
  const person = await stage.person('Team lead')
  await fill(person)
  await look(person, path, name, ready)
})
