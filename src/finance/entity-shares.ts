import { addTo } from '../kernel/add-to.js';
import { type Day, type DayRange, earliestDay, isWithin } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period } from '../kernel/period.js';
import { type RepPayables } from '../pay/payables/build-payables.js';
import { keyOfSource, refundedDeal } from '../pay/payables/pay-groups.js';
import { type NamedPeriod, type PayPeriods } from '../pay/payables/pay-periods.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type StoredPayable } from '../pay/payables/stored-payable.js';
import { type BatchAmount, isPaidBack } from './batch-amounts.js';
import { EntityBalances } from './entity-balances.js';
import { type Movement } from './movement.js';
import { entityOn, type RepEntity } from './rep-entities.js';
import { type ApprovedAmount } from './states.js';

/** Which entity owes a person what. */
export class EntitiesOfRep {
  private readonly ofRows: ReadonlyMap<string, string>;
  private readonly ofDraws: ReadonlyMap<string, string>;

  constructor(
    private readonly entities: readonly RepEntity[],
    rows: readonly PayableRow[],
    draws: RepPayables['draws'],
  ) {
    const named = rows.map((row) => [sourceOf(row), this.on(row.day), refundedDeal(row) === null] as const);
    // Refunds belong to the entity of the row from which they take back.
    this.ofRows = new Map(named.toSorted(([, , a], [, , b]) => Number(a) - Number(b)).map(([key, of]) => [key, of]));
    this.ofDraws = new Map(draws.map(({ terms: { drawId, from } }) => [drawId, this.on(from)]));
  }

  /** The entity of someone who has always belonged to the same one; null if there are several. */
  get only(): string | null {
    const all = new Set([this.on(earliestDay), ...this.entities.map(({ entity }) => entity)]);
    return all.size === 1 ? ([...all][0] as string) : null;
  }

  on(day: Day): string {
    return entityOn(this.entities, day);
  }

  ofRow(row: PayableRow): string {
    return this.ofRows.get(sourceOf(row)) as string;
  }

  ofDraw(drawId: string): string {
    return this.ofDraws.get(drawId) as string;
  }

  /** Lines of rows that no longer exist belong to the entity of the day. */
  ofLine(key: string, day: Day): string {
    return this.ofRows.get(key) ?? this.on(day);
  }
}

/** The key of the line that pays the row. */
function sourceOf(row: PayableRow): string {
  return `${keyOfSource(row)}|${row.currency}`;
}

type OfEntity<T> = T & { readonly entity: string };

interface Divided {
  readonly batches: readonly OfEntity<BatchAmount>[];
  readonly approved: readonly OfEntity<ApprovedAmount>[];
}

/** What batches and approved statements contain, by the entities that pay it. */
export function divideByEntity(
  entities: EntitiesOfRep,
  { history }: Pick<RepPayables, 'history'>,
  { payPeriods, day }: { readonly payPeriods: PayPeriods; readonly day: Day },
  contents: { readonly batches: readonly BatchAmount[]; readonly approved: readonly ApprovedAmount[] },
): Divided {
  const { only } = entities;
  if (only !== null) {
    const add = <T>(each: T): OfEntity<T> => ({ ...each, entity: only });
    return { batches: contents.batches.map(add), approved: contents.approved.map(add) };
  }
  const last = contents.batches.reduce((latest, { createdOn }) => (createdOn > latest ? createdOn : latest), day);
  const balances = new Map<string, EntityBalances>();
  const parts = payPeriods.until(last).map((named): Divided => {
    const { period, range } = named;
    const present = entities.on(range.to);
    const counted = new Map<string, ReadonlyMap<string, Decimal>>();
    const count = (currency: string, payable: StoredPayable): EntityBalances => {
      const balance = getOrInsert(balances, currency, () => new EntityBalances());
      for (const [entity, amount] of counted.get(currency) ?? []) balance.add(entity, amount.negated());
      const lines = sumLines(entities, payable, currency, { named, payPeriods });
      for (const [entity, amount] of lines) balance.add(entity, amount);
      counted.set(currency, lines);
      return balance;
    };
    const paid: OfEntity<{ readonly currency: string; readonly amount: Decimal }>[] = [];
    const batches = contents.batches
      .filter((batch) => batch.period === period)
      .flatMap((batch) => {
        const { currency, status } = batch;
        const balance = count(currency, batch.payable);
        const shares = balance.divide(batch.commission, present);
        if (status !== 'cancelled') {
          balance.pay(shares);
          for (const [entity, amount] of shares) paid.push({ entity, currency, amount });
        }
        return addDraws(entities, batch, shares);
      });
    const approved = contents.approved
      .filter((statement) => statement.period === period)
      .flatMap((statement) => {
        const { currency, amount } = statement;
        const balance = count(currency, history.findApproved(period) ?? { totals: [], lines: [] });
        const before = paid.filter((part) => part.currency === currency);
        const unpaid = amount.minus(sum(before.map((part) => part.amount)));
        // No batch pays a statement of zero: what it keeps is cleared by the next one that is paid.
        const rest = unpaid.isZero() ? new Map<string, Decimal>() : balance.divide(unpaid, present);
        balance.pay(rest);
        const all = [...before, ...[...rest].map(([entity, share]) => ({ entity, amount: share }))];
        const owing = [...new Set(all.map(({ entity }) => entity))];
        return owing.map((entity) => ({
          ...statement,
          entity,
          amount: sum(all.filter((part) => part.entity === entity).map((part) => part.amount)),
        }));
      });
    return { batches, approved };
  });
  return {
    batches: parts.flatMap(({ batches }) => batches),
    approved: parts.flatMap(({ approved }) => approved),
  };
}

