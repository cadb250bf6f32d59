import { randomFrom } from './cards.ts'

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

/** Sentences to use when no folder of texts is given. */
export function builtInSentences(): string[] {
  const random = randomFrom(99)
  const pick = (list: readonly string[]) => list[random(list.length)] as string
  return Array.from(
    { length: 20_000 },
    () =>
      `The ${pick(SUBJECTS)} ${pick(VERBS)} ${pick(CONDITIONS)} in ${rareName(random)}; ${pick(REMEDIES)} and check the ${pick(SUBJECTS)}.`,
  )
}
