/** Every decision and every response of an episode in order, for the report of a failure. */
export class EpisodeLog {
  readonly lines: string[] = [];
  private readonly start = performance.now();

  add(actor: string, what: string): void {
    this.lines.push(`${String(Math.round(performance.now() - this.start)).padStart(6)} ${actor}: ${what}`);
  }
}

/** A violated invariant. It ends the episode. */
export class Violation extends Error {
  override readonly name = 'Violation';

  constructor(
    readonly invariant: string,
    description: string,
  ) {
    super(`${invariant}: ${description}`);
  }
}
