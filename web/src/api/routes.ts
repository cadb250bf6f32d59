import * as account from './account.ts'
import * as billing from './billing.ts'
import * as cards from './cards.ts'
import * as comments from './comments.ts'
import * as firstSteps from './first-steps.ts'
import * as guide from './guide.ts'
import { deleteImage, listCardImages } from './images.ts'
import * as materials from './materials.ts'
import * as memory from './memory.ts'
import * as moderation from './moderation.ts'
import * as notices from './notices.ts'
import * as search from './search.ts'
import * as settings from './settings.ts'
import * as support from './support.ts'
import * as team from './team.ts'
import * as tickets from './tickets.ts'
import * as trust from './trust.ts'
import * as workspaces from './workspaces.ts'

/** Every call that the app makes; a test compares this list with /openapi.json. */
export const calls = {
  ...account,
  ...billing,
  ...cards,
  ...firstSteps,
  ...guide,
  ...comments,
  deleteImage,
  listCardImages,
  ...materials,
  ...memory,
  ...moderation,
  ...notices,
  ...search,
  ...settings,
  ...support,
  ...team,
  ...tickets,
  ...trust,
  ...workspaces,
}
