import { describe, expect, test } from 'vitest'
import type { Card } from '../../api/types.ts'
import {
  changesOf,
  draftOf,
  draftProblem,
  emptyDraft,
  fieldsOf,
  isSameDraft,
  mergeDrafts,
  newEvidences,
  payloadOf,
  rowId,
  tagsOf,
  unsavedPart,
} from './draft.ts'

const CARD = {
  card_type: 'how_to',
  title: 'Rotate a key',
  symptom: 'The key is old.',
  fix_summary: 'Make a new one.',
  root_cause: null,
  steps: [
    { order: 5, action: 'Second', result: '' },
    { order: 1, action: 'First', result: 'Done', owner: 'ops' },
  ],
  tags: ['jwt', 'security'],
  environment: { os: 'linux' },
  body: null,
  scope_notes: null,
  card_payload: { a: 1 },
} as unknown as Card

describe('a card in the form', () => {
  test('comes back as it was, with the steps numbered in their order and their other keys kept', () => {
    expect(fieldsOf(draftOf(CARD))).toEqual({
      ...CARD,
      steps: [
        { order: 1, action: 'First', result: 'Done', owner: 'ops' },
        { order: 2, action: 'Second', result: '' },
      ],
    })
  })

  test('sends nothing when nothing was changed, and only what was', () => {
    expect(changesOf(draftOf(CARD), draftOf(CARD))).toEqual({})
    expect(changesOf({ ...draftOf(CARD), title: 'Rotate two keys' }, draftOf(CARD))).toEqual({
      title: 'Rotate two keys',
    })
  })

  test('rows that hold nothing are left out', () => {
    const draft = {
      ...emptyDraft(),
      steps: [{ id: rowId(), action: ' ', result: '', kept: {} }],
      environment: [{ id: rowId(), name: 'node', value: '' }],
      evidences: [{ id: rowId(), kind: 'log', content: ' ' }],
    }
    expect(fieldsOf(draft)).toMatchObject({ steps: [], environment: {}, root_cause: null, body: null })
    expect(newEvidences(draft)).toEqual([])
  })

  test('tags are separated by commas and appear once', () => {
    expect(tagsOf(' a, b ,, a')).toEqual(['a', 'b'])
  })

  test('a payload is a JSON object or says what is wrong with it', () => {
    expect(payloadOf(' ')).toEqual({ value: null })
    expect(payloadOf('{"a":1}')).toEqual({ value: { a: 1 } })
    expect(payloadOf('[1]')).toHaveProperty('problem')
    expect(payloadOf('{')).toHaveProperty('problem')
  })
})

describe('two people who change one card', () => {
  const base = draftOf(CARD)
  const mine = { ...base, title: 'Mine', fix_summary: 'The same', tags: 'jwt' }

  test('keep what only one of them changed, and what both changed alike', () => {
    const theirs = { ...draftOf(CARD), root_cause: 'Theirs', fix_summary: 'The same', steps: [], payload: '' }
    const { draft, asked } = mergeDrafts(base, mine, theirs)
    expect(asked).toEqual([])
    expect(draft).toEqual({ ...mine, root_cause: 'Theirs', steps: [], payload: '' })
    expect(changesOf(draft, theirs)).toEqual({ title: 'Mine', tags: ['jwt'] })
  })

  test('are asked about a field that both changed, and about no other', () => {
    const theirs = { ...draftOf(CARD), title: 'Theirs', tags: 'ops', symptom: 'More.' }
    const { draft, asked } = mergeDrafts(base, mine, theirs)
    expect(asked).toEqual(['title', 'tags'])
    expect(draft).toMatchObject({ title: 'Mine', tags: 'jwt', symptom: 'More.' })
    const chosen = mergeDrafts(base, mine, theirs, { title: 'theirs', tags: 'mine' })
    expect(chosen.asked).toEqual([])
    expect(chosen.draft).toMatchObject({ title: 'Theirs', tags: 'jwt', symptom: 'More.' })
  })
})

describe('what keeps a draft from being saved whole', () => {
  const line = (name: string, value: string) => ({ id: rowId(), name, value })

  test('two lines with one name, and a payload that is not JSON', () => {
    const twice = [line('node', '20'), line(' node ', '22')]
    expect(draftProblem({ ...emptyDraft(), environment: twice })).toContain('node is there twice')
    expect(draftProblem({ ...emptyDraft(), payload: '{' })).toContain('not valid JSON')
    const once = [line('node', '20'), line('node', ''), line('os', '22')]
    expect(draftProblem({ ...emptyDraft(), environment: once })).toBeUndefined()
  })

  test('evidence that was sent is not sent again', () => {
    const sent = { ...emptyDraft(), evidences: [{ id: 'a', kind: 'log', content: 'first' }] }
    const now = {
      ...sent,
      title: 'More',
      evidences: [...sent.evidences, { id: 'b', kind: 'log', content: 'second' }],
    }
    expect(newEvidences(unsavedPart(now, sent))).toEqual([{ kind: 'log', content: 'second' }])
    expect(unsavedPart(now, sent).title).toBe('More')
    const anew = { ...sent, evidences: [{ id: 'c', kind: 'log', content: 'first' }] }
    expect(newEvidences(unsavedPart(anew, sent))).toEqual([])
    expect([isSameDraft(anew, sent), isSameDraft(now, sent)]).toEqual([true, false])
  })
})
