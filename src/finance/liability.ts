import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { compareNames } from '../kernel/compare-names.js';
import { roundToCurrency } from '../kernel/currency.js';
import { Decimal, maximum, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { plainAmount } from '../kernel/money-text.js';
import { findRepNames } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type MonthBooks, type RepStates } from './load-books.js';
import { type RollForward, rollDrawsForward, rollForward } from './roll-forward.js';
import { type States } from './states.js';
import { toNumbers } from './to-numbers.js';

const columns = {
  opening: z.number().describe('What was owed at the end of the month before'),
  earned: z.number().describe('Commission and bonuses that are dated in the month'),
  corrections: z.number().describe('Changes of months that were closed'),
  adjustments: z.number().describe('Adjustments and clawbacks by hand'),
  takenBack: z.number().describe('What refunds take back'),
  topUps: z.number().describe('What draws pay that no one pays back'),
  recovered: z.number().describe('What approved statements keep for draws'),
  paid: z.number().describe('What was paid, without what was paid as a draw that is paid back'),
  writtenOff: z.number().describe('What people owe and is written off, less what of it they repaid'),
  closing: z.number().describe('What is owed at the end of the month: the sum of all before; negative if people owe'),
};

const states = z
  .object({
    waiting: z.number().describe('Earned and not released'),
    held: z.number().describe('Released and held'),
    payable: z.number().describe('In statements that were not approved on the last day'),
    approved: z.number().describe('In approved statements, and in no batch'),
    inBatch: z.number().describe('In batches that were open on the last day'),
    toRecover: z.number().describe('What was paid beyond what is released; never positive'),
  })
  .describe('The closing amount by state on the last day; the parts add up to it');

const draws = z
  .object({
    opening: z.number().describe('What was owed of draws at the end of the month before'),
    granted: z.number().describe('What batches paid as draws'),
    recovered: z.number().describe('What approved statements kept; negative'),
    forgiven: z.number().describe('What was forgiven; negative'),
    closing: z.number().describe('What is owed of draws at the end of the month'),
  })
  .describe('Draws that are paid back, which are an asset. Absent without any');

export const liabilityRow = z
  .object({
    entity: z.string().describe('Code of the entity'),
    currency: fields.currency,
    repId: fields.repId.nullable().describe('Id of the rep (UUID); null for the sum of a currency'),
    repName: fields.repName.nullable().describe('Name of the rep; null for the sum of a currency'),
    ...columns,
    late: z.number().describe('What of `paid` and `recovered` became known after its month was closed'),
    liability: z.number().describe('The sum of what people are owed'),
    receivable: z.number().describe('The sum of what people owe, who are not netted against others'),
    value: z.number().describe('The closing amount in the currency of the entity, at the rate of the last day'),
    states,
    draws: draws.optional(),
  })
  .describe('What people are owed in one currency, from the beginning to the end of the month');
export type LiabilityRow = z.input<typeof liabilityRow>;

type Amounts = Readonly<Record<keyof typeof columns, Decimal>>;

/** A row before its amounts are numbers. */
export interface ComputedRow {
  readonly entity: string;
  readonly currency: string;
  readonly repId: string | null;
  readonly amounts: Amounts;
  readonly late: Decimal;
  readonly liability: Decimal;
  readonly receivable: Decimal;
  readonly value: Decimal;
  readonly states: States;
  readonly draws: ReturnType<typeof rollDrawsForward>;
}

/** One row for each entity, person and currency, without those in which nothing is and nothing moved. */
export function listByPerson({ lines, states: known, month }: MonthBooks): ComputedRow[] {
  const byKey = groupBy(lines, keyOf);
  const statesOf = new Map(known.map((state) => [keyOf(state), state]));
  return [...byKey].flatMap(([key, ofKey]) => {
    const [{ entity, repId, currency }] = ofKey as [(typeof ofKey)[number]];
    const { late, ...amounts } = rollForward(ofKey, month);
    const drawn = rollDrawsForward(ofKey, month);
    if ([...Object.values(amounts), ...Object.values(drawn)].every((amount) => amount.isZero())) return [];
    return [
      {
        entity,
        currency,
        repId,
        amounts,
        late,
        liability: maximum(amounts.closing, Decimal.zero),
        receivable: maximum(amounts.closing.negated(), Decimal.zero),
        value: worthOf(ofKey),
        states: withoutPerson(statesOf.get(key)) ?? owedOf(amounts),
        draws: drawn,
      },
    ];
  });
}

const keyOf = ({ entity, repId, currency }: Pick<RepStates, 'entity' | 'repId' | 'currency'>) =>
  `${entity}|${repId}|${currency}`;

function worthOf(lines: MonthBooks['lines']): Decimal {
  return sum(
    lines
      .filter(({ account }) => account === 'accrued_commission' || account === 'commission_receivable')
      .map(({ value }) => value),
  ).negated();
}

