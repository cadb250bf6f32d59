/** Logistic regression by Newton's method, with a small penalty so that few samples do not make large coefficients. */
export type Sample = { x: readonly number[]; label: 0 | 1; weight: number }

const ROUNDS = 30
const PENALTY = 0.5

export const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z))
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * (b[i] as number), 0)

/** Gaussian elimination; the matrices here are small and positive definite. */
function solve(matrix: number[][], vector: number[]): number[] {
  const n = vector.length
  const rows = matrix.map((row, i) => [...row, vector[i] as number])
  for (let i = 0; i < n; i++) {
    const pivot = rows[i] as number[]
    for (let k = i + 1; k < n; k++) {
      const row = rows[k] as number[]
      const factor = (row[i] as number) / (pivot[i] as number)
      for (let j = i; j <= n; j++) row[j] = (row[j] as number) - factor * (pivot[j] as number)
    }
  }
  const result = new Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    const row = rows[i] as number[]
    let sum = row[n] as number
    for (let j = i + 1; j < n; j++) sum -= (row[j] as number) * (result[j] as number)
    result[i] = sum / (row[i] as number)
  }
  return result
}

/** Coefficients for the features as given; the first feature of each sample is the constant 1. */
export function fitLogistic(samples: readonly Sample[]): number[] {
  const size = samples[0]?.x.length ?? 0
  let beta = new Array<number>(size).fill(0)
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = beta.map((value, i) => (i === 0 ? 0 : -PENALTY * value))
    const curvature = beta.map((_, i) => beta.map((_, j) => (i === j ? PENALTY + 1e-6 : 0)))
    for (const { x, label, weight } of samples) {
      const p = sigmoid(dot(x, beta))
      for (let i = 0; i < size; i++) {
        gradient[i] = (gradient[i] as number) + weight * (label - p) * (x[i] as number)
        const row = curvature[i] as number[]
        for (let j = 0; j < size; j++)
          row[j] = (row[j] as number) + weight * p * (1 - p) * (x[i] as number) * (x[j] as number)
      }
    }
    const step = solve(curvature, gradient)
    beta = beta.map((value, i) => value + (step[i] as number))
  }
  return beta
}
