import { fieldWords, formulaWords } from '../engine/formula-words.js';
import { type Trace } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { grouped, money } from '../kernel/money-text.js';

/** The event whose trace is described. */
interface TracedEvent {
  readonly refundId?: string | undefined;
  readonly earnedOn: Day;
  readonly currency: string;
}

export const stepKinds = ['formula', 'share', 'refund'] as const;

interface Step {
  readonly step: (typeof stepKinds)[number];
  readonly words: string;
}

/** What moved the amount of an event: formulas, the share of the deal, or the refund that takes it back. */
export function describeSteps(event: TracedEvent, trace: Trace | null): Step[] {
  const refund = describeRefund(event, trace);
  if (refund !== null) return [{ step: 'refund', words: refund }];
  const pay = trace?.share?.pay ?? 1;
  const formulas = (trace?.formulas ?? []).map(
    (formula): Step => ({ step: 'formula', words: describeFormula(formula) }),
  );
  return pay === 1
    ? formulas
    : [...formulas, { step: 'share', words: `Share of the deal: ${percent(Decimal.of(pay))}` }];
}

type Formula = NonNullable<Trace['formulas']>[number];

/** The formula in words with its value and the values of its fields. */
function describeFormula({ formula, value, operands }: Formula): string {
  const number = (operand: number | null) => (operand === null ? 'without a number' : grouped(String(operand)));
  const of = operands.map(({ field, value: operand }) => `${fieldWords(field)} ${number(operand)}`);
  return `${formulaWords(formula)}: ${number(value)}, of ${of.join(', ')}`;
}

/** What a refund takes back of an event; null for an event that no refund causes. */
export function describeRefund({ refundId, earnedOn, currency }: TracedEvent, trace: Trace | null): string | null {
  if (refundId === undefined) return null;
  const name = `Refund ${refundId} of ${earnedOn}`;
  if (trace?.refund === undefined) return name;
  const { refunded, dealAmount, elapsedDays, percent: policy, waivedPercent, takenBefore, taken } = trace.refund;
  const number = (amount: number) => grouped(Decimal.of(amount).toString());
  const part = dealAmount === null || dealAmount === 0 ? [] : [describePart(refunded, dealAmount, number)];
  const window = elapsedDays === undefined ? [] : [`day ${elapsedDays}: ${policy ?? 100}% is taken back`];
  const waived = waivedPercent === undefined ? [] : [`${waivedPercent}% is waived`];
  const share = percent(Decimal.of(taken).minus(Decimal.of(takenBefore)));
  const taking = `${share} of ${money(Decimal.of(trace.base).absolute(), currency)}`;
  return `${name}: ${[...part, ...window, ...waived, taking].join('; ')}`;
}

function describePart(refunded: number, dealAmount: number, number: (amount: number) => string): string {
  const share = Decimal.of(refunded).dividedBy(Decimal.of(dealAmount));
  return `${number(refunded)} of ${number(dealAmount)} given back, ${percent(share)}`;
}

/** A ratio to four decimals of a percent. */
function percent(ratio: Decimal): string {
  return `${grouped(ratio.times(Decimal.of(100)).rounded(4).toString())}%`;
}
