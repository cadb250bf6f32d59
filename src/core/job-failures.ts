import { Counter } from 'prom-client'

/** Of the whole process, as its other metrics. The log tells the reason; a number is what an alert can be set on. */
export const jobFailures = new Counter({
  name: 'job_failures_total',
  help: 'Executions of background jobs that failed, by job.',
  labelNames: ['job'],
  registers: [],
})
