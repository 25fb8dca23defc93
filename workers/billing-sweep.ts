import { sql } from 'kysely';
import { type BillingIntake } from '#src/billing/billing-intake.js';
import { type BillingProvider } from '#src/billing/billing-provider.js';
import { type Clock } from '#src/kernel/clock.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';

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
  ) {}

  async run(): Promise<void> {
    await this.checkDue();
    await this.recover();
  }

  private async checkDue(): Promise<void> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ customer_id: string; check_at: Date }>`
        select customer_id, check_at from due_billing_checks(${checksPerSweep})`.execute(tx.db),
    );
    for (const { customer_id: customerId, check_at: dueAt } of rows) await this.intake.check(customerId, dueAt);
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
    for (const event of (await this.provider.eventsSince(new Date(since))).reverse()) await this.intake.take(event);
    await this.unitOfWork.withoutWorkspace((tx) =>
      sql`select complete_billing_recovery(${new Date(startedAt)})`.execute(tx.db),
    );
  }
}
