interface Waiting<Asked, Told> {
  readonly asked: Asked;
  resolve(told: Told): void;
  reject(error: unknown): void;
}

/**
 * Does in few goes what is asked for one by one. What comes while one go is under way joins the next, so each begins
 * after it was asked for, and under load one statement, or one commit, serves many.
 */
export class Batcher<Asked, Told> {
  private waiting: Waiting<Asked, Told>[] = [];
  private running = false;

  constructor(
    private readonly mostAtOnce: number,
    /** Gives an answer for each, in its place. */
    private readonly work: (asked: readonly Asked[]) => Promise<readonly Told[]>,
  ) {}

  add(asked: Asked): Promise<Told> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      // Requests that have come over several connections at the same moment go together.
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.waiting.splice(0, this.mostAtOnce);
      try {
        const told = await this.work(now.map((one) => one.asked));
        for (const [index, one] of now.entries()) one.resolve(told[index] as Told);
      } catch (error) {
        for (const one of now) one.reject(error);
      }
    }
    this.running = false;
  }
}
