import { sql } from 'kysely';
import { findEntitlement } from '../access/workspaces/change-tier.js';
import { deriveId, isUuid } from '../kernel/ids.js';
import { type UnitOfWork } from '../platform/database/unit-of-work.js';
import { type Inbox } from '../platform/inbox/inbox.js';
import { type Log } from '../platform/log.js';
import { metrics } from '../platform/metrics.js';
import { type BillingEvent, checkoutCompleted } from './billing-event.js';
import { bindSubscription, linkCustomer } from './billing-store.js';

/** The customers of other databases, where a service has several. */
export interface OtherCustomers {
  isOf(event: Pick<BillingEvent, 'customerId' | 'workspaceId'>): Promise<boolean>;
}

/** Stores provider events in the inbox, from every source. */
export class BillingIntake {
  private others: OtherCustomers | null = null;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly inbox: Inbox,
    private readonly log: Log,
  ) {}

  attach(others: OtherCustomers): void {
    this.others = others;
  }

  /** Resolves when the event is stored (or was already); false if no workspace belongs to the customer. */
  async take(event: BillingEvent): Promise<boolean> {
    const { eventId, type, customerId, workspaceId } = event;
    const isLinked = workspaceId !== null && isUuid(workspaceId) && (await this.link(workspaceId, event));
    const isStored = await this.receive(customerId, `billing|${eventId}`, { eventId, type });
    if (type === checkoutCompleted && !isLinked && (workspaceId !== null || !isStored)) await this.report(event);
    return isStored;
  }

  /** Schedules a query of the customer without an event, once per due time. */
  async check(customerId: string, dueAt: Date): Promise<void> {
    await this.receive(customerId, `billing check|${customerId}|${dueAt.toISOString()}`, { type: 'check' });
  }

  private async receive(customerId: string, key: string, payload: object): Promise<boolean> {
    const message = { source: 'billing', route: customerId, key: deriveId(key), subject: customerId, payload } as const;
    return (await this.inbox.receive([message])).size > 0;
  }

  /** A checkout that names no workspace, reported once, because the operator must find out for which one it was. */
  private async report(event: BillingEvent): Promise<void> {
    if ((await this.others?.isOf(event)) === true) return;
    const { eventId, customerId, workspaceId: reference } = event;
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ stored: boolean }>`
        select store_unmatched_payment(${eventId}, ${customerId}, ${reference}) as stored`.execute(tx.db),
    );
    if (rows[0]?.stored !== true) return;
    metrics.unmatchedPayments.inc();
    this.log.warn({ eventId, customerId, reference }, 'a checkout was paid and names no workspace');
  }

  /** False if there is no such workspace: the payer can enter any id. */
  private async link(workspaceId: string, { customerId, checkoutSubscription }: BillingEvent): Promise<boolean> {
    const route = await this.inbox.findRoute('billing', customerId);
    if (checkoutSubscription === null && route?.workspaceId === workspaceId.toLowerCase()) return true;
    return this.unitOfWork.write({ workspaceId }, async (tx) => {
      if ((await findEntitlement(tx)) === undefined) return false;
      await linkCustomer(tx, customerId);
      if (checkoutSubscription !== null) await bindSubscription(tx, checkoutSubscription);
      return true;
    });
  }
}
