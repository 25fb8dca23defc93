import { type GenerateStatements } from '#src/app/generate-operation.js';
import { type Caller } from '#src/kernel/caller.js';
import { type Transaction, type UnitOfWork, withTransactionHooks } from '#src/platform/database/unit-of-work.js';
import { type ItemOutcome, type JobItem, recordOutcomes } from '#src/platform/stored-jobs/job-items.js';
import { type ClaimedJob } from '#src/platform/stored-jobs/stored-job.js';
import { type Outcome, type Outcomes } from '#src/statements/generate-many.js';
import { type InsertedVersion } from '#src/statements/statement-store.js';
import { ItemJobs } from './item-jobs.js';

/** Generates the statements that were requested. A version and the record of it are one transaction. */
export class GenerationJobs extends ItemJobs<unknown> {
  readonly name = 'generation';
  readonly failureMessage = 'The generation ended because of an error of the service. Generate the statements again.';
  /** Two batches of `generateMany`, which run at the same time. */
  protected readonly partSize = 200;
  protected readonly lostRights = 'Who requested the statements is no longer allowed to generate them.';

  constructor(
    unitOfWork: UnitOfWork,
    private readonly generate: GenerateStatements,
  ) {
    super(unitOfWork);
  }

  protected async decide(job: ClaimedJob, items: readonly JobItem[], caller: Caller): Promise<readonly ItemOutcome[]> {
    const recording = withTransactionHooks(caller, { beforeCommit: (tx, result) => recordPart(tx, job, result) });
    const repIds = items.map(({ repId }) => repId);
    return [...(await this.generate(job.period, repIds, recording))].map(toItemOutcome);
  }
}

/** Records the statements that the transaction generates. Rolls it back if another worker has generated one meanwhile. */
async function recordPart(tx: Transaction, job: ClaimedJob, result: unknown): Promise<void> {
  const outcomes = [...outcomesOf(result)].map(toItemOutcome);
  if ((await recordOutcomes(tx, job, outcomes)) < outcomes.length)
    throw new Error('another worker has generated these statements');
}

/** The outcomes of a transaction of `generateMany`, which generates statements together or that of one rep. */
function outcomesOf(result: unknown): Outcomes {
  if (result instanceof Map) return result as Outcomes;
  if (typeof result !== 'object' || result === null || !('statementId' in result)) return new Map();
  const { repId, version, statementId, summary } = result as InsertedVersion;
  return new Map([[repId, { statement: { repId, version, statementId, netPayout: Number(summary.netPayout) } }]]);
}

function toItemOutcome([repId, outcome]: readonly [string, Outcome]): ItemOutcome {
  if ('statement' in outcome) return { repId, outcome: 'done' };
  return 'reason' in outcome
    ? { repId, outcome: 'skipped', code: outcome.reason }
    : { repId, outcome: 'failed', code: outcome.error };
}
