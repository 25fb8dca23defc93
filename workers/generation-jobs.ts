import { type GenerateStatements } from '#src/app/generate-operation.js';
import { type Caller, maySee } from '#src/kernel/caller.js';
import { Failure } from '#src/kernel/failure.js';
import { findStoredCaller } from '#src/people/reps/find-stored-caller.js';
import { type Transaction, type UnitOfWork, withTransactionHooks } from '#src/platform/database/unit-of-work.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { completeStoredJob, postponeStoredJob } from '#src/platform/stored-jobs/stored-job-store.js';
import { type Outcome, type Outcomes } from '#src/statements/generate-many.js';
import { nextGenerationReps, recordGenerated } from '#src/statements/generation-jobs/generation-job-store.js';
import { type InsertedVersion } from '#src/statements/statement-store.js';
import { type LeasedWrite } from './leased-job-runner.js';
import { pauseInOutageMs, StoredJobs } from './stored-jobs.js';

/** People of one call: two batches of `generateMany`, which run at the same time. */
const partSize = 200;
/** The error of a statement that was not generated because the database could not be reached. */
const unreachable = 'database_unavailable';

type Job = ClaimedJob<unknown>;

/** Generates the statements that were requested. A version and the record of it are one transaction. */
export class GenerationJobs extends StoredJobs<unknown> {
  readonly name = 'generation';
  readonly failureMessage = 'The generation ended because of an error of the service. Generate the statements again.';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly generate: GenerateStatements,
  ) {
    super();
  }

  /** The rights of who requested the statements are read again in each run. */
  protected async performSlice(job: Job, write: LeasedWrite, isOver: () => boolean): Promise<boolean> {
    const { workspaceId } = job;
    const caller = await this.unitOfWork.read({ workspaceId }, (tx) => findStoredCaller(tx, job.caller));
    if (caller === null)
      throw new Failure('forbidden', 'Who requested the statements is no longer allowed to generate them.');
    while (!isOver()) {
      const repIds = await write((tx) => nextGenerationReps(tx, job, partSize));
      if (repIds.length === 0) {
        await write((tx) => completeStoredJob(tx, job));
        return true;
      }
      const outcomes = [...(await this.generatePart(job, repIds, caller))];
      const decided = outcomes.filter(([, outcome]) => !isOutage(outcome));
      await write((tx) => recordGenerated(tx, job, new Map(decided)));
      if (decided.length === outcomes.length) continue;
      await write((tx) => postponeStoredJob(tx, job, pauseInOutageMs, 0));
      return true;
    }
    return false;
  }

  private async generatePart(job: Job, repIds: readonly string[], caller: Caller): Promise<Outcomes> {
    const outside = repIds.filter((repId) => !maySee(caller, repId));
    const ofTeam = repIds.filter((repId) => maySee(caller, repId));
    const recording = withTransactionHooks(caller, {
      beforeCommit: (tx, result) => recordPart(tx, job, result),
    });
    const outcomes: Outcomes = ofTeam.length === 0 ? new Map() : await this.generate(job.period, ofTeam, recording);
    for (const repId of outside) outcomes.set(repId, { error: 'forbidden' });
    return outcomes;
  }
}

/** Records the statements that the transaction generates. Rolls it back if another worker has generated one meanwhile. */
async function recordPart(tx: Transaction, job: Job, result: unknown): Promise<void> {
  const outcomes = outcomesOf(result);
  if ((await recordGenerated(tx, job, outcomes)) < outcomes.size)
    throw new Error('another worker has generated these statements');
}

/** The outcomes of a transaction of `generateMany`, which generates statements together or that of one rep. */
function outcomesOf(result: unknown): Outcomes {
  if (result instanceof Map) return result as Outcomes;
  if (typeof result !== 'object' || result === null || !('statementId' in result)) return new Map();
  const { repId, version, statementId, summary } = result as InsertedVersion;
  return new Map([[repId, { statement: { repId, version, statementId, netPayout: Number(summary.netPayout) } }]]);
}

function isOutage(outcome: Outcome): boolean {
  return 'error' in outcome && outcome.error === unreachable;
}
