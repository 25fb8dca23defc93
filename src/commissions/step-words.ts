import { fieldWords, formulaWords } from '../engine/formula-words.js';
import { type Trace } from '../engine/trace.js';
import { currencyDigits } from '../kernel/currency.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { grouped, money } from '../kernel/money-text.js';

/** The event whose trace is described. */
interface TracedEvent {
  readonly refundId?: string | undefined;
  readonly earnedOn: Day;
  readonly currency: string;
}

export const stepKinds = ['formula', 'share', 'credit_note', 'refund'] as const;

interface Step {
  readonly step: (typeof stepKinds)[number];
  readonly words: string;
}

/** What moved the amount of an event: formulas, the share of the deal, a credit note, or the refund that takes it back. */
export function describeSteps(event: TracedEvent, trace: Trace | null): Step[] {
  const refund = describeRefund(event, trace);
  if (refund !== null) return [{ step: 'refund', words: refund }];
  const pay = trace?.share?.pay ?? 1;
  const formulas = (trace?.formulas ?? []).map(
    (formula): Step => ({ step: 'formula', words: describeFormula(formula) }),
  );
  const share: Step[] = pay === 1 ? [] : [{ step: 'share', words: `Share of the deal: ${percent(Decimal.of(pay))}` }];
  const creditNote = trace === null ? null : describeCreditNote(event.currency, trace);
  return [...formulas, ...share, ...(creditNote === null ? [] : [{ step: 'credit_note', words: creditNote } as const])];
}

/** What a negative amount takes back other than by a rate; null if it has nothing of this kind. */
function describeCreditNote(currency: string, { raw, parts, tier, limits }: Trace): string | null {
  if (raw >= 0) return null;
  const isFixed = parts.some(({ rate, part }) => rate === null && part < 0);
  const fixed = isFixed ? [`takes back the fixed amount${tier?.name ? ` of tier ${tier.name}` : ''}`] : [];
  const aboveCap = limits
    .filter(({ kind, before }) => kind === 'cap' && before < 0)
    .map(({ before, after }) => Decimal.of(after).minus(Decimal.of(before)))
    .map((used) => `${money(used.rounded(currencyDigits(currency)), currency)} of it was above the cap`);
  const words = [...fixed, ...aboveCap];
  return words.length === 0 ? null : `Credit note: ${words.join('; ')}`;
}

type Formula = NonNullable<Trace['formulas']>[number];

/** The formula in words with its value and the values of its fields. */
function describeFormula({ formula, value, operands }: Formula): string {
  const number = (operand: number | null) => (operand === null ? 'without a number' : grouped(String(operand)));
  const of = operands.map(({ field, value: operand }) => {
    const isShare = operand !== null && field.toLowerCase() === 'line.discount';
    return `${fieldWords(field)} ${isShare ? percent(Decimal.of(operand)) : number(operand)}`;
  });
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
