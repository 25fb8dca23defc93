import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { statementPeriodsTable } from '../ledger/input/as-of.js';
import { forecastPayables, loadRepPayables, type RepPayables } from '../pay/payables/build-payables.js';
import { isBefore } from '../pay/payables/pay-groups.js';
import { type PayPeriods } from '../pay/payables/pay-periods.js';
import { loadPayableRows, type PayableRow } from '../pay/payables/payable-rows.js';
import { loadPayPeriods } from '../pay/payables/payout-settings.js';
import { type StoredPayable } from '../pay/payables/stored-payable.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BatchAmount, isPaidBack, listContained, loadBatchAmounts } from './batch-amounts.js';
import { type DrawFacts, listDrawMovements } from './draw-movements.js';
import { loadHandoverMovements } from './handover-movements.js';
import { type Movement, noOrigin } from './movement.js';
import { type ApprovedAmount } from './states.js';
import { findUnreleased, type Unreleased } from './unreleased.js';

/** What decides about the books of a person, at the end of a month. */
export interface RepFacts {
  /** Without those of rows. */
  readonly movements: readonly Movement[];
  readonly rows: readonly PayableRow[];
  readonly approved: readonly ApprovedAmount[];
  readonly batches: readonly BatchAmount[];
  readonly unreleased: (day: Day) => Unreleased;
}

const firstDayOfAll = '1900-01-01';
const nothingUnreleased: Unreleased = { waiting: new Map(), held: new Map() };

/** The facts of the reps, as they are known now or at `asOf`. Drafts count until the day. */
export async function loadRepFacts(
  tx: Transaction,
  repIds: readonly string[],
  day: Day,
): Promise<ReadonlyMap<string, RepFacts>> {
  const payPeriods = await loadPayPeriods(tx);
  const rows = groupBy(await loadPayableRows(tx, { repIds, firstDay: firstDayOfAll }), ({ repId }) => repId);
  if (payPeriods === null) return loadHandedOver(tx, repIds, rows);
  const load = await loadRepPayables(tx, repIds, payPeriods.firstDay);
  const batches = groupBy(await loadBatchAmounts(tx, repIds), ({ repId }) => repId);
  const approved = groupBy(await loadApproved(tx, repIds), ({ repId }) => repId);
  return new Map(
    repIds.map((repId) => {
      const payables = load(repId);
      const ofRep = batches.get(repId) ?? [];
      // What was earned before the first pay period is paid with its statement.
      const own = (rows.get(repId) ?? []).filter((row) => !isBefore(row, payPeriods.firstDay));
      return [
        repId,
        {
          movements: [
            ...listTopUps(payables, payPeriods, day),
            ...listPayments(ofRep),
            ...listDraws(payables, payPeriods, ofRep),
          ],
          rows: own,
          approved: approved.get(repId) ?? [],
          batches: ofRep,
          unreleased: (on) => findUnreleased(payables, payPeriods, on),
        },
      ];
    }),
  );
}

async function loadHandedOver(
  tx: Transaction,
  repIds: readonly string[],
  rows: ReadonlyMap<string, PayableRow[]>,
): Promise<ReadonlyMap<string, RepFacts>> {
  const paid = await loadHandoverMovements(tx);
  return new Map(
    repIds.map((repId) => [
      repId,
      {
        movements: paid.get(repId) ?? [],
        rows: rows.get(repId) ?? [],
        approved: [],
        batches: [],
        unreleased: () => nothingUnreleased,
      },
    ]),
  );
}

async function loadApproved(
  tx: Transaction,
  repIds: readonly string[],
): Promise<(ApprovedAmount & { readonly repId: string })[]> {
  const { rows } = await sql<{ repId: string; period: string; approvedOn: Day; payable: StoredPayable }>`
    select h.rep_id as "repId", h.period, (h.approved_at at time zone known_zone(w.timezone))::date as "approvedOn",
      s.payable
    from ${statementPeriodsTable(tx)} h
    join workspaces w on w.workspace_id = h.workspace_id
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version and s.payable is not null
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = any(${repIds}::uuid[]) and h.status = 'approved'`.execute(
    tx.db,
  );
  return rows.flatMap(({ payable, ...statement }) =>
    [...new Set(payable.pay === undefined ? payable.totals.map(({ currency }) => currency) : [payable.pay.currency])]
      .flatMap((paidIn) => listContained(payable, paidIn))
      .map(({ currency, commission }) => ({ ...statement, currency, amount: commission })),
  );
}

/** What draws pay that no one pays back, in approved statements, their corrections, and drafts until the day. */
function listTopUps(payables: RepPayables, payPeriods: PayPeriods, day: Day): Movement[] {
  const periods = payPeriods.until(day).filter(({ range }) => range.to <= day);
  const drafts = forecastPayables(payables, periods).flatMap(({ period, range, payable }) =>
    (payable.draws ?? []).filter(({ kind }) => kind === 'draw').map((line) => ({ ...line, period, paidOn: range.to })),
  );
  return [...payables.history.listDrawLines(), ...drafts]
    .filter((line) => !isPaidBack(line))
    .map(({ drawId, kind, currency, amount, period, sourcePeriod, paidOn }) => ({
      kind: 'topUp',
      source: `topUp|${drawId}|${kind}|${period ?? sourcePeriod}`,
      day: payPeriods.findOn(paidOn)?.range.to ?? paidOn,
      currency,
      amount: Decimal.of(amount),
      draws: Decimal.zero,
      asset: Decimal.zero,
      origin: { ...noOrigin, drawId, period: period ?? sourcePeriod ?? null },
    }));
}

function listPayments(batches: readonly BatchAmount[]): Movement[] {
  return batches.flatMap(({ status, paidOn, period, batchId, currency, commission, draws }): Movement[] => {
    if (status !== 'paid' || paidOn === null) return [];
    const granted = [...draws.values()].reduce((total, amount) => total.plus(amount), Decimal.zero);
    if (commission.isZero() && granted.isZero()) return [];
    return [
      {
        kind: 'payment',
        source: `payment|${batchId}|${period}`,
        day: paidOn,
        currency,
        amount: commission.negated(),
        draws: granted,
        asset: Decimal.zero,
        origin: { ...noOrigin, period, batchId },
      },
    ];
  });
}

function listDraws(payables: RepPayables, payPeriods: PayPeriods, batches: readonly BatchAmount[]): Movement[] {
  const { history } = payables;
  const lines = history.listDrawLines().filter(isPaidBack);
  return payables.draws.flatMap(({ terms: { drawId, currency, recovery }, forgiven }) => {
    const granted: DrawFacts['granted'] = batches.flatMap(({ status, paidOn, draws }) => {
      const amount = draws.get(drawId);
      return status === 'paid' && paidOn !== null && amount !== undefined ? [{ day: paidOn, amount }] : [];
    });
    const recovered = lines
      .filter((line) => line.drawId === drawId && line.kind !== 'draw')
      .flatMap(({ amount, paidOn }) => {
        const named = payPeriods.findOn(paidOn);
        if (named === null || history.findApproved(named.period) === null) return [];
        return [{ day: named.range.to, amount: Decimal.of(amount).negated() }];
      });
    return listDrawMovements({ drawId, currency, granted, recovered, forgiven, forgiveOn: recovery.forgiveOn });
  });
}
