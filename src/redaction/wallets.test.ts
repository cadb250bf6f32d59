import { expect, test } from 'vitest'
import { redact } from './redact.ts'

const WORDS =
  'ripple anchor velvet quantum orbit maple thunder canyon pistol gravity lemon harvest dolphin museum ticket'.split(
    ' ',
  )
const twelve = WORDS.slice(0, 12)

test('the words of a wallet behind their name', () => {
  for (const words of [twelve, WORDS]) {
    const phrase = words.join(' ')
    for (const write of [
      (value: string) => `mnemonic: ${value}\nnext`,
      (value: string) => `MNEMONIC="${value}"`,
      (value: string) => `{"seedPhrase":"${value}","n":1}`,
      (value: string) => `my seed phrase is ${value}.`,
      (value: string) => `**Recovery phrase:**\n\n${value}\n`,
    ])
      expect(redact(write(phrase)).text).toBe(write('<SEED_PHRASE>'))
  }
  for (const text of [
    `seed phrase:\n${twelve.map((word, at) => `${at + 1}. ${word}`).join('\n')}`,
    `mnemonic = ["${twelve.join('", "')}"]`,
  ])
    for (const word of twelve) expect(redact(text).text).not.toContain(word)
})

test('sentences about them, samples and other lists stay', () => {
  for (const text of [
    'mnemonic: the first letters make a name that one can remember well enough',
    'seed phrase: 12 words',
    `mnemonic = ${'test '.repeat(11)}junk`,
    `mnemonic: ${'abandon '.repeat(11)}about`,
    'mnemonics: add sub mul div mov push pop call ret jmp nop cmp',
    `seed phrase: ${WORDS.slice(0, 11).join(' ')}`,
    `words: ${twelve.join(' ')}`,
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})
