import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import { statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { forecastPayables, loadRepPayables, type RepPayables } from '../pay/payables/build-payables.js';
import { isBefore } from '../pay/payables/pay-groups.js';
import { type PayPeriods } from '../pay/payables/pay-periods.js';
import { loadPayableRows, type PayableRow } from '../pay/payables/payable-rows.js';
import { loadPayPeriods } from '../pay/payables/payout-settings.js';
import { type GroupAmounts } from '../pay/payables/release.js';
import { type StoredPayable } from '../pay/payables/stored-payable.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BatchAmount, isPaidBack, listContained, loadBatchAmounts } from './batch-amounts.js';
import { type DrawFacts, listDrawMovements } from './draw-movements.js';
import { divideByEntity, divideHandovers, EntitiesOfRep } from './entity-shares.js';
import { loadHandoverMovements } from './handover-movements.js';
import { type Movement, noOrigin } from './movement.js';
import { loadRepEntities } from './rep-entities.js';
import { type ApprovedAmount } from './states.js';
import { computePaid, findUnreleased, type Unreleased } from './unreleased.js';

/** What decides about the books of a person in an entity, at the end of a month. */
export interface EntityFacts {
  /** Without those of rows. */
  readonly movements: readonly Movement[];
  readonly rows: readonly PayableRow[];
  readonly approved: readonly ApprovedAmount[];
  readonly batches: readonly BatchAmount[];
  readonly unreleased: (day: Day) => Unreleased;
}

/** The facts of a person by entity, those without any left out. */
type RepFacts = ReadonlyMap<string, EntityFacts>;

interface OfEntity {
  readonly entity: string;
}

const firstDayOfAll = '1900-01-01';

export const noFacts: EntityFacts = {
  movements: [],
  rows: [],
  approved: [],
  batches: [],
  unreleased: () => ({ waiting: new Map(), held: new Map() }),
};

/** The facts of the reps, as they are known now or at `asOf`. Drafts count until the day. */
export async function loadRepFacts(
  tx: Transaction,
  repIds: readonly string[],
  day: Day,
): Promise<ReadonlyMap<string, RepFacts>> {
  const payPeriods = await loadPayPeriods(tx);
  const rows = groupBy(await loadPayableRows(tx, { repIds, firstDay: firstDayOfAll }), ({ repId }) => repId);
  const entities = await loadRepEntities(tx, repIds);
  const entitiesOf = (repId: string, draws: RepPayables['draws']) =>
    new EntitiesOfRep(entities.get(repId) ?? [], rows.get(repId) ?? [], draws);
  if (payPeriods === null) return loadHandedOver(tx, repIds, rows, (repId) => entitiesOf(repId, []));
  const load = await loadRepPayables(tx, repIds, payPeriods.firstDay);
  const batches = groupBy(await loadBatchAmounts(tx, repIds), ({ repId }) => repId);
  const approved = groupBy(await loadApproved(tx, repIds), ({ repId }) => repId);
  return new Map(
    repIds.map((repId) => {
      const payables = load(repId);
      const own = entitiesOf(repId, payables.draws);
      const contents = { batches: batches.get(repId) ?? [], approved: approved.get(repId) ?? [] };
      const paid = new Map<Day, GroupAmounts>();
      const divided = divideByEntity(own, payables, { payPeriods, day }, contents);
      return [
        repId,
        byEntity({
          movements: [
            ...listTopUps(payables, payPeriods, day).map((each) => ({ ...each, entity: own.on(each.day) })),
            ...listPayments(divided.batches),
            ...listDraws(payables, payPeriods, contents.batches).map((each) => ({
              ...each,
              entity: own.ofDraw(each.origin.drawId as string),
            })),
          ],
          // What was earned before the first pay period is paid with its statement.
          rows: (rows.get(repId) ?? [])
            .filter((row) => !isBefore(row, payPeriods.firstDay))
            .map((row) => ({ ...row, entity: own.ofRow(row) })),
          ...divided,
          unreleased: (entity) => (on) => {
            const groups = payables.groups.filter(({ row }) => own.ofRow(row) === entity);
            return findUnreleased(
              getOrInsert(paid, on, () => computePaid(payables, payPeriods, on)),
              groups,
              on,
            );
          },
        }),
      ];
    }),
  );
}

/** The rows of the reps by entity, which is all that lots are made of. */
export async function loadRepRows(tx: Transaction, repIds: readonly string[]): Promise<ReadonlyMap<string, RepFacts>> {
  const payPeriods = await loadPayPeriods(tx);
  const rows = groupBy(await loadPayableRows(tx, { repIds, firstDay: firstDayOfAll }), ({ repId }) => repId);
  const entities = await loadRepEntities(tx, repIds);
  return new Map(
    [...rows].map(([repId, ofRep]) => {
      const own = new EntitiesOfRep(entities.get(repId) ?? [], ofRep, []);
      const counted = ofRep.filter((row) => payPeriods === null || !isBefore(row, payPeriods.firstDay));
      const byCode = groupBy(counted, (row) => own.ofRow(row));
      return [repId, new Map([...byCode].map(([code, ofEntity]) => [code, { ...noFacts, rows: ofEntity }]))];
    }),
  );
}

/** Where payouts are off, hand-overs pay what is earned until the end of their period. */
async function loadHandedOver(
  tx: Transaction,
  repIds: readonly string[],
  rows: ReadonlyMap<string, PayableRow[]>,
  entitiesOf: (repId: string) => EntitiesOfRep,
): Promise<ReadonlyMap<string, RepFacts>> {
  const paid = await loadHandoverMovements(tx, repIds);
  const calendar = await loadCalendar(tx);
  return new Map(
    repIds.map((repId) => {
      const own = entitiesOf(repId);
      const earned = (rows.get(repId) ?? []).map((row) => ({ ...row, entity: own.ofRow(row) }));
      const movements = divideHandovers(paid.get(repId) ?? [], earned, own, (period) => calendar.range(period));
      return [
        repId,
        byEntity({ movements, rows: earned, approved: [], batches: [], unreleased: () => noFacts.unreleased }),
      ];
    }),
  );
}

interface AllFacts {
  readonly movements: readonly (Movement & OfEntity)[];
  readonly rows: readonly (PayableRow & OfEntity)[];
  readonly approved: readonly (ApprovedAmount & OfEntity)[];
  readonly batches: readonly (BatchAmount & OfEntity)[];
  readonly unreleased: (entity: string) => EntityFacts['unreleased'];
}

function byEntity({ unreleased, ...facts }: AllFacts): RepFacts {
  const all = new Set(Object.values(facts).flatMap((each) => each.map(({ entity }) => entity)));
  const of = <T extends OfEntity>(each: readonly T[], code: string) => each.filter(({ entity }) => entity === code);
  return new Map(
    [...all].map((entity) => [
      entity,
      {
        movements: of(facts.movements, entity),
        rows: of(facts.rows, entity),
        approved: of(facts.approved, entity),
        batches: of(facts.batches, entity),
        unreleased: unreleased(entity),
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

function listPayments(batches: readonly (BatchAmount & OfEntity)[]): (Movement & OfEntity)[] {
  return batches.flatMap(({ status, paidOn, period, batchId, currency, commission, draws, entity }) => {
    if (status !== 'paid' || paidOn === null) return [];
    const granted = [...draws.values()].reduce((total, amount) => total.plus(amount), Decimal.zero);
    if (commission.isZero() && granted.isZero()) return [];
    return [
      {
        entity,
        kind: 'payment' as const,
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
