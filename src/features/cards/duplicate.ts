/** How alike two cards are, by the shingles (three words in a row) that they share: from here on they say the same. */
export const DUPLICATE = 0.8
/** From here on they are worth comparing; a near copy of one's own card earns nothing. */
export const SIMILAR = 0.5
