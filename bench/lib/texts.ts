import type { Card, Event } from './vault.ts'

/** Made-up texts, the same in every run. */

/** Numbers from 0 to 1, the same for a seed in every run. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Whole numbers from 0 to below the argument, the same for a seed in every run. */
export function randomFrom(seed: number): (below: number) => number {
  const next = numbers(seed)
  return (below) => Math.floor(next() * below)
}

const SUBJECTS =
  'connection pool,cache,index,migration,container,thread,promise,query planner,token,certificate,websocket,worker,scheduler,parser,compiler,linker,proxy,load balancer,replica,transaction,lock,mutex,buffer,stream,decoder,serializer,router,middleware,session,cookie,queue,consumer,producer,partition,snapshot,backup,volume,network,firewall,resolver,pipeline,artifact,package,dependency,module,import,hook,component,reducer,selector,fixture,mock,assertion,profiler,heap,garbage collector,allocator,kernel,driver,sensor,image,registry,namespace,ingress,secret,policy,role,grant,schema,column,trigger,view,cursor,batch,window,aggregate,join,hash table,bloom filter,tokenizer,stemmer,embedding,gradient,tensor,checkpoint,epoch,dataset,notebook,kernel module'.split(
    ',',
  )
const VERBS =
  'hangs,fails,leaks,times out,returns stale data,throws,deadlocks,restarts,blocks,corrupts its state,loses updates,retries forever,rejects the handshake,overflows,underflows,drifts,starves,spins,swaps,thrashes,duplicates rows,drops messages,reorders events,ignores the flag,escapes twice,truncates the output,rounds the result,misreads the offset'.split(
    ',',
  )
const CONDITIONS =
  'under load,after a deploy,on the second run,with an empty input,behind a proxy,in strict mode,when the clock jumps,on cold start,with a full disk,in a nested transaction,on arm64,with two writers,after an upgrade,when the network flaps,with unicode input,in production only,at midnight,with a large payload,when the cache is cold,on shutdown'.split(
    ',',
  )
const REMEDIES =
  'raise the limit,close it in a finally block,pin the version,rebuild the index,set an explicit timeout,use a prepared statement,add a unique constraint,move it out of the loop,compare in constant time,flush before exit,await the promise,bind to loopback,escape the separator,warm it at start,retry with jitter,shard by tenant,take the lock in order,read it in chunks,vacuum the table,turn the feature off'.split(
    ',',
  )

/** Names that occur in few cards each, as identifiers and error codes do in real ones. */
function rareName(random: (below: number) => number): string {
  const parts = ['get', 'load', 'user', 'order', 'cache', 'node', 'tree', 'page', 'event', 'shard', 'lease']
  const pick = () => parts[random(parts.length)] as string
  const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`
  return random(2) === 0
    ? `${pick()}${capital(pick())}${capital(pick())}${random(40)}`
    : `ERR_${pick()}_${pick()}_${random(900)}`.toUpperCase()
}

function madeUpSentences(): string[] {
  const random = randomFrom(99)
  const pick = (list: readonly string[]) => list[random(list.length)] as string
  return Array.from(
    { length: 20_000 },
    () =>
      `The ${pick(SUBJECTS)} ${pick(VERBS)} ${pick(CONDITIONS)} in ${rareName(random)}; ${pick(REMEDIES)} and check the ${pick(SUBJECTS)}.`,
  )
}

export const SENTENCES: readonly string[] = madeUpSentences()

const sentencesBy = (random: (below: number) => number, count: number) =>
  Array.from({ length: count }, () => SENTENCES[random(SENTENCES.length)]).join(' ')

const LANGUAGES = ['python', 'typescript', 'go', 'rust', 'java', 'kotlin', 'swift', 'ruby', 'php', 'sql']

/** Cards of about a thousand characters, each a new mixture of sentences. */
export function* madeUpCards(count: number, seed = 42): Generator<Required<Omit<Card, 'body'>>> {
  const random = randomFrom(seed)
  const language = () => LANGUAGES[random(LANGUAGES.length)] as string
  for (let i = 0; i < count; i++)
    yield {
      title: sentencesBy(random, 1).slice(0, 100),
      symptom: sentencesBy(random, 2),
      fix_summary: sentencesBy(random, 3),
      root_cause: sentencesBy(random, 1),
      tags: [`topic-${random(200)}`, language()],
      environment: { [language()]: `${random(20)}.${random(10)}` },
    }
}

/** Events of about four hundred characters; every fifth has a title. */
export function* madeUpEvents(count: number, seed = 9): Generator<Event> {
  const random = randomFrom(seed)
  for (let i = 0; i < count; i++) {
    const content = sentencesBy(random, 4)
    yield i % 5 === 0 ? { title: sentencesBy(random, 1).slice(0, 60), content } : { content }
  }
}

/** Queries as people type them: a few words of one sentence, in order. */
export function madeUpQueries(count: number, seed = 7): string[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => {
    const words = (SENTENCES[random(SENTENCES.length)] as string).split(/\s+/)
    const from = random(Math.max(1, words.length - 12))
    return words.slice(from, from + 8 + random(5)).join(' ')
  })
}

const LONGER_WORD = /[A-Za-z]{5,}/g

/** One typing error in every second longer word: a letter missing, doubled, changed or swapped. The same for the same query. */
export function withTypos(query: string): string {
  const random = randomFrom(
    [...query].reduce((sum, sign) => Math.imul(sum, 31) + (sign.codePointAt(0) ?? 0), 0),
  )
  const letter = () => String.fromCharCode(97 + random(26))
  let count = 0
  return query.replace(LONGER_WORD, (word) => {
    if (count++ % 2 === 1) return word
    const at = 1 + random(word.length - 2)
    const [before, here, after] = [word.slice(0, at), word[at] ?? '', word.slice(at + 1)]
    const slips = [
      () => before + after,
      () => before + letter() + here + after,
      () => before + letter() + after,
      () => before + after.slice(0, 1) + here + after.slice(1),
    ]
    return slips[random(slips.length)]?.() ?? word
  })
}

const hexOf = (seed: number, digits: number) =>
  Array.from({ length: Math.ceil(digits / 8) }, (_, i) =>
    (Math.imul(seed + i + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0'),
  )
    .join('')
    .slice(0, digits)

/** What a terminal writes around the line that matters. */
export function wrappedInNoise(query: string, seed: number): string {
  const id = `${hexOf(seed, 8)}-${hexOf(seed + 1, 4)}-4${hexOf(seed + 2, 3)}-a${hexOf(seed + 3, 3)}-${hexOf(seed + 4, 12)}`
  const before = Array.from(
    { length: 12 },
    (_, i) =>
      `2031-04-${10 + i}T0${i % 10}:12:${20 + i}.${100 + i}Z [${3000 + seed + i}] 0x${hexOf(seed * 31 + i, 12)} 0x${hexOf(seed * 17 + i, 8)}`,
  )
  const after = [
    `[=========>          ] ${seed % 100}% 12.${seed % 10} MB/s`,
    `/tmp/x${hexOf(seed + 9, 6)}/${hexOf(seed + 8, 16)}`,
    ...Array.from(
      { length: 8 },
      (_, i) => `    at 0x${hexOf(seed + i, 12)} (node:internal/x:${i}:${seed % 80})`,
    ),
  ]
  return [...before, id, query, ...after].join('\n')
}

/** The same said three times, as a retry loop writes it. */
export const repeatedThrice = (query: string): string => [query, query, query].join('\n')
