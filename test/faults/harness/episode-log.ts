/** Every decision and every answer of an episode in order, to be read when it has failed. */
export class EpisodeLog {
  readonly lines: string[] = [];
  private readonly start = performance.now();

  add(actor: string, what: string): void {
    this.lines.push(`${String(Math.round(performance.now() - this.start)).padStart(6)} ${actor}: ${what}`);
  }
}

/** Something that must never be so: the episode ends with it. */
export class Violation extends Error {
  override readonly name = 'Violation';

  constructor(
    readonly invariant: string,
    told: string,
  ) {
    super(`${invariant}: ${told}`);
  }
}
