import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

const words = (count: number, mark: string) =>
  Array.from({ length: count }, (_, i) => `${mark}${i.toString(36)}q`).join(' ')

onBothEngines('events of many words', (t) => {
  test('words that were left out are named, and the literal search finds them', async () => {
    const user = await t.user()
    const project_key = 'org/many-words'
    const content = words(7000, 'event')
    const event = { project_key, event_type: 'agent_report', content }
    const { body } = await user.post('/api/v1/project-context/events', event)
    expect(body.search_note).toMatch(/Questions do not find some words/)
    const search = async (query: string, mode = '') =>
      (
        await user.get(`/api/v1/project-context/search?project_key=${project_key}&query=${query}${mode}`)
      ).body.results.map((found: { raw_id: string }) => found.raw_id)
    for (const word of ['event0q', 'event5efq']) {
      expect(await search(word)).toEqual([body.raw_id])
    }
    expect(await search('event0q', '&mode=ranked')).toEqual([body.raw_id])

    const turn = { project_key, user_message: 'Look at this', agent_report: words(6000, 'turn') }
    for (const answer of [
      await user.post('/api/v1/project-context/turns', turn),
      await user.tool('append_context_turn', turn),
      await user.tool('append_context_event', event),
    ])
      expect(answer.text).toContain('Questions do not find some words')
    const short = await user.tool('append_context_event', { ...event, content: 'short' })
    expect(short.text).not.toContain('search_note')
  })
})
