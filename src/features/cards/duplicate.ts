/** Two cards that share this part of their shingles (three words in a row) are duplicates. */
export const DUPLICATE = 0.8
/** From this share on, two cards are near copies: a person is shown both, and a near copy of one's own card earns nothing. */
export const SIMILAR = 0.5
