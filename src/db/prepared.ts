import type { Compilable, CompiledQuery, Expression } from 'kysely'
import { sql } from 'kysely'
import type { Db } from './db.ts'

class Parameter {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Stands in a query for a value that comes with each run. */
export type Named<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>

type Build<P, R> = (db: Db, parameter: Named<P>) => Compilable<R>

/**
 * A query for a hot path: built and compiled once per engine, then run with new values. Building and compiling
 * costs several times what the indexed look-up itself costs.
 */
export function prepared<P extends Record<string, unknown>, R>(build: Build<P, R>) {
  const compiled = new Map<unknown, CompiledQuery<R>>()
  return async (db: Db, values: P): Promise<R[]> => {
    const engine = db.getExecutor().adapter.constructor
    let query = compiled.get(engine)
    if (!query) {
      query = build(db, (name) => sql.val(new Parameter(name)) as never).compile()
      compiled.set(engine, query)
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name] : value,
    )
    const { rows } = await db.executeQuery<R>({ ...query, parameters })
    return rows
  }
}
