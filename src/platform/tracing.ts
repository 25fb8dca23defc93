/** The interface of the tracer, which is loaded before the service. The service depends on nothing else of it. */
interface Tracer {
  inJobSpan<T>(job: string, work: () => Promise<T>): Promise<T>;
  /** Sends the remaining spans. Called last in a shutdown. */
  flush(): Promise<void>;
}

let tracer: Tracer | null = null;

export function setTracer(newTracer: Tracer): void {
  tracer = newTracer;
}

export function inJobSpan<T>(job: string, work: () => Promise<T>): Promise<T> {
  return tracer === null ? work() : tracer.inJobSpan(job, work);
}

export async function flushTraces(): Promise<void> {
  await tracer?.flush();
}
