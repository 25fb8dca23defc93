interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Runs single items in batches. Items that arrive during a batch join the next one, so the work on an item begins
 * after the item was added. Under load one statement, or one commit, serves many items.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;

  constructor(
    private readonly maxBatchSize: number,
    /** Returns one result for each item, in the order of the items. */
    private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      // Lets requests that arrived on several connections at the same moment join one batch.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.waiting.splice(0, this.maxBatchSize);
      try {
        const results = await this.work(batch.map((entry) => entry.item));
        for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result);
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.running = false;
  }
}
