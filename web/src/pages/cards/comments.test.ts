import { expect, test } from 'vitest'
import { asMarkdown, asStored, asTyped, mentionTyped, peopleIn, peopleLike } from './comments.tsx'

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const ANN = { user_id: id(1), name: 'Ann' }
const ANN_LEE = { user_id: id(2), name: 'Ann Lee' }
const BOB = { user_id: id(3), name: 'Bob' }
const PEOPLE = [ANN, ANN_LEE, BOB]

test('names of members become ids, the longest name first, and nothing else changes', () => {
  expect(asStored('@Ann Lee, @Ann and @Bob.', PEOPLE, [])).toBe(`<@${id(2)}>, <@${id(1)}> and <@${id(3)}>.`)
  for (const text of ['mail@Bob', '@Bobby', '@bob', '@', '', 'a 😀 @Carol'])
    expect(asStored(text, PEOPLE, [])).toBe(text)
})

test('of two members with one name the chosen one is meant', () => {
  const other = { user_id: id(4), name: 'Bob' }
  expect(asStored('@Bob', [BOB, other], [BOB])).toBe(`<@${id(3)}>`)
  expect(asStored('@Bob', [BOB, other], [BOB, other])).toBe(`<@${id(4)}>`)
})

test('a comment that is changed mentions whom it did, also those who have left', () => {
  const namesake = { user_id: id(5), name: 'Ann Lee' }
  const mentions = [ANN_LEE, { user_id: id(6), name: 'Carol' }].map(({ user_id, name }) => ({
    user_id,
    display_name: name,
  }))
  const body = `<@${id(2)}>, <@${id(6)}> and <@${id(7)}>`
  const people = [...PEOPLE, namesake]
  expect(asStored(`${asTyped(body, mentions)} again`, people, peopleIn(body, mentions))).toBe(`${body} again`)
})

test('a stored text is read as it was typed, and as Markdown without tricks in the name', () => {
  const mentions = [{ user_id: id(1), display_name: 'A*n [x](y)' }]
  const body = `Ask <@${id(1)}> or <@${id(9)}>`
  expect(asTyped(body, mentions)).toBe('Ask @A*n [x](y) or @somebody')
  expect(asMarkdown(body, mentions)).toBe('Ask **@A\\*n \\[x\\]\\(y\\)** or **@somebody**')
})

test('the list opens after an @ that begins a word', () => {
  expect(mentionTyped('Hi @an', 6)).toEqual({ start: 3, typed: 'an' })
  expect(mentionTyped('@', 1)).toEqual({ start: 0, typed: '' })
  for (const text of ['mail@an', 'no', '@an\nx', `@${'x'.repeat(41)}`])
    expect(mentionTyped(text, text.length)).toBeNull()
  expect(peopleLike(PEOPLE, 'le')).toEqual([ANN_LEE])
  expect(peopleLike(PEOPLE, 'A')).toEqual([ANN, ANN_LEE])
  expect(peopleLike(PEOPLE, 'x')).toEqual([])
})
