export {
  adoptKey,
  changeKey,
  type GivenKey,
  knownFingerprint,
  nameKey,
  OtherSecretKey,
  otherKey,
  type Resealed,
  withKeyLock,
} from './secret-key.ts'
