import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError, SessionOver } from '../api/client.ts'
import { cx } from '../lib/cx.ts'
import { NetworkError } from '../lib/reachable.ts'
import { useTitle } from '../lib/title.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

/** For a state that replaces a whole page: it names the page and the tab. */
type AsPage = { isPage?: boolean | undefined }

type EmptyProps = AsPage & {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  example?: ReactNode
}

function StateTitle({ title, isPage }: AsPage & { title: string }) {
  useTitle(isPage ? title : undefined)
  const Heading = isPage ? 'h1' : 'h2'
  return <Heading className="text-base font-semibold">{title}</Heading>
}

export function EmptyState({ icon, title, children, action, example, isPage }: EmptyProps) {
  return (
    <div className="mx-auto grid max-w-narrow justify-items-center gap-3 px-4 py-12 text-center">
      {icon && (
        <div className="grid size-10 place-items-center rounded-full bg-sunken text-faint">{icon}</div>
      )}
      <StateTitle title={title} isPage={isPage} />
      {children && <p className="text-sm text-soft">{children}</p>}
      {action}
      {example && (
        <div className="mt-2 w-full rounded-md bg-sunken px-3 py-2 text-left text-xs text-soft">
          {example}
        </div>
      )}
    </div>
  )
}

const SAFE: Record<number, string> = {
  401: 'You are signed out. Nothing was lost; sign in again to continue.',
  402: 'Nothing was charged.',
  403: 'Your role or key does not allow this.',
  404: 'It may have been removed, or it is not shared with you.',
}

/** Statuses that a retry cannot change. */
const isLasting = (status: number) => status === 403 || status === 404

/** An invalid id in the address: for the reader, nothing is there. */
const isNoAddress = ({ issues }: ApiError) =>
  issues.length > 0 && issues.every(({ loc: [part] }) => part === 'path')

export function ErrorState({
  error,
  onRetry,
  action,
  isPage,
}: AsPage & {
  error: unknown
  onRetry?: () => void
  action?: ReactNode
}) {
  const api = error instanceof ApiError ? error : null
  const isAway = error instanceof NetworkError
  const isWrong = api !== null && isNoAddress(api)
  const status = isWrong ? 404 : (api?.status ?? 0)
  const title =
    status === 404
      ? 'Not found'
      : api && status < 500 && status !== 429
        ? 'That is not possible'
        : 'This did not load'
  const message = isWrong
    ? 'Nothing has this address.'
    : error instanceof Error
      ? error.message
      : 'Something unexpected happened.'
  const note = api
    ? (SAFE[status] ??
      (status >= 500 ? 'Your data is safe. Try again; if it stays, quote the request id to support.' : ''))
    : isAway
      ? 'This page loads by itself when it is back.'
      : 'Your data is safe.'
  return (
    <div role="alert" className="mx-auto grid max-w-narrow justify-items-center gap-3 px-4 py-12 text-center">
      <div className="grid size-10 place-items-center rounded-full bg-bad-soft text-bad">
        <CircleAlert size={18} aria-hidden />
      </div>
      <StateTitle title={title} isPage={isPage} />
      <p className="text-sm text-soft">
        {message} {note}
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {onRetry && !isLasting(status) && <Button onClick={onRetry}>Try again</Button>}
        {action}
      </div>
      {api?.requestId && (
        <span className="text-faint">
          <RequestId id={api.requestId} />
        </span>
      )}
    </div>
  )
}

type RetryableQuery = { error: unknown; refetch: () => unknown }

/**
 * Stands where a query has no data yet: its skeleton, or the error. Once there is data, a failed refetch
 * removes nothing.
 */
export const NotLoaded = ({
  query,
  action,
  isPage,
  children,
}: AsPage & {
  query: RetryableQuery
  action?: ReactNode
  children: ReactNode
}) =>
  query.error ? (
    <ErrorState error={query.error} onRetry={() => void query.refetch()} action={action} isPage={isPage} />
  ) : (
    children
  )

/** For a small part of a page: it needs words, because people would take a gap for an empty list. */
export const PartNotLoaded = ({
  what,
  query,
  children,
}: {
  what: string
  query: RetryableQuery & { data: unknown }
  children?: ReactNode
}) =>
  query.error && !query.data ? (
    <Notice action={<Button onClick={() => void query.refetch()}>Try again</Button>}>
      {what} did not load.
    </Notice>
  ) : (
    children
  )

const RequestId = ({ id }: { id: string }) => (
  <span className="inline-flex items-center gap-1 font-mono text-xs [overflow-wrap:anywhere]">
    Request {id}
    <CopyButton text={id} label="Copy request id" />
  </span>
)

type NoticeTone = 'info' | 'ok' | 'warn' | 'bad'
const TONES: Record<NoticeTone, string> = {
  info: 'bg-sunken text-soft',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
}

export function Notice({
  tone = 'info',
  children,
  action,
}: {
  tone?: NoticeTone
  children: ReactNode
  action?: ReactNode
}) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={cx('flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md px-3 py-2 text-sm', TONES[tone])}
    >
      {tone !== 'info' && tone !== 'ok' && <TriangleAlert size={16} className="shrink-0" aria-hidden />}
      <div className="min-w-0 grow basis-40">{children}</div>
      {action}
    </div>
  )
}

/** A fault of the server has an id, which its sentence mentions and support asks for. */
export function ErrorText({ error }: { error: unknown }) {
  const id = error instanceof ApiError && error.status >= 500 ? error.requestId : null
  return (
    <>
      {error instanceof Error ? error.message : 'That did not work.'}
      {id && (
        <span className="block">
          <RequestId id={id} />
        </span>
      )}
    </>
  )
}

/** Shown above the button of a form. The end of the session is reported elsewhere. */
export const FormError = ({ error }: { error: unknown }) =>
  error && !(error instanceof SessionOver) ? (
    <Notice tone="bad">
      <ErrorText error={error} />
    </Notice>
  ) : null

export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden className={cx('h-3 animate-pulse rounded-sm bg-hover', className)} />
)

export function SkeletonList({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="grid gap-2.5 px-4 py-4">
          <Skeleton className={index % 2 ? 'w-1/2' : 'w-2/3'} />
          <Skeleton className="h-2.5 w-11/12" />
        </div>
      ))}
    </div>
  )
}

export function SkeletonPage({ narrow }: { narrow?: boolean }) {
  return (
    <div
      role="status"
      aria-label="Loading"
      className={cx('mx-auto w-full px-4 py-6 md:px-8', narrow ? 'max-w-reading' : 'max-w-page')}
    >
      <div className="grid max-w-reading gap-4">
        <Skeleton className="h-5 w-1/2" />
        <Skeleton className="w-full" />
        <Skeleton className="w-11/12" />
        <Skeleton className="w-2/3" />
        <Skeleton className="mt-4 h-24 w-full" />
      </div>
    </div>
  )
}
