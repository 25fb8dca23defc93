import { type Caller, maySee } from '#src/kernel/caller.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type ItemOutcome, type JobItem, nextJobItems, recordOutcomes } from '#src/platform/stored-jobs/job-items.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { completeStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type LeasedWrite } from './leased-job-runner.js';
import { type SliceEnd, StoredJobs } from './stored-jobs.js';

/** The code of a person for whom nothing was decided because the database could not be reached. */
const unreachable = 'database_unavailable';

/**
 * Carries out what was requested for many people. The rights of who requested it are read again in each slice: the job
 * ends when they have lost them.
 */
export abstract class ItemJobs<Subject> extends StoredJobs<Subject> {
  /** People of one call. */
  protected abstract readonly partSize: number;
  protected abstract readonly lostRights: string;

  constructor(private readonly unitOfWork: UnitOfWork) {
    super();
  }

  protected async performSlice(job: ClaimedJob<Subject>, write: LeasedWrite, isOver: () => boolean): Promise<SliceEnd> {
    const caller = await this.requireCaller(job, this.unitOfWork, this.lostRights);
    while (!isOver()) {
      const items = await write((tx) => nextJobItems(tx, job, this.partSize));
      if (items.length === 0) {
        await write((tx) => completeStoredJob(tx, job));
        return 'completed';
      }
      const outcomes = await this.decideAll(job, items, caller);
      const decided = outcomes.filter(({ code }) => code !== unreachable);
      await write((tx) => recordOutcomes(tx, job, decided));
      if (decided.length < outcomes.length) return 'outage';
    }
    return 'continues';
  }

  private async decideAll(
    job: ClaimedJob<Subject>,
    items: readonly JobItem[],
    caller: Caller,
  ): Promise<readonly ItemOutcome[]> {
    const ofTeam = items.filter(({ repId }) => maySee(caller, repId));
    const outside = items.filter(({ repId }) => !maySee(caller, repId));
    const decided = ofTeam.length === 0 ? [] : await this.decide(job, ofTeam, caller);
    return [...outside.map(({ repId }) => ({ repId, ...outsideOfTeam })), ...decided];
  }

  /** Returns the outcomes that its transactions have not recorded. It may return the others too. */
  protected abstract decide(
    job: ClaimedJob<Subject>,
    items: readonly JobItem[],
    caller: Caller,
  ): Promise<readonly ItemOutcome[]>;
}

const outsideOfTeam = {
  outcome: 'failed',
  code: 'forbidden',
  message: 'This person is no longer in the team of who requested this.',
} as const;
