import { setImmediate } from 'node:timers/promises'

/**
 * Returns a function to await between pieces of long work: it resolves at once while the slice lasts, else after one
 * iteration of the event loop, so that other requests are answered meanwhile.
 */
export function makeYielder(sliceMs = 10): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < sliceMs) return
    await setImmediate()
    began = performance.now()
  }
}
