import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { makePng, pngChunk } from '../support/picture-files.ts'
import { expectAccessible } from './accessible.ts'
import { intercept } from './intercept.ts'
import { picture, sideways } from './pictures.ts'
import { settled } from './settled.ts'
import { openStage } from './support.ts'
import { openPage, visit } from './visit.ts'

const stage = openStage()

const TRACE = `TypeError: pool is not a function
    at acquire (/srv/app/pool.js:10:5)
    at async handle (/srv/app/server.js:42:11)`

const FIX = 'Close every connection in a finally block, and raise the pool to twice the number of workers.'

async function paste(page: Page, label: string, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.getByRole('textbox', { name: label, exact: true }).focus()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.press('ControlOrMeta+V')
}

/** As a browser hands over a screenshot. */
async function pastePicture(page: Page, label: string, bytes: Buffer, type = 'image/png'): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).evaluate(
    (box, [base64 = '', type = '']) => {
      const data = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))
      data.items.add(new File([bytes], 'pool graph.png', { type }))
      box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    },
    [bytes.toString('base64'), type],
  )
}

test('a pasted text keeps its shape in the editor, on the page and in print', async () => {
  const { page } = await stage.person('Paster')
  await openPage(page, '/cards/new')
  await page.getByLabel('Title').fill('Pool is empty after a deploy')
  await page.getByRole('textbox', { name: 'Symptom' }).fill('Requests wait:')
  await paste(page, 'Symptom', TRACE)
  const symptom = page.getByRole('textbox', { name: 'Symptom' })
  await page.getByText('Recognised as a stack trace and put into a code block.').waitFor()
  expect(await symptom.inputValue()).toBe(`Requests wait:\n\n\`\`\`text\n${TRACE}\n\`\`\`\n`)
  await page.getByRole('button', { name: 'Keep as text' }).click()
  expect(await symptom.inputValue()).toBe(`Requests wait:${TRACE}`)
  await page.keyboard.press('ControlOrMeta+Z')
  expect(await symptom.inputValue()).toContain('```text')

  await page.getByRole('textbox', { name: 'Fix' }).fill(FIX)
  await paste(page, 'Root cause', 'The first line of prose.\r\nThe second line with `code`.')
  const comment = pngChunk('tEXt', 'Comment\0at home')
  await pastePicture(page, 'Root cause', makePng(640, 200, [comment]))
  await page.getByText('The picture is in the text.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Root cause' }).inputValue()).toMatch(
    /!\[pool graph\]\(\/api\/v1\/images\/[\w-]{36}\)$/,
  )
  const table = `| setting | ${'value '.repeat(12)}|\n|---|---|\n| pool.maximum.size | ${'oneword'.repeat(12)} |`
  await paste(page, 'Notes', table)
  await page.getByRole('button', { name: 'Add evidence' }).click()
  await page.getByLabel('Evidence 1, content').fill('line one\nline two')
  await expectAccessible(page)
  await picture(page, 'paste-editor-1280')
  await page.getByRole('button', { name: 'Save card' }).click()

  await page.getByRole('heading', { name: 'Pool is empty after a deploy' }).waitFor()
  const shown = page.getByRole('img', { name: 'pool graph' })
  await shown.waitFor()
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(640)
  expect(await page.locator('.reading pre code').first().textContent()).toBe(TRACE)
  expect(await page.getByText('The second line with').locator('br').count()).toBeGreaterThan(0)
  await page.locator('.code-block').first().hover()
  await page.getByRole('button', { name: 'Copy code' }).first().click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(TRACE)
  for (const [width, theme] of [
    [1440, 'light'],
    [768, 'dark'],
    [390, 'light'],
    [320, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: theme })
    expect(await sideways(page), `${width}`).toBe(0)
    await picture(page, `paste-card-${width}-${theme}`)
  }
  await expectAccessible(page)
  const scrolls = await page.locator('.table-scroll').evaluate((box) => box.scrollWidth > box.clientWidth)
  expect(scrolls).toBe(true)

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0)
  expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
  await page.getByText(FIX).waitFor()
  expect(await sideways(page)).toBe(0)
  await picture(page, 'paste-print')
})