function withoutPerson(state: RepStates | undefined): States | undefined {
  if (state === undefined) return undefined;
  const { entity: _, repId: __, currency: ___, ...rest } = state;
  return rest;
}

/** Nothing of it is in a statement: it is payable, or owed. */
function owedOf({ closing }: Pick<RollForward, 'closing'>): States {
  const { zero } = Decimal;
  const payable = maximum(closing, zero);
  return { waiting: zero, held: zero, payable, approved: zero, inBatch: zero, toRecover: closing.minus(payable) };
}

/** The sums of the rows by entity and currency. What one person owes is not netted against what another is owed. */
export function addByCurrency(rows: readonly ComputedRow[]): ComputedRow[] {
  return [...groupBy(rows, ({ entity, currency }) => `${entity}|${currency}`).values()].map((inIt) => {
    const [{ entity, currency }] = inIt as [ComputedRow];
    const total = (read: (row: ComputedRow) => Decimal) => sum(inIt.map(read));
    return {
      entity,
      currency,
      repId: null,
      amounts: addRecords(inIt.map(({ amounts }) => amounts)),
      late: total(({ late }) => late),
      liability: total(({ liability }) => liability),
      receivable: total(({ receivable }) => receivable),
      value: total(({ value }) => value),
      states: addRecords(inIt.map((row) => row.states)),
      draws: addRecords(inIt.map((row) => row.draws)),
    };
  });
}

function addRecords<Name extends string>(records: readonly Readonly<Record<Name, Decimal>>[]): Record<Name, Decimal> {
  const names = Object.keys(records[0] ?? {}) as Name[];
  return Object.fromEntries(names.map((name) => [name, sum(records.map((record) => record[name]))])) as Record<
    Name,
    Decimal
  >;
}

/** The rows by entity, currency and name. */
export async function nameRows(
  tx: Transaction,
  rows: readonly ComputedRow[],
): Promise<(ComputedRow & { readonly repName: string | null })[]> {
  const names = await findRepNames(
    tx,
    rows.flatMap(({ repId }) => repId ?? []),
  );
  const named = rows.map((row) => ({ ...row, repName: row.repId === null ? null : (names.get(row.repId) ?? '') }));
  const groupOf = ({ entity, currency }: ComputedRow) => `${entity}|${currency}`;
  return named.sort((a, b) =>
    groupOf(a) === groupOf(b)
      ? compareNames(a.repName ?? '', b.repName ?? '') || ((a.repId ?? '') < (b.repId ?? '') ? -1 : 1)
      : groupOf(a) < groupOf(b)
        ? -1
        : 1,
  );
}

export function toLiabilityRow(row: ComputedRow & { readonly repName: string | null }): LiabilityRow {
  const {
    entity,
    currency,
    repId,
    repName,
    amounts,
    late,
    liability,
    receivable,
    value,
    states: byState,
    draws: drawn,
  } = row;
  const hasDraws = Object.values(drawn).some((amount) => !amount.isZero());
  return {
    entity,
    currency,
    repId,
    repName,
    ...toNumbers(amounts),
    late: late.toNumber(),
    liability: liability.toNumber(),
    receivable: receivable.toNumber(),
    value: value.toNumber(),
    states: toNumbers(byState),
    ...(hasDraws ? { draws: toNumbers(drawn) } : {}),
  };
}

/** The amount with all digits of its currency, as files show it. */
export function fixed(amount: Decimal, currency: string): string {
  return plainAmount(roundToCurrency(amount, currency).toString(), currency);
}

export const liabilityExample = {
  entity: 'main',
  currency: 'USD',
  repId: null,
  repName: null,
  opening: 4800,
  earned: 0,
  corrections: 0,
  adjustments: 0,
  takenBack: 0,
  topUps: 0,
  recovered: 0,
  paid: -1600,
  writtenOff: 0,
  closing: 3200,
  late: 0,
  liability: 3200,
  receivable: 0,
  value: 3200,
  states: { waiting: 3200, held: 0, payable: 0, approved: 0, inBatch: 0, toRecover: 0 },
} as const;

export const missingRates = z
  .array(
    z
      .object({
        currency: fields.currency,
        day: z.string().describe('Day for which there is no rate into the currency of the entity, YYYY-MM-DD'),
      })
      .describe('A missing exchange rate'),
  )
  .describe('Missing exchange rates: values in the currency of the entity are incomplete while there are any');

export function listMissingRates(missing: MonthBooks['missingRates']): z.input<typeof missingRates> {
  const keys = [...new Set(missing.map(({ currency, day }) => `${currency} ${day}`))].sort();
  return keys.map((key) => ({ currency: key.slice(0, 3), day: key.slice(4) }));
}
