import { isCommonStem } from '../../text/common-words.ts'
import { STOP_WORDS } from '../../text/stopwords.ts'

/** A file as the shell quotes it: with a folder, so that no word before a colon is one, and without a user. */
const PATH = String.raw`((?:[\w.~+-]{0,60}/)[\w./~@+-]{1,200})`
/** Which file was refused or is missing, as Node, Python, shells and Docker say it; and a port, which is no file. */
const FILES = [
  /\be(?:acces|perm|rofs|noent|busy|exist|isdir|notdir): [^,\n]{3,60}, \w{2,12} '([^'\n]{1,200})'/gi,
  /\[errno \d{1,3}\] [^:\n]{3,60}: '([^'\n]{1,200})'/gi,
  new RegExp(`(?<![\\w./~@+-])${PATH}['"’]?: (?:permission denied|no such file)`, 'gi'),
  new RegExp(`\\bpermission denied(?: \\w{1,20}){0,12}:? ['"]?(?:unix://)?${PATH}`, 'gi'),
  /\b(listen) eacces/gi,
]

/** The files that a text says are refused or missing. */
export const filesIn = (text: string): string[] =>
  FILES.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))

/** Parts that many paths and names have, whatever they are about. */
const COMMON_PARTS = new Set(
  `app apps bin build builds client code config core data dev dist etc file files home index json lib libs linux local log
  main module modules node npm opt out package packages path private project repo root run server share src srv system test
  tests tmp txt types user users usr util utils var work workspace yaml yml`.split(/\s+/),
)
const SHORTEST_PART = 3

const fileNameOf = (name: string): string => name.split(/[/\\]/).at(-1) ?? ''

const wordsIn = (text: string): string[] =>
  text
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/\d{1,3}$/, ''))
    .filter((word) => word.length >= SHORTEST_PART)

/** The words of a name without the number at their end, and the name of the file: of `/dev/ttyusb0` dev, ttyusb and ttyusb0. */
const wordsOfName = (name: string): string[] => [...wordsIn(name), fileNameOf(name)]

const saysLittle = (word: string) => COMMON_PARTS.has(word) || STOP_WORDS.has(word) || isCommonStem(word)

const FILE_NAME = /^.{2,}\.\w/

/** The words of a name that a text is about, too: also a whole file name, such as `package.json`. Both in small letters. */
function subjectWords(name: string, about: string): string[] {
  const said = new Set(wordsIn(about))
  const words = wordsIn(name).filter((word) => said.has(word) && !saysLittle(word))
  const file = fileNameOf(name)
  return FILE_NAME.test(file) && about.includes(file) ? [...words, file] : words
}

/** The title speaks of a part of the name, as of `coverage` in `/app/coverage/lcov.info`, that no asked name has. */
export function speaksOfAnother(names: readonly string[], other: string, title: string): boolean {
  const subject = subjectWords(other, title)
  return subject.length > 0 && !names.flatMap(wordsOfName).some((word) => subject.includes(word))
}
