import { areaUnderCurve } from '../lib/collections.ts'
import { KINDS, type Kind, type Query, type Unanswerable } from './data.ts'

/**
 * The answer of an engine: ids of cards, best first, each with the engine's own score. It may be empty. A hit may be marked as weak:
 * it is shown, but the engine does not claim that it answers.
 */
export type Answer = { id: string; score: number; weak?: boolean }[]

export type Engine = {
  name: string
  search: (query: string) => Promise<Answer> | Answer
  close?: () => Promise<void>
}

export type Figures = {
  /** nDCG@10 for each kind of query. */
  ndcg: Record<Kind, number>
  /** The mean of all kinds. */
  all: number
  /** Share of queries whose card comes first. */
  first: number
  /** Share of the queries without an answer that still get a hit. */
  talks: number
  /** How well the best score tells queries with an answer from those without: 0.5 is chance. */
  auc: number
  /** The same share as `talks`, with a cut of the engine's scores that keeps 95 % of the right first cards. */
  talksAt95: number
}

const DEPTH = 10
const KEPT = 0.95

const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)

const rankOf = (answer: Answer, id: string) => answer.slice(0, DEPTH).findIndex((hit) => hit.id === id)
/** One card answers a query, so the ideal gain is 1. */
const ndcgOf = (rank: number) => (rank < 0 ? 0 : 1 / Math.log2(rank + 2))
const bestScore = (answer: Answer) => answer[0]?.score ?? Number.NEGATIVE_INFINITY

/** The share of `absent` at or above the cut that keeps the given share of `right`. */
export function shareAbove(right: readonly number[], absent: readonly number[], kept: number): number {
  const sorted = [...right].sort((a, b) => b - a)
  const cut = sorted[Math.max(0, Math.ceil(kept * sorted.length) - 1)] ?? Number.POSITIVE_INFINITY
  return mean(absent.map((score) => (score >= cut ? 1 : 0)))
}

export type Answered = { query: Query; answer: Answer }
export type Unanswered = { query: Unanswerable; answer: Answer }

export function score(answered: readonly Answered[], unanswered: readonly Unanswered[]): Figures {
  const ranks = answered.map(({ query, answer }) => ({
    kind: query.kind,
    rank: rankOf(answer, query.answer),
    best: bestScore(answer),
  }))
  const ndcg = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      mean(ranks.filter((query) => query.kind === kind).map(({ rank }) => ndcgOf(rank))),
    ]),
  ) as Record<Kind, number>
  const absent = unanswered.map(({ answer }) => bestScore(answer))
  const right = ranks.filter(({ rank }) => rank === 0).map(({ best }) => best)
  return {
    ndcg,
    all: mean(Object.values(ndcg)),
    first: mean(ranks.map(({ rank }) => (rank === 0 ? 1 : 0))),
    talks: mean(unanswered.map(({ answer }) => (answer.some(({ weak }) => !weak) ? 1 : 0))),
    auc: areaUnderCurve(
      ranks.map(({ best }) => best),
      absent,
    ),
    talksAt95: shareAbove(right, absent, KEPT),
  }
}