test('on paper a list of cards has no filters, and a list of tasks says which are done', async () => {
  const { page, api } = await stage.person('Printer')
  const { card_id } = await api<{ card_id: string }>('POST', '/api/v1/cards', {
    title: 'Steps of a move',
    symptom: '- [x] Copied\n- [ ] Switched over',
    fix_summary: FIX,
  })
  await openPage(page, '/cards')
  await page.getByRole('link', { name: 'Steps of a move' }).waitFor()
  await page.emulateMedia({ media: 'print' })
  for (const filter of ['Mine', 'Know-how'])
    expect(await page.getByText(filter, { exact: true }).filter({ visible: true }).count(), filter).toBe(0)
  expect(await page.getByText('Steps of a move').first().isVisible()).toBe(true)
  await picture(page, 'cards-print')
  await visit(page, `/cards/${card_id}`)
  await page.getByRole('checkbox', { name: 'Task', checked: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Task', checked: false }).waitFor()
  await picture(page, 'tasks-print')
})

test('a picture from elsewhere is a link, and a deleted one says so', async () => {
  const { page, api, context } = await stage.person('Painter')
  const upload = await context.request.post(`${stage.base}/api/v1/images`, {
    headers: { 'X-Requested-With': 'kvault-web', 'Content-Type': 'image/png' },
    data: makePng(32, 32),
  })
  const { url } = await upload.json()
  const { card_id } = await api<{ card_id: string }>('POST', '/api/v1/cards', {
    title: 'Pictures of a card',
    symptom: `Mine ![mine](${url}) and ![theirs](https://pictures.example/p.png)`,
    fix_summary: FIX,
  })
  await openPage(page, `/cards/${card_id}`)
  await page.getByRole('img', { name: 'mine' }).waitFor()
  expect(await page.getByRole('link', { name: 'theirs' }).getAttribute('href')).toBe(
    'https://pictures.example/p.png',
  )
  expect(await page.getByRole('img', { name: 'theirs' }).count()).toBe(0)
  await openPage(page, `/cards/${card_id}/edit`)
  await page.getByRole('textbox', { name: 'Title' }).fill('A title that is not finished')
  await page.getByRole('button', { name: 'Delete picture 1' }).click()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('The picture is deleted.').waitFor()
  await settled(page)
  // The question about the picture is a form in a form: its answer must not save the card.
  expect(await api('GET', `/api/v1/cards/${card_id}`)).toMatchObject({ version: 1 })
  await page.getByRole('heading', { name: 'Edit card' }).waitFor()
  await openPage(page, `/cards/${card_id}`)
  await page.getByRole('link', { name: 'mine' }).waitFor()
})

test('a paste beyond the limit says what was cut, and a file that is no picture that it was not taken', async () => {
  const { page } = await stage.person('Long')
  await openPage(page, '/cards/new')
  await paste(page, 'Notes', `${'a '.repeat(100_000)}and this is the end`)
  await page
    .getByText('There is room for 200,000 characters. 19 characters at the end of the paste were cut')
    .waitFor()
  await paste(page, 'Title', `${'t'.repeat(5000)}tail`)
  await page.getByText('4 characters at the end of the paste were cut, from “tail” on.').waitFor()
  await pastePicture(page, 'Symptom', Buffer.from('a,b'), 'text/csv')
  await page.getByText('was not taken: only text and pictures can be put here.').waitFor()
})

test('each new card has a draft, and discarding one can be undone', async () => {
  const { page } = await stage.person('Drafter')
  await openPage(page, '/cards/new')
  await page.getByLabel('Title').fill('First thought')
  await page.getByText('Draft kept in this browser').waitFor()
  await openPage(page, '/cards/new')
  expect(await page.getByLabel('Title').inputValue()).toBe('')
  await page.getByLabel('Title').fill('Second thought')
  await page.getByText('Draft kept in this browser').waitFor()
  await page.getByRole('textbox', { name: 'Notes' }).fill('Seen **twice**.')
  await page.getByRole('button', { name: 'Preview notes' }).click()
  await page.getByRole('button', { name: 'Discard draft' }).press('Enter')
  await page.locator('button:focus', { hasText: 'Save card' }).waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('')
  expect(await page.getByRole('textbox', { name: 'Notes' }).inputValue()).toBe('')
  await page.getByRole('button', { name: 'Undo' }).click()
  expect(await page.getByLabel('Title').inputValue()).toBe('Second thought')
  await page.goto('/cards/new')
  await page.getByText('2 drafts wait:').waitFor()
  await page.getByRole('link', { name: 'First thought' }).click()
  await page.getByText('is back.').waitFor()
  expect(await page.getByLabel('Title').inputValue()).toBe('First thought')
})

test('dates follow the browser, a narrow select shows its value, and a diff keeps its blanks', async () => {
  const { page, api } = await stage.person('Reader', { locale: 'de-DE', width: 320, height: 700 })
  const { card_id } = await api<{ card_id: string }>('POST', '/api/v1/cards', {
    title: 'Blanks in a diff',
    symptom: 'the quick fox',
    fix_summary: FIX,
  })
  await api('PATCH', `/api/v1/cards/${card_id}`, { symptom: 'the slow  fox' })
  await openPage(page, '/settings')
  await page.locator('select').first().waitFor()
  const narrow = await page.locator('select').evaluateAll((selects) =>
    selects
      .filter((select) => (select as HTMLSelectElement).offsetParent !== null)
      .map((select) => {
        const box = select as HTMLSelectElement
        const pen = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
        pen.font = getComputedStyle(box).font
        return (
          Math.min(pen.measureText(box.selectedOptions[0]?.text ?? '').width, 200) <= box.clientWidth - 36
        )
      }),
  )
  expect(narrow.length).toBeGreaterThan(0)
  expect(narrow).not.toContain(false)
  const today = await page.evaluate(() =>
    new Intl.DateTimeFormat('de-DE', { month: 'short' }).format(new Date()),
  )
  await page.getByText(new RegExp(`Now it is \\d+\\. ${today}`)).waitFor()
  await openPage(page, `/cards/${card_id}/history`)
  await settled(page)
  const diff = page.locator('del', { hasText: 'quick' }).locator('..')
  await diff.waitFor()
  expect(await diff.evaluate((line) => getComputedStyle(line).whiteSpace)).toBe('pre-wrap')
  expect(await diff.textContent()).toMatch(/^the quick.*slow.* {2}.*fox$/)
})

/** Pictures are on their way until the answer is called. */
async function slowPictures(page: Page): Promise<() => Promise<void>> {
  let arrive = () => {}
  const slow = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await intercept(page, '**/api/v1/images', async (route) => {
    await slow
    await route.continue()
  })
  return async () => {
    arrive()
    await page.unrouteAll({ behavior: 'wait' })
  }
}

test('a picture arrives where it was pasted, and leaves the person who writes on in peace', async () => {
  const { page } = await stage.person('Quick writer')
  await openPage(page, '/cards/new')
  const [symptom, fix] = ['Symptom', 'Fix'].map((name) => page.getByRole('textbox', { name, exact: true }))
  const arrive = await slowPictures(page)
  await symptom?.fill('Look: ')
  await pastePicture(page, 'Symptom', makePng())
  await symptom?.pressSequentially(' the pool is em')
  await pastePicture(page, 'Fix', makePng())
  await fix?.pressSequentially('Clo')
  await arrive()
  await expect.poll(() => page.getByText('The picture is in the text.').count()).toBe(2)
  await page.keyboard.type('se it.')
  const picture = String.raw`!\[pool graph\]\(/api/v1/images/[\w-]{36}\)`
  expect(await symptom?.inputValue()).toMatch(new RegExp(`^Look: ${picture} the pool is em$`))
  expect(await fix?.inputValue()).toMatch(new RegExp(`^${picture}Close it\\.$`))
})

test('a card is not saved while its picture is on the way', async () => {
  const { page, api } = await stage.person('Hasty')
  await openPage(page, '/cards/new')
  await page.getByLabel('Title').fill('Saved with its picture')
  await page.getByRole('textbox', { name: 'Symptom' }).fill('It looks wrong.')
  await page.getByRole('textbox', { name: 'Fix' }).fill(FIX)
  const arrive = await slowPictures(page)
  await pastePicture(page, 'Root cause', makePng())
  const save = page.getByRole('button', { name: 'Save card' })
  await save.click()
  const refused = page.locator('textarea:focus:invalid')
  await refused.waitFor()
  await page.keyboard.type('See the graph: ')
  await page.getByRole('button', { name: 'Preview root cause' }).click()
  await refused.waitFor({ state: 'detached' })
  await save.click()
  await refused.waitFor()
  await page.getByRole('button', { name: 'Preview root cause' }).click()
  await arrive()
  await page.getByText('The picture is in the text.').waitFor()
  await page.getByRole('img', { name: 'pool graph' }).waitFor()
  await save.click()
  await page.getByRole('img', { name: 'pool graph' }).waitFor()
  expect(await api('GET', '/api/v1/cards?scope=personal')).toMatchObject({ total: 1 })
})

test('a picture that is not taken is refused in words about the picture', async () => {
  const { page } = await stage.person('Drawer')
  await openPage(page, '/cards/new')
  for (const [bytes, type, words] of [
    [Buffer.from('<svg/>'), 'image/svg+xml', 'This is not a PNG, JPEG, WebP or GIF.'],
    [makePng().subarray(0, 60), 'image/png', 'The picture is damaged or cut short.'],
  ] as const) {
    await pastePicture(page, 'Symptom', bytes, type)
    await page.getByText(words).waitFor()
  }
  const symptom = page.getByRole('textbox', { name: 'Symptom' })
  expect(await symptom.inputValue()).toBe('')
  // Of several the others are taken.
  const png = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer })
  await page
    .getByLabel('Add a picture')
    .first()
    .setInputFiles([
      png('poster.png', Buffer.alloc(5 * 1024 * 1024 + 1)),
      png('cut.png', makePng().subarray(0, 60)),
      png('graph.png', makePng()),
    ])
  await page
    .getByText('poster.png is larger than 5 MiB. cut.png: The picture is damaged or cut short.')
    .waitFor()
  expect(await symptom.inputValue()).toMatch(/^!\[graph\]\(\/api\/v1\/images\/[\w-]{36}\)$/)
})
