import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { type TestDatabase } from './test-database.js';

interface Sent {
  readonly text: string;
  readonly sender: string | undefined;
}

const senders = new AsyncLocalStorage<string>();

export interface Timer {
  readonly everyMs: number;
  readonly run: () => unknown;
}

/** Collects the timers that the start of a service sets. What they send is known as sent by a timer. */
export async function timersOf<T>(start: () => Promise<T>): Promise<{ readonly started: T; readonly timers: Timer[] }> {
  const timers: Timer[] = [];
  const original = globalThis.setInterval;
  globalThis.setInterval = ((run: () => unknown, everyMs: number) => {
    timers.push({ run, everyMs });
    return original(() => senders.run('timer', run), everyMs);
  }) as typeof original;
  try {
    return { started: await start(), timers };
  } finally {
    globalThis.setInterval = original;
  }
}

/** Records what a service of this process sends to the server, each message as one statement: BEGIN has the settings of its transaction. */
export class SentStatements {
  private sent: Sent[] = [];
  private readonly original = pg.Client.prototype.query;

  /** Other services of this process have other databases. */
  constructor({ database: { appUrl } }: { readonly database: Pick<TestDatabase, 'appUrl'> }) {
    const name = decodeURIComponent(new URL(appUrl).pathname.slice(1));
    const record = (text: string) => this.sent.push({ text, sender: senders.getStore() });
    const { original } = this;
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [query] = args as [string | { readonly text?: string }];
      if ((this as pg.Client & { readonly database: string }).database === name)
        record((typeof query === 'string' ? query : query.text) ?? '');
      return Reflect.apply(original, this, args);
    } as typeof original;
  }

  get texts(): readonly string[] {
    return this.sent.map(({ text }) => text);
  }

  clear(): void {
    this.sent = [];
  }

  /** The statements of the work, by their first words, without those of timers; nothing else may send meanwhile. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    this.clear();
    await work();
    return this.sent.filter(({ sender }) => sender !== 'timer').map(({ text }) => firstWords(text));
  }

  /** The statements of the work alone, by their first words. */
  async by(sender: string, work: () => unknown): Promise<string[]> {
    await senders.run(sender, work);
    return this.sent.filter((sent) => sent.sender === sender).map(({ text }) => firstWords(text));
  }

  stop(): void {
    pg.Client.prototype.query = this.original;
  }
}

function firstWords(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 160);
}
