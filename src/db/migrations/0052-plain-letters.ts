import type { EngineName } from '../db.ts'
import type { Migration } from './migrate.ts'

/** The letters that are read in plain ones now, see text/fold.ts, small and capital, and with the accents they may have. */
const LETTERS = 'ßẞæÆœŒøØłŁđĐðÐþÞħĦŧŦıǽǼǿǾ'

const CARD_TEXTS = [
  'title',
  'tags',
  'symptom',
  'root_cause',
  'fix_summary',
  'steps',
  'body',
  'environment',
  'scope_notes',
]

const hasLetters = (engine: EngineName, text: string): string =>
  engine === 'sqlite' ? `${text} glob '*[${LETTERS}]*'` : `${text} ~ '[${LETTERS}]'`

/** Drops events from the index; the condition is about rows of `context_events`. */
const dropEvents = (engine: EngineName, condition: string): string[] => {
  const events = `select event_no from context_events where ${condition}`
  return engine === 'sqlite'
    ? ['context_event_grams', 'context_event_words'].map(
        (index) => `delete from ${index} where rowid in (${events})`,
      )
    : [
        `delete from context_event_index where (user_id, event_no) in (${events.replace('event_no', 'user_id, event_no')})`,
      ]
}

/**
 * `Straße` is indexed as `strasse`. Cards that have such a letter are marked, and events that have one leave the index,
 * together with the newest event, whose absence makes the program look for what is missing. It indexes both again
 * before it serves (see `fillIndexes` in app.ts).
 */
export const plainLetters: Migration = {
  name: '0052-plain-letters',
  statements: (engine) => {
    const inCard = CARD_TEXTS.map((column) => hasLetters(engine, column)).join(' or ')
    const inEvent = `(${hasLetters(engine, 'content')} or ${hasLetters(engine, 'title')})`
    return [
      `update search_docs set analyser = 0 where card_id in (select card_id from cards where ${inCard})`,
      `update search_docs set analyser = 0 where card_id in
        (select card_id from card_evidences where ${hasLetters(engine, 'content')})`,
      ...dropEvents(
        engine,
        `event_no = (select max(event_no) from context_events)
          and exists (select 1 from context_events where ${inEvent})`,
      ),
      ...dropEvents(engine, inEvent),
    ]
  },
}
