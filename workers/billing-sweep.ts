import { sql } from 'kysely';
import { type BillingIntake } from '#src/billing/billing-intake.js';
import { type BillingProvider } from '#src/billing/billing-provider.js';
import { type Clock } from '#src/kernel/clock.js';
import { forEachWorkspace } from '#src/platform/database/each-workspace.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { type Log } from '#src/platform/log.js';

const checksPerSweep = 200;
const recoverEvery = '10 minutes';
/** The provider lists an event a moment after the time that it carries. */
const overlapMs = 60 * 60_000;
/** The provider deletes older events. */
const maxAgeMs = 30 * 24 * 60 * 60_000;

/**
 * Stores the provider's events whose deliveries failed, and schedules a query of customers whose check is due.
 * Events that were delivered as well are recognised by their id.
 */
export class BillingSweep {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly provider: BillingProvider,
    private readonly intake: BillingIntake,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  async run(): Promise<void> {
    await this.checkDue();
    await this.recover();
  }

  private async checkDue(): Promise<void> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ workspaceId: string; customerId: string; dueAt: Date }>`
        select workspace_id as "workspaceId", customer_id as "customerId", check_at as "dueAt"
        from due_billing_checks(${checksPerSweep})`.execute(tx.db),
    );
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'a check of a customer could not be scheduled' };
    await forEachWorkspace(rows, loop, ({ customerId, dueAt }) => this.intake.check(customerId, dueAt));
  }

  private async recover(): Promise<void> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ recovered_through: Date | null }>`
        select recovered_through from claim_billing_recovery(${recoverEvery}::interval)`.execute(tx.db),
    );
    const [claimed] = rows;
    if (claimed === undefined) return;
    const startedAt = this.clock.now().getTime();
    const since = Math.max(startedAt - maxAgeMs, (claimed.recovered_through?.getTime() ?? 0) - overlapMs);
    const events = (await this.provider.eventsSince(new Date(since))).reverse();
    const { unitOfWork, log } = this;
    const loop = { unitOfWork, log, failure: 'an event of the provider could not be stored' };
    // What was not stored is read again by the next recovery.
    if (!(await forEachWorkspace(events, loop, (event) => this.intake.take(event)))) return;
    await unitOfWork.withoutWorkspace((tx) =>
      sql`select complete_billing_recovery(${new Date(startedAt)})`.execute(tx.db),
    );
  }
}
