/**
 * A search may ask for a thousand hits, and each may be very long. So their texts are read in steps, up to a number of
 * characters; what is beyond is not shown.
 */
export const READ_AT_ONCE = 25
export const MOST_CHARACTERS = 4 * 1024 * 1024
