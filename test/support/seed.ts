import fc from 'fast-check'

/**
 * The same samples in every run of `npm test`, so that it tells about the change and not about luck. The long rounds
 * (`npm run test:faults`) draw new ones; FC_SEED draws others here.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) })
