import { bytes, largeSum, type Migration, primaryKey } from './statements.ts'

/** Vectors of cards and memory events, made by a model from their texts, and whose turn it is to make them. */
export const embeddings: Migration = {
  name: '0006-embeddings',
  statements: (engine) => [
    // doc_no: the entry of the search index that the vector was made for. A text that the model refuses has no vector.
    `create table search_vectors (
      card_id text primary key references cards(card_id) on delete cascade,
      doc_no integer not null,
      model text not null,
      content_hash text not null,
      dimensions integer not null,
      vector ${bytes(engine)}
    )`,
    'create index search_vectors_by_number on search_vectors(doc_no)',
    `create table context_event_vectors (
      event_no ${largeSum(engine)} not null,
      user_id text not null,
      model text not null,
      dimensions integer not null,
      vector ${bytes(engine)},
      ${primaryKey(engine, 'event_no', 'user_id')},
      ${
        engine === 'sqlite'
          ? 'foreign key (event_no) references context_events(event_no) on delete cascade'
          : `constraint context_event_vectors_event_no_fkey
        foreign key (event_no, user_id) references context_events(event_no, user_id) on delete cascade`
      }
    )`,
    // Up to which position the events of a partition have vectors.
    `create table context_vector_marks (
      partition_no ${largeSum(engine)} not null,
      user_id text not null,
      model text not null,
      last_seq integer not null,
      ${primaryKey(engine, 'partition_no', 'user_id')}
    )`,
    // One process at a time asks the endpoint.
    `create table search_vector_state (
      id integer primary key check (id = 1),
      leased_by text, leased_until text,
      model text, dimensions integer,
      failing_since text, failure text
    )`,
    'insert into search_vector_state (id) values (1)',
    ...(engine === 'sqlite'
      ? []
      : ['search_vectors', 'context_event_vectors'].map(
          (table) => `alter table ${table} alter column vector set storage external`,
        )),
  ],
}
