export const Logo = ({ size = 20 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
    <rect width="32" height="32" rx="8" className="fill-accent" />
    <path
      d="M9 10.5h14M9 16h14M9 21.5h8"
      className="stroke-on-accent"
      strokeWidth="2.5"
      strokeLinecap="round"
    />
    <circle cx="22.5" cy="21.5" r="2.25" className="fill-on-accent" />
  </svg>
)
