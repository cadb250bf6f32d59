const HIGHEST_LEVEL = 31
const LEVELS_PER_DOUBLING = 4

/** The level of a term that occurs in minor texts only. The other levels fill their five bits. */
export const MINOR_LEVEL = HIGHEST_LEVEL + 1
/** Of a term that occurs twice, or once in a text of double weight. */
export const PROMINENT_LEVEL = LEVELS_PER_DOUBLING
/** Notes and logs say the least. */
export const MINOR_WEIGHT = 0.75

const levelFor = (frequency: number) =>
  frequency < 1
    ? MINOR_LEVEL
    : Math.min(HIGHEST_LEVEL, Math.max(0, Math.round(LEVELS_PER_DOUBLING * Math.log2(frequency))))

const COMMON_LEVELS = Uint8Array.from({ length: 64 }, (_, frequency) => levelFor(Math.max(1, frequency)))

/** How often a term occurs, on a logarithmic scale of 32 steps: close enough for ranking, and it fits five bits. */
export const levelOf = (frequency: number): number => COMMON_LEVELS[frequency] ?? levelFor(frequency)

/** The frequency that each level stands for. The last one is `MINOR_LEVEL`. */
export const FREQUENCIES: readonly number[] = [
  ...Array.from({ length: HIGHEST_LEVEL + 1 }, (_, level) => 2 ** (level / LEVELS_PER_DOUBLING)),
  MINOR_WEIGHT,
]
