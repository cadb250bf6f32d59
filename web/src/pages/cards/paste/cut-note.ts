import { plural } from '../../../lib/format.ts'

const SHOWN_CUT = 60

/** Says how much of a paste was cut, and from where on; empty if all of it fitted. */
export const cutNote = (cut: string, maxLength: number): string =>
  cut === ''
    ? ''
    : `There is room for ${plural(maxLength, 'character')}. ${plural(cut.length, 'character')} at the end of the paste were cut, from “${cut.trim().slice(0, SHOWN_CUT)}” on.`