/** What the lines of a statement are worth by entity, without draws that are paid back. */
function sumLines(
  entities: EntitiesOfRep,
  { lines, draws = [] }: StoredPayable,
  currency: string,
  { named, payPeriods }: { readonly named: NamedPeriod; readonly payPeriods: PayPeriods },
): ReadonlyMap<string, Decimal> {
  const ofLines = lines
    .filter((line) => line.currency === currency)
    .map(({ key, amount, sourcePeriod }) => {
      const to = payPeriods.rangeOf(sourcePeriod ?? named.period).to;
      return [entities.ofLine(key, to), amount] as const;
    });
  const ofDraws = draws
    .filter((line) => line.currency === currency && !(line.kind === 'draw' && isPaidBack(line)))
    .map(
      (line) => [isPaidBack(line) ? entities.ofDraw(line.drawId) : entities.on(named.range.to), line.amount] as const,
    );
  const sums = new Map<string, Decimal>();
  for (const [entity, amount] of [...ofLines, ...ofDraws]) addTo(sums, entity, Decimal.of(amount));
  return sums;
}

/** The entity that grants a draw pays it. */
function addDraws(
  entities: EntitiesOfRep,
  batch: BatchAmount,
  shares: ReadonlyMap<string, Decimal>,
): OfEntity<BatchAmount>[] {
  const granting = [...batch.draws.keys()].map((drawId) => entities.ofDraw(drawId));
  return [...new Set([...shares.keys(), ...granting])].map((entity) => ({
    ...batch,
    entity,
    commission: shares.get(entity) ?? Decimal.zero,
    draws: new Map([...batch.draws].filter(([drawId]) => entities.ofDraw(drawId) === entity)),
  }));
}

/** What hand-overs pay, by the entities whose rows are earned in the periods that are handed over by then. */
export function divideHandovers(
  paid: readonly Movement[],
  rows: readonly OfEntity<PayableRow>[],
  entities: EntitiesOfRep,
  rangeOf: (period: Period) => DayRange,
): OfEntity<Movement>[] {
  const { only } = entities;
  if (only !== null) return paid.map((movement) => ({ ...movement, entity: only }));
  const before: OfEntity<Movement>[] = [];
  const ranges: DayRange[] = [];
  for (const movement of paid) {
    const { currency, amount, origin } = movement;
    const own = rangeOf(origin.period as Period);
    ranges.push(own);
    const balance = new EntityBalances();
    for (const row of rows)
      if (row.currency === currency && ranges.some((range) => isWithin(row.day, range)))
        balance.add(row.entity, Decimal.of(row.amount));
    for (const each of before) if (each.currency === currency) balance.add(each.entity, each.amount);
    for (const [entity, share] of balance.divide(amount.negated(), entities.on(own.to)))
      before.push({ ...movement, entity, amount: share.negated() });
  }
  return before;
}
