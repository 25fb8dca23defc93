import { inject, injectable } from 'tsyringe';
import { idOf, isUuid } from '../kernel/ids.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { Inbox } from '../platform/inbox/inbox.js';
import { findTier } from '../workspaces/change-tier.js';
import { type BillingEvent } from './billing-event.js';
import { linkCustomer } from './billing-store.js';

/** Takes events of the provider in, from wherever they come. */
@injectable()
export class BillingIntake {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(Inbox) private readonly inbox: Inbox,
  ) {}

  /** Resolves when the event is on disk, or was before; false when no workspace is its customer's. */
  async take({ eventId, type, customerId, workspaceId }: BillingEvent): Promise<boolean> {
    if (workspaceId !== null && isUuid(workspaceId)) await this.link(workspaceId, customerId);
    return this.receive(customerId, `billing|${eventId}`, { eventId, type });
  }

  /** Has the provider asked about the customer though nothing was heard; once for each time that it is due. */
  async check(customerId: string, dueAt: Date): Promise<void> {
    await this.receive(customerId, `billing check|${customerId}|${dueAt.toISOString()}`, { type: 'check' });
  }

  private async receive(customerId: string, key: string, payload: object): Promise<boolean> {
    const news = { source: 'billing', route: customerId, key: idOf(key), subject: customerId, payload } as const;
    return (await this.inbox.receive([news])).size > 0;
  }

  /** Whoever pays may name any workspace, so naming one that there is not is nobody's fault here. */
  private async link(workspaceId: string, customerId: string): Promise<void> {
    if ((await this.inbox.findRoute('billing', customerId))?.workspaceId === workspaceId.toLowerCase()) return;
    await this.unitOfWork.run({ workspaceId }, 'reads', async (trx) => {
      if ((await findTier(trx, workspaceId)) !== null) await linkCustomer(trx, workspaceId, customerId);
    });
  }
}
