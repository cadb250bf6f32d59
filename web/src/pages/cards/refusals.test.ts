import { expect, test } from 'vitest'
import { ApiError } from '../../api/client.ts'
import { refusedLine, refusedRules } from './refusals.ts'

test('a refused review names each thing once, at its field and in the words of the form', () => {
  const danger = { rule: 'destruction', severity: 'block', field: 'steps.0.action' }
  const reasons = [
    { rule: 'fix_length', message: 'Describe the fix in fix_summary.' },
    { rule: 'debug_grounds', message: 'Give a root_cause.' },
    { ...danger, message: 'steps.0.action: This deletes.' },
    { ...danger, message: 'steps.0.action: This deletes.' },
    {
      rule: 'no_secrets',
      message: 'This looks like a secret: evidences.0 (PASSWORD), symptom (TOKEN). Replace it.',
    },
    { rule: 'withdrawn', severity: 'block', message: 'Hidden from strangers.' },
  ]
  const error = new ApiError(400, { code: 'quality_rejected', detail: 'All of it.', reasons }, new Headers())
  const refused = refusedRules(error, 'debug_fix')
  expect(refused.map(({ field }) => field)).toEqual(['fix_summary', 'root_cause', 'steps', 'evidences', ''])
  expect(refused.map(refusedLine)).toEqual([
    'Fix: at least 40 characters',
    'A root cause, a step or evidence',
    'Steps: This deletes.',
    'This looks like a secret: Evidence (PASSWORD), Symptom (TOKEN). Replace it.',
    'Hidden from strangers.',
  ])
  expect(refusedRules(new Error('no'), 'debug_fix')).toEqual([])
})
