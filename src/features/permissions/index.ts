export {
  domainAllowed,
  hasRole,
  isProven,
  mayKnowOf,
  type Policy,
  PolicyJson,
  policyOf,
  publishingTarget,
  RoleName,
  requireAllowedDomain,
  requireProvenDomain,
  requireRole,
  requireVisible,
  roleIn,
  roleOf,
} from './permissions.ts'
export { isBanned, isClearedFor, refuseHidden, requireMayPublish, requireMaySpeakOf } from './sanctions.ts'
