import { type Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { Workspace } from '#test/support/workspace.js';
import { assertAddsUp } from './payslip-sums.js';

/** All as the customer pays. */
const asPaid = { schedule: [{ on: 'paid', percent: 100 }] };

interface PayOptions {
  readonly payout?: object | null;
  readonly rules?: readonly object[];
  readonly payouts?: object | null;
  readonly sandbox?: true;
}

/** A workspace with payouts from January 2026 on. Ben earns 8 % of every deal; what names no rep is about him. */
export class PayWorkspace extends Workspace {
  private constructor(
    workspace: Workspace,
    readonly ben: string,
    readonly mia: string,
    readonly planId: string,
  ) {
    super(workspace.service, workspace.workspaceId, workspace.apiKey, workspace.api);
  }

  static async create(
    service: Service,
    { payout = asPaid, rules, payouts = { enabled: true, from: '2026-01-01' }, sandbox }: PayOptions = {},
  ): Promise<PayWorkspace> {
    const workspace = await service.workspace({ currency: 'USD', ...(sandbox ? { sandbox } : {}) });
    const { api } = workspace;
    const [mia, ben] = await api.saveReps(
      { email: 'mia@acme.test', name: 'Mia', role: 'manager' },
      { email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben' },
    );
    const rule = flatRule('New business', 0.08, payout === null ? {} : { payout });
    const { planId } = await api.createPlan({ name: 'AE', config: { rules: rules ?? [rule] } }, [ben]);
    if (payouts !== null) await api.expect(200, 'PATCH', '/v1/workspaces', { payouts });
    return new PayWorkspace(workspace, ben, mia, planId);
  }

  async deal(dealId: string, amount: number, closeDate: string, fields: object = {}): Promise<void> {
    await this.api.putDeal(dealId, { amount, closeDate, ownerId: 'ben', name: dealId, ...fields });
    await this.calculated();
  }

  /** Stores the only invoice of the deal with the payments. */
  invoice(dealId: string, amount: number, payments: readonly (readonly [day: string, amount: number])[], terms = {}) {
    return this.api.expect(200, 'PUT', `/v1/deals/${dealId}/invoices/INV-1`, {
      amount,
      issuedOn: '2026-01-31',
      payments: payments.map(([paidOn, paid], index) => ({ paymentId: `P${index}`, amount: paid, paidOn })),
      ...terms,
    });
  }

  async statement(period: string, query = '') {
    const statement = await this.api.expect(200, 'GET', `/v1/statements?repId=${this.ben}&period=${period}${query}`);
    assertAddsUp(statement);
    return statement;
  }

  async payable(period: string): Promise<number> {
    return (await this.statement(period)).summary.payable;
  }

  /** The lines of the statement as deal and amount. */
  async lines(period: string): Promise<Record<string, number>> {
    const { payable } = await this.statement(period);
    const sums: Record<string, number> = {};
    for (const { dealId, amount } of payable.lines) sums[dealId ?? 'none'] = (sums[dealId ?? 'none'] ?? 0) + amount;
    return sums;
  }

  async approve(...periods: readonly string[]): Promise<void> {
    for (const period of periods) {
      await this.api.generate(this.ben, period);
      await this.api.approve(this.ben, period);
    }
  }

  trueUp(period: string) {
    return this.api.expect(200, 'POST', `/v1/statements/${this.ben}/true-up`, { period, force: true });
  }

  async carryForward(period: string) {
    await this.checked();
    const { discrepancies } = await this.api.expect(
      200,
      'GET',
      `/v1/discrepancies?repId=${this.ben}&period=${period}&status=open`,
    );
    return this.api.expect(200, 'POST', `/v1/discrepancies/${discrepancies[0].discrepancyId}/resolve`, {
      action: 'carry_forward',
      reason: 'Paid next month',
    });
  }

  /** The balance after the last approved statement. */
  async balance(): Promise<number> {
    const { totals } = await this.payables();
    return totals[0]?.balance ?? 0;
  }

  payables(query = '') {
    return this.api.expect(200, 'GET', `/v1/payables?repId=${this.ben}${query}`);
  }
}
