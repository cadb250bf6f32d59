/** The text form of Prometheus, put together from several processes. */

/** What one process has measured. */
export type ProcessMetrics = { worker: number; text: string }

type Family = { head: string[]; isSummed: boolean; samples: Map<string, string> }

const isSummedType = (type: string | undefined) => type === 'counter' || type === 'histogram'

const withLabel = (series: string, label: string) =>
  series.includes('{') ? series.replace('{', `{${label},`) : `${series}{${label}}`

/** Adds up what only grows; for everything else each process has a line, named by `worker`. */
class Sums {
  readonly #families = new Map<string, Family>()

  add(text: string, worker?: number): void {
    let family: Family | undefined
    let help = ''
    for (const line of text.split('\n')) {
      const [, kind, name = '', type] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
      if (kind === 'HELP') help = line
      else if (kind === 'TYPE') family = this.#family(name, [help, line], isSummedType(type))
      else if (line !== '' && family) addSample(family, line, worker)
    }
  }

  #family(name: string, head: string[], isSummed: boolean): Family {
    const known = this.#families.get(name)
    if (known) return known
    const made = { head, isSummed, samples: new Map() }
    this.#families.set(name, made)
    return made
  }

  toString(): string {
    const blocks = Array.from(this.#families.values(), ({ head, samples }) =>
      samples.size === 0 ? [] : [...head, ...Array.from(samples, (sample) => sample.join(' ')), ''],
    )
    return blocks.flat().join('\n')
  }
}

/** The value is what follows the last space: labels may hold spaces themselves. */
function addSample({ isSummed, samples }: Family, line: string, worker: number | undefined): void {
  const end = line.lastIndexOf(' ')
  const series = line.slice(0, end)
  const value = line.slice(end + 1)
  if (isSummed) samples.set(series, String(Number(samples.get(series) ?? 0) + Number(value)))
  else if (worker !== undefined) samples.set(withLabel(series, `worker="${worker}"`), value)
}

/** Counters and histograms as sums, also of processes that have ended: a sum that falls would be taken for a restart. */
export function sumMetrics(processes: readonly ProcessMetrics[], ended: string): string {
  const sums = new Sums()
  sums.add(ended)
  for (const { worker, text } of processes) sums.add(text, worker)
  return sums.toString()
}

/** What stays of a process that has ended: what it counted. */
export const addCounters = (ended: string, text: string): string => {
  const sums = new Sums()
  for (const counted of [ended, text]) sums.add(counted)
  return sums.toString()
}
