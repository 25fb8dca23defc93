import { type CrmTiming } from '#src/crm/adapters/http.js';

/** Time that advances only during sleeps; the fake servers use the same clock. */
export class SleptTime implements CrmTiming {
  readonly slept: number[] = [];
  timeoutMs = 200_000;
  readonly retryMs = 500;
  private current = Date.parse('2026-11-21T10:00:00.000Z');

  readonly now = (): number => this.current;

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.current += ms;
  }

  /** The maximum of every backoff. */
  random(): number {
    return 1;
  }

  pass(ms: number): void {
    this.current += ms;
  }
}
