import { partsOf } from '#src/kernel/parts-of.js';

/** A signed webhook request as it goes over the wire. */
export interface Delivery {
  readonly targetUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends it and answers with the status; 0 when nobody was there. */
export async function deliver({ targetUrl, headers, body }: Delivery): Promise<number> {
  try {
    const response = await fetch(targetUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Events that a vendor has yet to deliver. Tests take the signed deliveries to shuffle, double or forge them. */
export class Deliveries<Event> {
  private pending: Event[] = [];

  constructor(
    private readonly sign: (events: readonly Event[]) => Delivery,
    /** How many events go in one body. */
    private readonly batchSize: () => number = () => 1,
  ) {}

  add(...events: Event[]): void {
    this.pending.push(...events);
  }

  /** All that is pending, signed now; nothing is pending afterwards. */
  take(): Delivery[] {
    return this.takeBatches().map((events) => this.sign(events));
  }

  /** Sends what is pending, in order. What is not answered with 2xx stays pending, as vendors try again. */
  async flush(): Promise<number[]> {
    const statuses: number[] = [];
    const failed: Event[] = [];
    for (const events of this.takeBatches()) {
      const status = await deliver(this.sign(events));
      statuses.push(status);
      if (status < 200 || status > 299) failed.push(...events);
    }
    this.pending.unshift(...failed);
    return statuses;
  }

  private takeBatches(): Event[][] {
    const batches = partsOf(this.pending, this.batchSize());
    this.pending = [];
    return batches;
  }
}
