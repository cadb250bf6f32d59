import { expect, test } from 'vitest'
import { serverEvents } from './chat.tsx'

const streamOf = (...chunks: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })

const read = async (...chunks: string[]) => Array.fromAsync(serverEvents(streamOf(...chunks)))

test('events are read as they were sent', async () => {
  expect(await read('event: delta\ndata: {"text":"a"}\n\nevent: done\ndata: {}\n\n')).toEqual([
    { event: 'delta', data: '{"text":"a"}' },
    { event: 'done', data: '{}' },
  ])
})

test('an event cut anywhere between two chunks is still one event', async () => {
  const text = 'event: delta\r\ndata: {"text":"Grüße"}\r\n\r\n'
  const bytes = new TextEncoder().encode(text)
  for (let cut = 1; cut < bytes.length; cut++) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, cut))
        controller.enqueue(bytes.slice(cut))
        controller.close()
      },
    })
    expect(await Array.fromAsync(serverEvents(stream))).toEqual([
      { event: 'delta', data: '{"text":"Grüße"}' },
    ])
  }
})

test('heartbeats fall away and several data lines are one text', async () => {
  expect(await read(': still here\n\n', 'data: one\ndata: two\n\n')).toEqual([
    { event: 'message', data: 'one\ntwo' },
  ])
})

test('a last event without its blank line counts', async () => {
  expect(await read('event: done\ndata: {}')).toEqual([{ event: 'done', data: '{}' }])
})
