import { sql } from 'kysely';
import { z } from 'zod';
import { fields, pageFields } from '../../../api/resource-fields.js';
import { dealId } from '../../../deals/deal.js';
import { assertMayNameDeal } from '../../../deals/deal-views.js';
import { type Caller, onlyRep } from '../../../kernel/caller.js';
import { sum } from '../../../kernel/decimal.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { filteredPeopleQuery, filteredReps, unfilteredPeople } from '../../../people/reps/filtered-people.js';
import { narrowedReps, repIdQuery } from '../../../people/reps/rep.js';
import { dayOfState } from '../../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery, offsetPage } from '../../../platform/operations/schemas.js';
import { nameEntries } from '../name-entries.js';
import { payableEntry, payableExample, payableStatuses, payableTotals } from '../payable-entry.js';
import { loadPayablePage, type PayableSums } from '../payable-sums.js';
import { loadPayPeriods } from '../payout-settings.js';

const query = z.strictObject({
  repId: repIdQuery.optional().describe('Only this rep, by id (UUID); reps may see only their own'),
  dealId: dealId.optional().describe('Only this deal'),
  status: z.enum(payableStatuses).optional().describe('Only amounts with this status'),
  asOf: asOfQuery,
  ...filteredPeopleQuery,
  ...offsetPage('amounts', 1000, 200),
});

const response = z.object({
  payables: z.array(payableEntry).describe('The amounts of the page, by rep and deal'),
  totals: z.array(payableTotals).describe('Sums of all amounts that match the rep and the deal, by currency'),
  paidOut: z
    .array(
      z
        .object({ currency: fields.currency, amount: z.number().describe('What was paid in this currency') })
        .describe('What was paid in one currency'),
    )
    .describe('What paid batches have paid the people, in the currencies in which they are paid. Empty for one deal'),
  ...pageFields,
});
type Response = z.input<typeof response>;

async function listRepIds(tx: Transaction, repIds: readonly string[] | null, onDeal: string | undefined) {
  const { rows } = await sql<{ repId: string }>`
    select r.rep_id as "repId" from reps r
    where r.workspace_id = ${tx.workspaceId} ${repIds === null ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
      and exists (select from commission_events e where e.workspace_id = r.workspace_id and e.rep_id = r.rep_id
        ${onDeal === undefined ? sql`` : sql`and e.deal_key = ${onDeal}`})
    order by lower(r.name), r.rep_id`.execute(tx.db);
  return rows.map((row) => row.repId);
}

function toTotals(totals: PayableSums['totals']): Response['totals'] {
  return [...totals].sort().map(([currency, { waiting, held, payable, approved, paid, balance }]) => ({
    currency,
    earned: sum([waiting, held, payable, approved, paid]).toNumber(),
    waiting: waiting.toNumber(),
    held: held.toNumber(),
    payable: payable.toNumber(),
    approved: approved.toNumber(),
    paid: paid.toNumber(),
    balance: balance.toNumber(),
  }));
}

async function load(
  tx: Transaction,
  caller: Caller,
  { repId, dealId: onDeal, status, limit, offset, ...filter }: z.output<typeof query>,
  today: string,
): Promise<Response> {
  const page = { limit, offset };
  const visible = narrowedReps(caller, repId);
  const repIds = repId === undefined ? await filteredReps(tx, caller, today, filter) : visible;
  const only = onlyRep(repIds);
  if (onDeal !== undefined && only !== null) await assertMayNameDeal(tx, caller, only, onDeal);
  const payPeriods = await loadPayPeriods(tx);
  if (payPeriods === null) return { payables: [], totals: [], paidOut: [], count: 0, ...page };
  const earning = await listRepIds(tx, repIds, onDeal);
  const wanted = { repIds: earning, dealId: onDeal, status, ...page };
  const { entries, totals, paidOut, count } = await loadPayablePage(tx, payPeriods, wanted, today);
  return {
    payables: await nameEntries(tx, entries),
    totals: toTotals(totals),
    paidOut: [...paidOut].sort().map(([currency, amount]) => ({ currency, amount: amount.toNumber() })),
    count,
    ...page,
  };
}

export const listPayables = operation({
  id: 'listPayables',
  summary:
    'What is earned and when it is paid: waiting for the customer or a day, held, payable, approved or paid. Empty without payouts',
  method: 'get',
  path: '/v1/payables',
  access: 'rep',
  payroll: true,
  query,
  response,
  failures: { deal_not_found: 404 },
  tool: {
    name: 'list_payables',
    title: 'List payables',
    hints: effects.reads,
    description: {
      purpose: 'What of the earned commission is waiting, held, payable, approved or paid, and what it waits for.',
      useWhen: 'someone asks when it is paid.',
      notFor: 'what is earned (get_commissions).',
      changes: 'nothing.',
    },
    arguments: {
      repId: 'This rep',
      dealId: 'This deal',
      status: 'This status',
      asOf: 'Earlier instant',
      ...unfilteredPeople,
    },
    list: 'payables',
    summary: ({ count }) => `Amounts that match: ${count}.`,
  },
  example: {
    query: { repId: sampleIds.repId },
    response: {
      payables: [payableExample],
      totals: [
        { currency: 'USD', earned: 4800, waiting: 3200, held: 0, payable: 0, approved: 0, paid: 1600, balance: 0 },
      ],
      paidOut: [{ currency: 'USD', amount: 1600 }],
      count: 1,
      limit: 200,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, { unitOfWork, clock }): Promise<Response> {
    const options = { lock: 'none', access: 'read', isolation: 'repeatable read', asOf: request.asOf } as const;
    return unitOfWork.run(caller, options, async (tx) => {
      const today = await dayOfState(tx, clock);
      return load(tx, caller, request, today);
    });
  },
});
