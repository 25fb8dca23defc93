import { type RawBuilder, sql } from 'kysely';
import { isOutage } from '#src/platform/database/database-errors.js';
import { forEachWorkspace } from '#src/platform/database/each-workspace.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type Log } from '#src/platform/log.js';
import { type PeriodChecker } from '#src/statements/discrepancies/period-checker.js';
import { type SweptWork } from './sweep.js';

const overdue = '3 seconds';
const repsPerSweep = 50;

interface Due {
  readonly workspaceId: string;
  readonly repId: string;
}

/**
 * Carries out period checks whose wake-up was lost. Several workers may sweep at the same
 * time: of two results for the same checks one is stored.
 */
export class DiscrepancySweep implements SweptWork {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly checker: PeriodChecker,
    private readonly log: Log,
  ) {}

  due(): RawBuilder<unknown> {
    return sql`select from due_period_checks(${overdue}::interval, 1)`;
  }

  async run(stopping: AbortSignal): Promise<void> {
    const { rows } = await sql<Due>`
      select workspace_id as "workspaceId", rep_id as "repId"
      from due_period_checks(${overdue}::interval, ${repsPerSweep})`.execute(this.database);
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'period check not possible', stopping };
    await forEachWorkspace(rows, loop, (due) => this.check(due));
  }

  private async check({ workspaceId, repId }: Due): Promise<void> {
    try {
      await this.checker.run(workspaceId, repId);
    } catch (error) {
      if (isOutage(error)) throw error;
      this.log.warn({ err: error, workspaceId, repId }, 'period check failed; repeated in 10 seconds');
      await this.checker.postpone(workspaceId, repId);
    }
  }
}
