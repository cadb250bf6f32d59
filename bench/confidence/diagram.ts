import { areaUnderCurve, binsOf, expectedCalibrationError, type Judged } from './measures.ts'

const SIDE = 360
const LEFT = 56
const TOP = 44

const x = (value: number) => LEFT + value * SIDE
const y = (value: number) => TOP + SIDE - value * SIDE

/** Reliability: y is the share of best hits with a score around x whose query has its card in the vault. */
export function drawReliability(judged: readonly Judged[]): string {
  const bins = binsOf(judged).filter(({ count }) => count > 0)
  const bars = bins.map(
    ({ from, count }) =>
      `<rect x="${x(from) + 2}" y="${y(count).toFixed(1)}" width="${SIDE / 10 - 4}" height="${(count * SIDE).toFixed(1)}" fill="#cbd5e1"/>`,
  )
  const dots = bins.map(
    ({ score, share }) =>
      `<circle cx="${x(score).toFixed(1)}" cy="${y(share).toFixed(1)}" r="4" fill="#2563eb"/>`,
  )
  const line = bins.map(({ score, share }) => `${x(score).toFixed(1)},${y(share).toFixed(1)}`).join(' ')
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((tick) => [
    `<text x="${x(tick)}" y="${y(0) + 18}" text-anchor="middle">${tick}</text>`,
    `<text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
    `<line x1="${LEFT}" x2="${x(1)}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e2e8f0"/>`,
  ])
  const figures = `AUC ${areaUnderCurve(judged).toFixed(3)}, expected calibration error ${expectedCalibrationError(judged).toFixed(3)}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + SIDE + 24} ${TOP + SIDE + 48}" font-family="system-ui, sans-serif" font-size="12" fill="#334155"><title>Search confidence, said and true</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${LEFT}" y="18" font-size="14" font-weight="600">Search confidence: said and true</text>
<text x="${LEFT}" y="34">${figures}; bars: share of the queries</text>
${ticks.join('\n')}
${bars.join('\n')}
<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#94a3b8" stroke-dasharray="4 4"/>
<polyline points="${line}" fill="none" stroke="#2563eb" stroke-width="2"/>
${dots.join('\n')}
<text x="${x(0.5)}" y="${TOP + SIDE + 40}" text-anchor="middle">score of the best result</text>
<text transform="translate(14 ${y(0.5)}) rotate(-90)" text-anchor="middle">queries whose card is in the vault</text>
</svg>
`
}
