import { chunk } from '#src/kernel/chunk.js';

export interface Delivery {
  readonly targetUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends the request and returns the status; 0 if there was no connection. */
export async function deliver({ targetUrl, headers, body }: Delivery): Promise<number> {
  try {
    const response = await fetch(targetUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Events that the vendor has not delivered yet. Tests take the signed deliveries to shuffle, repeat or forge them. */
export class Deliveries<Event> {
  private pending: Event[] = [];

  constructor(
    private readonly sign: (events: readonly Event[]) => Delivery,
    /** Number of events per body. */
    private readonly batchSize: () => number = () => 1,
  ) {}

  add(...events: Event[]): void {
    this.pending.push(...events);
  }

  /** Signs and returns all pending deliveries; nothing is pending afterwards. */
  take(): Delivery[] {
    return this.takeBatches().map((events) => this.sign(events));
  }

  /** Sends pending deliveries in order. Deliveries without a 2xx response stay pending, as vendors retry. */
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
    const batches = chunk(this.pending, this.batchSize());
    this.pending = [];
    return batches;
  }
}
