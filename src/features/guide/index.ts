export { aiGuide, GUIDE_VERSION, INSTRUCTIONS } from './ai-guide.ts'
export { commandPackages } from './command-package.ts'
export {
  type Guide,
  type GuideHit,
  type GuideSection,
  guide,
  guidePages,
  listGuide,
  readGuidePage,
  withAddress,
  withPageLinks,
} from './guide.ts'
export { isFollowUp } from './question-words.ts'
