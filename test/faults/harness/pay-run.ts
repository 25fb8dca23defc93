import { type ApiResponse } from '#test/support/api-client.js';
import { query } from '#test/support/ledger-checks.js';
import { Violation } from './episode-log.js';
import { type Fleet } from './fleet.js';

/** Sends a request until it has a final response. */
export type Send = (method: string, path: string, body?: unknown) => Promise<ApiResponse>;

const firstMonth = 2026 * 12;

/**
 * A workspace whose payroll pays month by month: a deal, another one that is held until the next month, a guarantee, a
 * batch that is marked as paid, and another one after a true-up. Its requests are repeated after faults, as people do.
 */
export class PayRun {
  private months = 0;
  /** What each batch contained when it had been marked as paid, by id. */
  private readonly paid = new Map<string, string>();

  private constructor(
    private readonly fleet: Fleet,
    readonly workspaceId: string,
    private readonly send: Send,
    private readonly repId: string,
  ) {}

  static async create(fleet: Fleet, name: string, sender: (apiKey: string) => Send): Promise<PayRun> {
    const { workspaceId, apiKey } = await fleet.createWorkspace(name);
    const send = sender(apiKey);
    const reps = await send('PUT', '/v1/reps', {
      reps: [{ email: 'pat@example.com', name: 'Pat', crmMemberId: 'pat' }],
    });
    const repId = reps.body.reps[0].id as string;
    const rule = {
      name: 'New business',
      measure: 'amount',
      tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
      payout: { schedule: [{ on: 'paid', percent: 100 }] },
    };
    const plan = await send('POST', '/v1/plans', { name: 'Sales', config: { rules: [rule] } });
    await send('POST', '/v1/assignments', { repIds: [repId], planId: plan.body.planId });
    await send('PATCH', '/v1/workspaces', { payouts: { enabled: true, from: '2026-01-01', period: 'monthly' } });
    return new PayRun(fleet, workspaceId, send, repId);
  }

  /** Pays the next month. */
  async payMonth(): Promise<void> {
    const month = firstMonth + this.months;
    this.months += 1;
    const period = periodOf(month);
    const dealId = `deal-${period}`;
    if (hasDraw(month)) await this.guarantee(period);
    await this.sell(dealId, period, 1000);
    await this.sell(heldDeal(month), period, 100);
    await this.untilDone('POST', '/v1/payables/holds', {
      ...{ dealId: heldDeal(month), from: `${period}-01`, to: `${periodOf(month + 1)}-02` },
      reason: 'checked',
    });
    await this.untilDone('POST', `/v1/statements/${this.repId}/generate`, { period });
    await this.untilDone('POST', `/v1/statements/${this.repId}/approve`, { period, status: 'approved' });
    await this.assertHeld(month);
    await this.payBatch(period);
    await this.sell(dealId, period, 1300);
    await this.untilDone('POST', `/v1/statements/${this.repId}/true-up`, { period, force: true });
    await this.payBatch(period);
  }

  /** I33: what is held on the last day of a month is in no line of it, and in the month in which the hold ends. */
  private async assertHeld(month: number): Promise<void> {
    const { body } = await this.send('GET', `/v1/statements?repId=${this.repId}&period=${periodOf(month)}`);
    const paid = new Set((body.payable.lines as { dealId: string }[]).map(({ dealId }) => dealId));
    const isFirst = month === firstMonth;
    if (paid.has(heldDeal(month)) || (!isFirst && !paid.has(heldDeal(month - 1))))
      throw new Violation('I33', `${periodOf(month)} pays ${[...paid].join()}`);
  }

  /** A guarantee of more than the month releases, which later months pay back. An attempt without a response may have stored it. */
  private async guarantee(period: string): Promise<void> {
    const terms = {
      kind: 'guarantee',
      recoverable: true,
      amount: guaranteed,
      from: `${period}-01`,
      to: `${period}-28`,
    };
    const { status, body } = await this.send('POST', '/v1/draws', { repId: this.repId, ...terms });
    if (status >= 300 && body.code !== 'draw_overlap')
      throw new Violation('I34', `the draw returned ${JSON.stringify(body)}`);
  }

  /** A deal of which the customer has paid half. */
  private async sell(dealId: string, period: string, amount: number): Promise<void> {
    const deal = { amount, closeDate: `${period}-05`, ownerId: 'pat', name: dealId };
    await this.untilDone('PUT', `/v1/deals/${dealId}`, deal);
    await this.untilDone('PUT', `/v1/deals/${dealId}/invoices/I`, {
      ...{ amount, issuedOn: `${period}-06` },
      payments: [{ paymentId: 'P', amount: amount / 2, paidOn: `${period}-10` }],
    });
  }

