import { createHash } from 'node:crypto'
import { fromJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { MemoryMarksTable } from '../../db/knowledge-schema.ts'
import { turnParts } from '../../shared/memory.ts'
import { fold } from '../../text/fold.ts'
import { freeText, storedTextBytes } from '../storage/index.ts'
import { type CommitRow, textOfCommit } from './commit-store.ts'
import { sentencesIn } from './excerpt.ts'
import type { ProjectRef } from './store.ts'

export type MarkRow = MemoryMarksTable

/** Marks of one project; recall reads them all. */
export const MAX_MARKS = 200
const MAX_SENTENCES = 1000
/** Shorter sentences, such as "Yes, do it.", say nothing by themselves and stand in many texts. */
const MIN_WORDS = 4
const HASH_BYTES = 9

const WORD = /[\p{L}\p{N}]+/gu

/** Returns the hash of a sentence that is the same however it is spaced, cased and punctuated; undefined if it says too little. */
function hashOf(sentence: string): string | undefined {
  const words = fold(sentence).match(WORD) ?? []
  if (words.length < MIN_WORDS) return undefined
  return createHash('sha256').update(words.join(' ')).digest().subarray(0, HASH_BYTES).toString('base64url')
}

/** Both sides of a turn without their headings, so that a turn and a message with the same text are the same. */
const textsOf = (content: string): string[] => {
  const { message, report } = turnParts(content)
  return [message, report].filter((text) => text !== null)
}

export function hashesIn(content: string): string[] {
  const hashes = textsOf(content)
    .flatMap(sentencesIn)
    .map(hashOf)
    .filter((hash) => hash !== undefined)
  return [...new Set(hashes)].slice(0, MAX_SENTENCES)
}

/** Says of a sentence whether a person has marked it. */
export type Marked = (sentence: string) => boolean

export const marksOf = (db: Db, { user_id, project_id }: ProjectRef): Promise<MarkRow[]> =>
  db
    .selectFrom('memory_marks')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('created_at', 'desc')
    .orderBy('mark_id', 'desc')
    .limit(MAX_MARKS)
    .execute()

export async function markedIn(db: Db, project: ProjectRef): Promise<Marked | undefined> {
  const marks = await marksOf(db, project)
  if (marks.length === 0) return undefined
  const marked = new Set(marks.flatMap(({ hashes }) => fromJson<string[]>(hashes)))
  return (sentence) => {
    const hash = hashOf(sentence)
    return hash !== undefined && marked.has(hash)
  }
}

/** Returns true if all that an event says was marked. */
export function isAllMarked(content: string, isMarked: Marked): boolean {
  const telling = textsOf(content)
    .flatMap(sentencesIn)
    .filter((sentence) => hashOf(sentence) !== undefined)
  return telling.length > 0 && telling.every(isMarked)
}

/** Returns a text without its marked sentences; undefined if nothing is left. */
export function withoutMarked(content: string, isMarked: Marked): string | undefined {
  if (isAllMarked(content, isMarked)) return undefined
  return content
    .split('\n')
    .map((line) => {
      const sentences = sentencesIn(line)
      return sentences.some(isMarked) ? sentences.filter((one) => !isMarked(one)).join(' ') : line
    })
    .join('\n')
}

/** Returns a commit without its marked sentences; undefined if all of it was marked. */
export function commitWithoutMarked(row: CommitRow, isMarked: Marked | undefined): CommitRow | undefined {
  if (!isMarked) return row
  if (isAllMarked(textOfCommit(row), isMarked)) return undefined
  const { subject, message } = row
  return {
    ...row,
    subject: isMarked(subject) ? '' : subject,
    message: withoutMarked(message, isMarked) ?? '',
  }
}

export async function removeMarks(db: Db, { user_id, project_id }: ProjectRef): Promise<void> {
  const gone = await db
    .deleteFrom('memory_marks')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .returning(['user_id', storedTextBytes('memory_marks').as('bytes')])
    .execute()
  await freeText(db, gone)
}

export async function moveMarks(db: Db, from: ProjectRef, to: ProjectRef): Promise<void> {
  await db
    .updateTable('memory_marks')
    .set({ project_id: to.project_id })
    .where('user_id', '=', from.user_id)
    .where('project_id', '=', from.project_id)
    .execute()
}
