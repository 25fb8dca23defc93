/** What may watch the service: it is loaded ahead of it, and the service knows no more of it than this. */
export interface Tracer {
  inJobSpan<T>(job: string, work: () => Promise<T>): Promise<T>;
  /** Sends what is left, at the very end. */
  flush(): Promise<void>;
}

let tracer: Tracer | null = null;

export function traceWith(given: Tracer): void {
  tracer = given;
}

export function inJobSpan<T>(job: string, work: () => Promise<T>): Promise<T> {
  return tracer === null ? work() : tracer.inJobSpan(job, work);
}

export async function flushTraces(): Promise<void> {
  await tracer?.flush();
}
