/** Joins class names without falsy ones, so that conditions read as `cx('a', on && 'b')`. */
export const cx = (...names: (string | false | null | undefined)[]) => names.filter(Boolean).join(' ')
