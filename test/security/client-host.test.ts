import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { clientHost, hostOf, trustIn } from '../../src/doors/http/connections.ts'

const hostBehind = (trust: string, socket: string, forwarded?: string) =>
  clientHost(
    { socket: { remoteAddress: socket }, headers: { 'x-forwarded-for': forwarded } } as never,
    trustIn(readConfig({ TRUST_PROXY: trust }).trustProxy),
  )

test('addresses that a client claims itself are ignored, however many there are', () => {
  const claimed = '1.1.1.1, 2.2.2.2, 198.51.100.7'
  expect(hostBehind('off', '10.0.0.1', claimed)).toBe('10.0.0.1')
  expect(hostBehind('on', '10.0.0.1', claimed)).toBe('198.51.100.7')
  expect(hostBehind('1', '10.0.0.1', claimed)).toBe('198.51.100.7')
  expect(hostBehind('2', '10.0.0.1', claimed)).toBe('2.2.2.2')
  expect(hostBehind('10.0.0.0/8', '10.0.0.1', claimed)).toBe('198.51.100.7')
  expect(hostBehind('10.0.0.0/8, 198.51.100.7', '10.0.0.1', claimed)).toBe('2.2.2.2')
  expect(hostBehind('10.0.0.0/8', '203.0.113.9', claimed)).toBe('203.0.113.9')
  expect(hostBehind('3', '10.0.0.1', '198.51.100.7')).toBe('198.51.100.7')
})

test('a text that is not an address is ignored', () => {
  for (const forwarded of ['', 'unknown', '1.2.3', '1.2.3.4 evil', '<script>', '999.1.1.1', ','])
    expect(hostBehind('on', '10.0.0.1', forwarded), forwarded).toBe('10.0.0.1')
  expect(hostBehind('2', '10.0.0.1', 'forged, 198.51.100.7')).toBe('198.51.100.7')
  expect(hostBehind('on', '10.0.0.1', undefined)).toBe('10.0.0.1')
})

test('a port, brackets and IPv4 written as IPv6 are read', () => {
  expect(hostBehind('on', '::ffff:10.0.0.1', '198.51.100.7:4711')).toBe('198.51.100.7')
  expect(hostBehind('10.0.0.0/8', '::ffff:10.0.0.1', '::ffff:198.51.100.7')).toBe('198.51.100.7')
  expect(hostBehind('on', '::1', '[2001:db8:1:2:3:4:5:6]:4711')).toBe('2001:db8:1:2::/64')
  expect(hostBehind('fd00::/8', 'fd00::1', '2001:db8::1')).toBe('2001:db8:0:0::/64')
})

test('IPv6 counts by the network that one household has', () => {
  expect(hostOf('2001:DB8:0001:2::1')).toBe('2001:db8:1:2::/64')
  expect(hostOf('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(hostOf('2001:db8:1:2::'))
  expect(hostOf('2001:db8:1:3::1')).not.toBe(hostOf('2001:db8:1:2::1'))
  expect(hostOf('::1')).toBe('0:0:0:0::/64')
  expect(hostOf('192.0.2.1')).toBe('192.0.2.1')
})

test('a setting that means nothing is refused at the start', () => {
  for (const trust of ['yes', '0', '11', '10.0.0.0/33', '10.0.0.0/8/8', 'proxy.example.com', '10.0.0.1,'])
    expect(() => readConfig({ TRUST_PROXY: trust }), trust).toThrow(/TRUST_PROXY: must be on, off/)
})
