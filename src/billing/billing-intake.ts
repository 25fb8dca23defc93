import { inject, injectable } from 'tsyringe';
import { idOf, isUuid } from '../kernel/ids.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { Inbox } from '../platform/inbox/inbox.js';
import { findTier } from '../workspaces/change-tier.js';
import { type BillingEvent } from './billing-event.js';
import { linkCustomer } from './billing-store.js';

/** Stores provider events in the inbox, from every source. */
@injectable()
export class BillingIntake {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(Inbox) private readonly inbox: Inbox,
  ) {}

  /** Resolves when the event is stored (or was already); false if no workspace belongs to the customer. */
  async take({ eventId, type, customerId, workspaceId }: BillingEvent): Promise<boolean> {
    if (workspaceId !== null && isUuid(workspaceId)) await this.link(workspaceId, customerId);
    return this.receive(customerId, `billing|${eventId}`, { eventId, type });
  }

  /** Schedules a query of the customer without an event, once per due time. */
  async check(customerId: string, dueAt: Date): Promise<void> {
    await this.receive(customerId, `billing check|${customerId}|${dueAt.toISOString()}`, { type: 'check' });
  }

  private async receive(customerId: string, key: string, payload: object): Promise<boolean> {
    const message = { source: 'billing', route: customerId, key: idOf(key), subject: customerId, payload } as const;
    return (await this.inbox.receive([message])).size > 0;
  }

  /** The payer can enter any workspace id, so an unknown one is not an internal error. */
  private async link(workspaceId: string, customerId: string): Promise<void> {
    if ((await this.inbox.findRoute('billing', customerId))?.workspaceId === workspaceId.toLowerCase()) return;
    await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, async (trx) => {
      if ((await findTier(trx, workspaceId)) !== null) await linkCustomer(trx, workspaceId, customerId);
    });
  }
}
