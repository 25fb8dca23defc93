import { type Contract } from '../../api/finance-queries.js';
import { isDay } from '../../shared/format/dates.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';

/** A day of a contract with its name, as a form has it. */
interface EnteredDay {
  readonly from: string;
  readonly name: string;
}

/** The terms of a contract as a form has them, with texts. */
export interface EnteredContract {
  readonly start: string;
  readonly end: string;
  readonly months: string;
  readonly terminatedOn: string;
  readonly renewalOf: string;
  readonly value: string;
  readonly days: readonly EnteredDay[];
}

export function toEnteredContract(contract: Contract | null): EnteredContract {
  const { start, end, months, terminatedOn, renewalOf, value, fields = {} } = contract ?? {};
  return {
    start: start ?? '',
    end: end ?? '',
    months: writeNumber(months ?? undefined),
    terminatedOn: terminatedOn ?? '',
    renewalOf: renewalOf ?? '',
    value: writeNumber(value ?? undefined),
    days: Object.entries(fields).map(([name, from]) => ({ from, name })),
  };
}

type SentContract = Omit<Contract, 'dealId' | 'updatedAt'>;

/** The terms as they are sent; null while a number or a day cannot be read. */
export function readContract({ days, ...texts }: EnteredContract): SentContract | null {
  const filled = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text.trim() || null])) as Record<
    keyof typeof texts,
    string | null
  >;
  const { start, end, terminatedOn, renewalOf } = filled;
  const [months, value] = [filled.months, filled.value].map((text) => (text === null ? null : readNumber(text)));
  const isRead = (months !== null || filled.months === null) && (value !== null || filled.value === null);
  const isNamed = days.every(({ from, name }) => isDay(from) && name.trim() !== '');
  if (!isRead || !isNamed) return null;
  const fields = Object.fromEntries(days.map(({ from, name }) => [name.trim(), from]));
  return { start, end, months: months ?? null, terminatedOn, renewalOf, value: value ?? null, fields };
}
