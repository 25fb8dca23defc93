import { type Day } from '../kernel/day.js';
import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';

/** What of an approved statement is owed for commission in one currency, without what it pays as a draw. */
export interface ApprovedAmount {
  readonly period: string;
  readonly currency: string;
  readonly approvedOn: Day;
  readonly amount: Decimal;
}

/** What a batch contains of it. */
interface BatchedAmount {
  readonly period: string;
  readonly currency: string;
  readonly createdOn: Day;
  /** The day from which the batch is not open: that of the payment, or of the cancellation. Null while it is open. */
  readonly endedOn: Day | null;
  readonly isPaid: boolean;
  readonly amount: Decimal;
}

/** What a person is owed on a day, divided by what happens to it next. The parts add up to it. */
export interface States {
  readonly waiting: Decimal;
  readonly held: Decimal;
  /** In statements that are not approved. */
  readonly payable: Decimal;
  readonly approved: Decimal;
  /** In batches that are open. */
  readonly inBatch: Decimal;
  /** What was paid beyond what is released; never positive. */
  readonly toRecover: Decimal;
}

interface StatesInput {
  readonly currency: string;
  readonly day: Day;
  /** What the person is owed on the day; negative if they owe. */
  readonly owed: Decimal;
  readonly waiting: Decimal;
  readonly held: Decimal;
  readonly approved: readonly ApprovedAmount[];
  readonly batched: readonly BatchedAmount[];
}

export function divideByState(input: StatesInput): States {
  const { owed, waiting, held, currency, day } = input;
  const batched = input.batched.filter((batch) => batch.currency === currency);
  const statements = input.approved
    .filter((statement) => statement.currency === currency && statement.approvedOn <= day)
    .map((statement) => {
      const ofStatement = batched.filter(({ period }) => period === statement.period);
      const inBatch = sum(ofStatement.filter((batch) => isOpenOn(batch, day)).map(({ amount }) => amount));
      const paid = sum(ofStatement.filter((batch) => isPaidOn(batch, day)).map(({ amount }) => amount));
      return { inBatch, approved: maximum(statement.amount.minus(paid).minus(inBatch), Decimal.zero) };
    });
  const inBatch = sum(statements.map((statement) => statement.inBatch));
  const approved = sum(statements.map((statement) => statement.approved));
  const rest = owed.minus(waiting).minus(held).minus(inBatch).minus(approved);
  return {
    waiting,
    held,
    payable: maximum(rest, Decimal.zero),
    approved,
    inBatch,
    toRecover: minimum(rest, Decimal.zero),
  };
}

function isOpenOn({ createdOn, endedOn }: BatchedAmount, day: Day): boolean {
  return createdOn <= day && (endedOn === null || endedOn > day);
}

function isPaidOn({ isPaid, endedOn }: BatchedAmount, day: Day): boolean {
  return isPaid && endedOn !== null && endedOn <= day;
}
