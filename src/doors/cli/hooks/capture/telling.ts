import { bothEnds } from '../failures.ts'

/** The part of an output that says what happened: its two ends, where tools put their verdict. */
export const telling = (output: string, most: number): string => bothEnds(output.trim(), most)
