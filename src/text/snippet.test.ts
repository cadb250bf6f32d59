import { describe, expect, test, vi } from 'vitest'
import { cardFields, explain as explainMarked, type Field, markTexts, wantTerms } from './snippet.ts'

const explain = (title: string, fields: Field[], terms: Set<string>, remedy?: string) => {
  const marked = markTexts(cardFields(title, fields), wantTerms(terms))
  return { ...explainMarked(marked, remedy), forms: marked.forms }
}

const marksIn = (html: string) => html.match(/<mark>/g)?.length ?? 0

describe('why a card came', () => {
  test('which words stand where, without single letters and bare digits', () => {
    const shown = explain(
      'Pool of c',
      [
        { where: 'symptom', text: 'version 0.3: the pools are empty' },
        { where: 'tags', text: 'pool, 0' },
      ],
      new Set(['pool', 'c', '0', '0.3']),
    )
    expect(shown.why).toEqual([
      { where: 'title', words: ['pool'] },
      { where: 'symptom', words: ['pools'] },
      { where: 'tags', words: ['pool'] },
    ])
    expect(shown.forms.get('pool')).toEqual(new Set(['pool', 'pools']))
  })

  test('at most eight words are marked', () => {
    const text = 'pool then '.repeat(20)
    const { snippet } = explain('x', [{ where: 'symptom', text }], new Set(['pool']))
    expect(marksIn(snippet)).toBe(8)
  })

  test('the snippet of a trace also shows the fix, that of prose does not', () => {
    const terms = new Set(['econnrefus'])
    const trace = 'Error: connect ECONNREFUSED\n    at TCPConnectWrap.afterConnect (node:net:1595:16)'
    const fix = 'Start the <database> first'
    const inTrace = explain('x', [{ where: 'symptom', text: trace }], terms, fix).snippet
    expect(inTrace).toContain('<mark>ECONNREFUSED</mark>')
    expect(inTrace).toContain('Fix: Start the &lt;database&gt; first')
    const inLog = explain('x', [{ where: 'evidence', text: 'got econnrefused', isLog: true }], terms, fix)
    expect(inLog.snippet).toContain('Fix:')
    const inProse = explain('x', [{ where: 'symptom', text: 'we saw econnrefused' }], terms, fix)
    expect(inProse.snippet).not.toContain('Fix:')
  })

  test('the part with the most different words is quoted, the earliest of equals', () => {
    const filler = 'something else entirely '.repeat(20)
    const text = `pool ${filler}pool pool pool ${filler}pool timeout here ${filler}timeout pool there`
    const { snippet } = explain('x', [{ where: 'symptom', text }], new Set(['pool', 'timeout']))
    expect(snippet).toContain('<mark>pool</mark> <mark>timeout</mark> here')
    const longest = `${'a'.repeat(300)} pool timeout`
    const beside = explain(
      'x',
      [{ where: 'symptom', text: longest }],
      new Set(['a'.repeat(300), 'pool', 'timeout']),
    )
    expect(beside.snippet).toContain('<mark>pool</mark> <mark>timeout</mark>')
  })

  test('a name is cut into its parts no more often where many of them match than where one does', () => {
    // Too long to be kept from one time to the next.
    const text = `poolSizeLimit${'x'.repeat(60)}`
    const cuts = (...terms: string[]): number => {
      const split = vi.spyOn(String.prototype, 'split')
      try {
        explain('x', [{ where: 'symptom', text }], new Set(terms))
        return split.mock.calls.filter(([by]) => String(by) === '_').length
      } finally {
        split.mockRestore()
      }
    }
    expect(cuts('pool')).toBeGreaterThan(0)
    expect(cuts('pool', 'size')).toBe(cuts('pool'))
  })

  test('what is kept of a hit does not grow with the number of its words', () => {
    const words = Array.from({ length: 70 }, (_, i) => `w${i}`)
    const text = `${words.join(' ')} `.repeat(60)
    const marked = markTexts(
      cardFields('x', [
        { where: 'symptom', text },
        { where: 'body', text },
      ]),
      wantTerms(new Set(words)),
    )
    expect(marked.forms.size).toBe(70)
    expect(JSON.stringify(marked.best.part.marks).length).toBeLessThan(10_000)
    expect(marked.words.matched).toHaveLength(20)
  })
})
