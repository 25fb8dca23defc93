import { type Day, type DayRange } from '../kernel/day.js';
import { inParallel } from '../kernel/waiting.js';
import { loadTeams, type TeamMember } from '../ledger/input/hierarchy.js';
import { listCompetitors, loadRankings, peerCreditsIn, type Rankings } from '../ledger/input/load-window.js';
import { type LoadedRepInput, loadRepInputs } from '../ledger/input/rep-input.js';
import { hasCascades, type RepTerms } from '../ledger/input/rep-terms.js';
import { buildRepBatches } from '../ledger/lanes/lane-batches.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { compareWithStored, type RepMoves } from './moved-rows.js';
import { type TeamInputs } from './team-calculation.js';

/** The inputs of the lanes under the given terms. The results are the differences that the lanes would write. */
export class StoredInputs implements TeamInputs<LoadedRepInput, RepMoves> {
  readonly toEarnings = compareWithStored;

  private constructor(
    private readonly tx: Transaction,
    private readonly terms: ReadonlyMap<string, RepTerms>,
    readonly window: DayRange,
    private readonly asOf: Day,
    readonly teams: ReadonlyMap<string, readonly TeamMember[]>,
    readonly rankings: Rankings,
  ) {}

  static async prepare(
    tx: Transaction,
    terms: ReadonlyMap<string, RepTerms>,
    window: DayRange,
    asOf: Day,
  ): Promise<StoredInputs> {
    const all = [...terms.values()];
    const managers = all.filter(hasCascades).map(({ repId }) => repId);
    const [teams, rankings] = await inParallel(
      () => loadTeams(tx, managers),
      () => loadRankings(tx, all, window),
    );
    return new StoredInputs(tx, terms, window, asOf, teams, rankings);
  }

  /** The database reads the next batch during the calculation of this one. */
  async *load(repIds: readonly string[]): AsyncGenerator<LoadedRepInput[]> {
    const { tx, window } = this;
    const batches = await buildRepBatches(tx, repIds, [...this.teams.keys()], window);
    let next = batches[0] === undefined ? null : this.loadBatch(batches[0]);
    for (const [index] of batches.entries()) {
      const inputs = (await next) ?? [];
      const following = batches[index + 1];
      next = following === undefined ? null : this.loadBatch(following);
      yield inputs;
    }
  }

  private loadBatch(repIds: readonly string[]): Promise<LoadedRepInput[]> {
    const windows = repIds.map((repId) => ({ terms: this.terms.get(repId) as RepTerms, window: this.window }));
    const inputs = loadRepInputs(this.tx, windows, this.asOf, { explain: false });
    // The error is thrown where the inputs are awaited.
    inputs.catch(() => undefined);
    return inputs;
  }

  peerCredits({ repId }: LoadedRepInput, rankings: Rankings): LoadedRepInput['peerCredits'] {
    return peerCreditsIn(rankings, repId);
  }

  competitors(planId: string): string[] {
    return listCompetitors([...this.terms.values()], planId);
  }
}
