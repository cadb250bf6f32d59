import type { App } from '../../src/app.ts'
import { contextFor } from '../../src/core/context.ts'
import { grantAdmin } from '../../src/features/workspaces/admins.ts'

/** Makes somebody service admin, as `kvault admin grant` does. */
export const makeAdmin = ({ services }: App, email: string) => grantAdmin(contextFor(services), email)
