const number = new Intl.NumberFormat('en')
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

export const formatNumber = (value: number) => number.format(value)
export const formatDay = (iso: string) => day.format(new Date(iso))
export const formatTime = (iso: string) => minute.format(new Date(iso))
export const formatClock = (iso: string) => clock.format(new Date(iso))
export const plural = (count: number, one: string, many = `${one}s`) =>
  `${number.format(count)} ${count === 1 ? one : many}`
export const credits = (count: number) => plural(count, 'credit')

const steps: [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [86_400 * 14, 'day', 86_400],
]

/** "4 min. ago" while that helps, the date after two weeks. */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (now - Date.parse(iso)) / 1000
  if (seconds < 45) return 'just now'
  for (const [limit, unit, size] of steps)
    if (seconds < limit) return relative.format(-Math.max(1, Math.round(seconds / size)), unit)
  return formatDay(iso)
}

export const money = (cents: number, currency: string) =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: cents % 100 ? 2 : 0,
  }).format(cents / 100)
