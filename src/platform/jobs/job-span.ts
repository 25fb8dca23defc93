/** Runs a job inside of something: a span of a trace, when traces are on. */
export type AroundJob = <T>(job: string, work: () => Promise<T>) => Promise<T>;

let around: AroundJob = (_job, work) => work();

/** Called before the service starts, by what is loaded ahead of it to trace it. */
export function traceJobs(by: AroundJob): void {
  around = by;
}

export function inJobSpan<T>(job: string, work: () => Promise<T>): Promise<T> {
  return around(job, work);
}
