/** Where `number` stands in sorted numbers, or -1. */
export function positionOf(numbers: ArrayLike<number>, number: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = numbers[middle] as number
    if (found === number) return middle
    if (found < number) low = middle + 1
    else high = middle - 1
  }
  return -1
}
