import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ApiError } from '../api/client.ts'
import { FormError, NotLoaded } from './states.tsx'

const drawn = (error: Error | null) =>
  renderToStaticMarkup(NotLoaded({ query: { error, refetch: () => undefined }, children: 'wait' }))

test('where nothing has loaded, the skeleton or the reason shows', () => {
  expect(drawn(null)).toBe('wait')
  expect(drawn(new Error('The disk is full.'))).toContain('The disk is full.')
  expect(drawn(new Error('The disk is full.'))).not.toContain('wait')
})

test('a refusal for too many requests says so once, and how long to wait', () => {
  const detail = 'Too many requests. Try again in 12 s.'
  const text = drawn(
    new ApiError(429, { detail, code: 'rate_limited' }, new Headers({ 'retry-after': '12' })),
  )
  expect(text).toContain(detail)
  expect(text.match(/Too many/g)).toHaveLength(1)
  const proxy = drawn(new ApiError(429, {}, new Headers({ 'retry-after': '7' })))
  expect(proxy).toContain('Too many requests. Try again in 7 s.')
})

test('a form names the request that a fault of the server asks to quote, and no other', () => {
  const said = (status: number) => {
    const headers = new Headers({ 'x-request-id': 'request-7' })
    const error = new ApiError(status, { detail: 'Not now.', code: 'any' }, headers)
    return renderToStaticMarkup(FormError({ error }))
  }
  expect(said(500)).toContain('Request request-7')
  expect(said(500)).toContain('Copy request id')
  expect(said(409)).toContain('Not now.')
  expect(said(409)).not.toContain('request-7')
})

/** A page that checks the error first loses its data, and typed text, to a failed refetch. */
test('no page puts an error in the place of what has loaded', () => {
  const pages = join(import.meta.dirname, '../pages')
  const wrong = globSync('**/*.tsx', { cwd: pages }).flatMap((file) => {
    const text = readFileSync(join(pages, file), 'utf8')
    const found = text.match(
      /<ErrorState\b[^>]*refetch\(|if \((?:\w+\.)?error\)|if \(\w+\.isError\)|\{(?:\w+\.)?error && <ErrorState/g,
    )
    return found?.map((one) => `${file}: ${one}`) ?? []
  })
  expect(wrong).toEqual([])
})
