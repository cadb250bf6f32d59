import { expect, test } from 'vitest'
import { goodCard, record } from '../../test/support/cards.ts'
import { onBothEngines } from '../../test/support/engines.ts'

onBothEngines(
  'letters that not every keyboard has',
  (t) => {
    test('words with them are found in plain letters, and the other way round', async () => {
      const user = await t.user()
      const pairs = [
        ['Hauptstraße', 'HAUPTSTRASSE'],
        ['ændring', 'aendring'],
        ['cœur', 'coeur'],
        ['størrelse', 'storrelse'],
        ['Łódź', 'lodz'],
        ['đăng', 'dang'],
        ['ısı', 'isi'],
      ]
      for (const [written, plain] of pairs) {
        const { card_id } = await record(user, { ...goodCard(), title: `About ${written}` })
        for (const query of [written, plain]) {
          const [first] = (await user.post('/api/v1/search', { query })).body.results
          expect(first, query).toMatchObject({ card_id, weak: false })
        }
        await user.delete(`/api/v1/cards/${card_id}`)
      }
    })
  },
  {},
)
