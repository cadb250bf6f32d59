import type { Trust } from '../../../api/types.ts'

const percent = (share: number) => Math.round(share * 100)
const at = (share: number) => `${share * 100}%`

/** The verdicts on a card in words, and how sure they are. */
export const TrustLine = ({ trust }: { trust: Trust }) => (
  <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
    <span>{trust.summary}</span>
    <TrustBar trust={trust} />
  </p>
)

/** The bar is the likely range; the mark is the best estimate. */
function TrustBar({ trust }: { trust: Trust }) {
  const [low, high] = [percent(trust.low), percent(trust.high)]
  const words = `Works for the next person with a chance of ${percent(trust.value)} %, likely between ${low} and ${high} %`
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className="inline-flex items-center gap-2 text-xs text-faint tabular-nums"
    >
      <span className="relative h-1.5 w-20 rounded-full bg-sunken">
        <span
          className="absolute inset-y-0 rounded-full bg-line-strong"
          style={{ left: at(trust.low), width: at(trust.high - trust.low) }}
        />
        <span
          className="absolute -inset-y-0.5 w-0.5 rounded-full bg-soft"
          style={{ left: at(trust.value) }}
        />
      </span>
      {low}–{high} %
    </span>
  )
}

/** For a row of a list: one line, or nothing without verdicts. */
export const TrustWords = ({ trust }: { trust: Trust | null }) =>
  trust && (
    <span className="mt-1 line-clamp-1 text-xs text-soft" title={trust.summary}>
      {trust.summary}
    </span>
  )