  /** Creates the batch, or finds the one that an attempt without a response has created, and marks it as paid. */
  private async payBatch(period: string): Promise<void> {
    const created = await this.send('POST', '/v1/payout-batches', { period, layout: 'long' });
    if (created.body.code === 'nothing_to_pay') return;
    const open = await this.list(period, 'open');
    const batchId = open[0]?.batchId ?? (created.body.batchId as string | undefined);
    if (batchId === undefined) throw new Violation('I32', `${period}: ${JSON.stringify(created.body)}`);
    const { status, body } = await this.send('PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid' });
    if (status !== 200 && body.code !== 'already_paid')
      throw new Violation('I32', `the payment returned ${JSON.stringify(body)}`);
    this.paid.set(batchId, await this.contentOf(batchId));
  }

  private async list(period: string, status: string): Promise<{ batchId: string }[]> {
    return (await this.send('GET', `/v1/payout-batches?period=${period}&status=${status}`)).body.batches;
  }

  private async contentOf(batchId: string): Promise<string> {
    return JSON.stringify((await this.send('GET', `/v1/payout-batches/${batchId}`)).body);
  }

  private async untilDone(method: string, path: string, body: unknown): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { status, body: answer } = await this.send(method, path, body);
      if (status < 300) return;
      if (answer.code !== 'calculation_pending')
        throw new Violation('I32', `${method} ${path} returned ${JSON.stringify(answer)}`);
    }
    throw new Violation('I32', `${method} ${path}: the calculation stays pending`);
  }

  /**
   * I32: what a paid batch lists never changes, and is never paid again: its content is the one that it was paid with, its
   * statement cannot be unlocked, all batches of a period add up to what the statement pays, and each payment has one
   * entry in the audit log. I34: what is paid beyond what is released is owed.
   */
  async assertPaidOnce(): Promise<void> {
    for (const [batchId, content] of this.paid) {
      const now = await this.contentOf(batchId);
      if (now !== content) throw new Violation('I32', `the paid batch was ${content} and is ${now}`);
    }
    let owed = 0;
    for (let month = firstMonth; month < firstMonth + this.months; month += 1)
      owed += await this.assertPeriod(periodOf(month));
    const { body } = await this.send('GET', `/v1/balances?repId=${this.repId}`);
    const balance = Math.round((body.balances[0]?.owed ?? 0) * 100);
    if (balance !== owed)
      throw new Violation('I34', `${owed} was paid beyond what is released, and ${balance} is owed`);
    await this.assertRows();
  }

  /** What the statement pays beyond what it releases, in cents; negative if it keeps. */
  private async assertPeriod(period: string): Promise<number> {
    const key = { period, status: 'draft' };
    const unlocked = await this.send('POST', `/v1/statements/${this.repId}/approve`, key);
    if (!['already_paid', 'later_statement_approved'].includes(unlocked.body.code as string))
      throw new Violation('I32', `${period} is paid, and unlocking it returned ${JSON.stringify(unlocked.body)}`);
    const { body } = await this.send('GET', `/v1/statements?repId=${this.repId}&period=${period}`);
    const paid = (body.payouts as { amount: number; status: string }[]).filter(({ status }) => status === 'paid');
    const sum = paid.reduce((before, { amount }) => before + Math.round(amount * 100), 0);
    if (sum !== Math.round(body.summary.payable * 100))
      throw new Violation('I32', `${period} pays ${body.summary.payable}, and its batches pay ${sum / 100}`);
    const lines = body.payable.lines as { amount: number }[];
    return sum - lines.reduce((before, { amount }) => before + Math.round(amount * 100), 0);
  }

  private async assertRows(): Promise<void> {
    const [found] = await query<{ lines: number; sums: number; audited: number; paid: number }>(
      this.fleet.postgres.ownerUrl,
      `select (select count(*)::int from payout_batches b join payout_batch_lines l using (workspace_id, batch_id)
          where b.workspace_id = $1 and b.status = 'paid') as lines,
        (select count(*)::int from payout_batches b where b.workspace_id = $1 and b.status = 'paid'
          and (select jsonb_agg(jsonb_build_object('currency', t.currency, 'payable', t.payable) order by t.currency)
            from (select currency, trim_scale(sum(amount))::text as payable from payout_batch_lines l
              where l.workspace_id = b.workspace_id and l.batch_id = b.batch_id group by 1) t) <> b.totals) as sums,
        (select count(*)::int from audit_runs where workspace_id = $1 and trigger = 'payout_batch_paid') as audited,
        (select count(*)::int from payout_batches where workspace_id = $1 and status = 'paid') as paid`,
      [this.workspaceId],
    );
    if (found === undefined || found.sums > 0 || found.audited !== found.paid || found.lines < this.paid.size)
      throw new Violation('I32', `the batches are ${JSON.stringify(found)}`);
  }
}

function periodOf(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** Every other month: the months between pay back. */
function hasDraw(month: number): boolean {
  return (month - firstMonth) % 2 === 0;
}

/** More than a month releases. */
const guaranteed = 80;

/** The deal of the month that is held until the next one. */
function heldDeal(month: number): string {
  return `held-${periodOf(month)}`;
}

const maxTries = 50;
