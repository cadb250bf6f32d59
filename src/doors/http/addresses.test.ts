import { expect, test } from 'vitest'
import { Addresses } from './not-found.ts'

const addresses = new Addresses()
addresses.add('/', ['GET'])
addresses.add('/cards', ['GET'])
addresses.add('/cards', ['POST'])
addresses.add('/cards/:card_id', ['GET', 'DELETE'])
addresses.add('/cards/stats', ['GET'])
addresses.add('/cards/:id/links', ['POST'])
addresses.add('/cards/stats/days/:day', ['GET'])

const at = (path: string) => [...(addresses.methodsAt(path) ?? [])].join()

test('an address has all its methods, with or without a slash at its end', () => {
  expect([at('/'), at('/cards'), at('/cards/')]).toEqual(['GET', 'GET,POST', 'GET,POST'])
})

test('a word goes before a name, and a name where the word leads nowhere', () => {
  expect([at('/cards/stats'), at('/cards/7'), at('/cards/7/')]).toEqual(['GET', 'GET,DELETE', 'GET,DELETE'])
  expect([at('/cards/stats/links'), at('/cards/stats/days/1')]).toEqual(['POST', 'GET'])
})

test('other addresses have none', () => {
  for (const path of ['/card', '/cards/7/8', '/cards//links', '/cards/stats/days', '/constructor'])
    expect(addresses.methodsAt(path), path).toBeUndefined()
})

test('a word hides the methods that the name in its stead has and it has not', () => {
  expect([...addresses.hiding(['GET', 'POST', 'DELETE'])]).toEqual([
    { url: '/cards/stats', hidden: ['DELETE'] },
  ])
})
