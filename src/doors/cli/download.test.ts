import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { download, readSmall } from './library-download.ts'

const server = createServer((_, answer) => answer.writeHead(204).end())
let address: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test('an answer without a body ends the pull, which would wait for it forever', async () => {
  await expect(readSmall(address)).rejects.toThrow(`${address} answered 204.`)
  await expect(download(address, 'never-written')).rejects.toThrow(`${address} answered 204.`)
})
