import type { Measured } from './plot.ts'

const cells = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`

/** What was measured as a page of documentation. */
export function page(measured: readonly Measured[], note: string): string {
  const kinds = Object.keys(measured[0]?.latency ?? {})
  const head = [
    'engine',
    'cards and events',
    ...kinds.map((kind) => `${kind}, ms`),
    'resident MB',
    'disk MB',
    'start ms',
  ]
  const rows = measured.map(({ engine, size, latency, residentMegabytes, diskMegabytes, startMs }) => [
    engine,
    size.toLocaleString('en'),
    ...kinds.map((kind) => {
      const { p50 = Number.NaN, p95 = Number.NaN } = latency[kind] ?? {}
      return `${p50.toFixed(1)} / ${p95.toFixed(1)}`
    }),
    Math.round(residentMegabytes),
    Math.round(diskMegabytes),
    Math.round(startMs),
  ])
  return `# Growth on one machine

Made by \`npm run bench:growth\`: p50 / p95 of one client, one request after the other, through
HTTP; the resident size of the one worker after all of them; the size of the vault on disk.
${note}.

${[head, head.map(() => '---'), ...rows].map(cells).join('\n')}

![Latency, memory and disk as cards and events grow](growth.svg)
`
}
