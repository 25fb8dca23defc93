import { LRUCache } from 'lru-cache';
import { toNetwork, tooManyAttempts } from './attempt-limits.js';

const maxNetworks = 10_000;
const windowMs = 60_000;

/**
 * Limits the requests without a token by network address, in the memory of each process: a rejected request costs
 * neither the reading of its body nor a database statement.
 */
export class AddressLimit {
  private readonly windows = new LRUCache<string, { requests: number; readonly endsAt: number }>({ max: maxNetworks });

  constructor(private readonly perMinute: number) {}

  /** Counts a request; rejects it if the network has exceeded its limit. */
  admit(address: string): void {
    const network = toNetwork(address);
    const now = performance.now();
    const current = this.windows.get(network);
    if (current === undefined || current.endsAt <= now) {
      this.windows.set(network, { requests: 1, endsAt: now + windowMs });
      return;
    }
    current.requests += 1;
    if (current.requests > this.perMinute) throw tooManyAttempts(Math.ceil((current.endsAt - now) / 1000));
  }
}
