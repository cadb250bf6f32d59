import type { Method } from '../../core/capability.ts'
import type { Locate } from './errors.ts'
import { hasBody } from './routes.ts'

type Fields = {
  method: Method
  /** Fields of the path, with their names there. */
  pathFields: ReadonlyMap<string, string>
  queryFields: ReadonlySet<string>
}

/** Where a refused field stands in a request. */
export const locateIn =
  ({ method, pathFields, queryFields }: Fields): Locate =>
  (issue) => {
    // A request without fields in its body may have sent one all the same.
    if (issue.type === 'json_invalid') return ['body']
    const [field, ...rest] = issue.path
    if (typeof field === 'string') {
      const pathName = pathFields.get(field)
      if (pathName) return ['path', pathName, ...rest]
      if (queryFields.has(field)) return ['query', field, ...rest]
      if (field === 'Idempotency-Key') return ['header', field]
    }
    return [hasBody(method) ? 'body' : 'query', ...issue.path]
  }
