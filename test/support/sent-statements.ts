import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

interface Sent {
  readonly text: string;
  readonly sender: string | undefined;
}

/** Records what this process sends to the server, each message as one statement: BEGIN has the settings of its transaction. */
export class SentStatements {
  private sent: Sent[] = [];
  private readonly senders = new AsyncLocalStorage<string>();
  private readonly original = pg.Client.prototype.query;

  constructor() {
    const record = (text: string) => this.sent.push({ text, sender: this.senders.getStore() });
    const { original } = this;
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [query] = args as [string | { readonly text?: string }];
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

  /** The statements of the work, by their first words; nothing else may send meanwhile. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    this.clear();
    await work();
    return this.texts.map(firstWords);
  }

  /** The statements of the work alone, by their first words. */
  async by(sender: string, work: () => unknown): Promise<string[]> {
    await this.senders.run(sender, work);
    return this.sent.filter((sent) => sent.sender === sender).map(({ text }) => firstWords(text));
  }

  stop(): void {
    pg.Client.prototype.query = this.original;
  }
}

function firstWords(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 160);
}
