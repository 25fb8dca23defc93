import { fieldWords, formulaWords } from '../../engine/formula-words.js';
import { type Trace } from '../../engine/trace.js';
import { Decimal } from '../../kernel/decimal.js';
import { grouped } from '../../kernel/money-text.js';
import { type StatementLine } from '../../statements/snapshot.js';
import { describeRefund } from './refund-words.js';
import { decodeLineTrace } from './rule-explanations.js';

interface Step {
  readonly step: 'Formula' | 'Share of the deal' | 'Refund';
  readonly words: string;
}

/** What moved the amount of a line, as documents print it: formulas, the share of the deal, and the refund. */
export function describeSteps(line: StatementLine, trace: Trace | null = decodeLineTrace(line)): Step[] {
  const refund = describeRefund(line, trace);
  if (refund !== null) return [{ step: 'Refund', words: refund }];
  const pay = trace?.share?.pay ?? 1;
  return [
    ...(trace?.formulas ?? []).map((formula): Step => ({ step: 'Formula', words: describeFormula(formula) })),
    ...(pay === 1
      ? []
      : [
          {
            step: 'Share of the deal',
            words: `Share of the deal: ${Decimal.of(pay).times(Decimal.of(100)).toString()}%`,
          } as const,
        ]),
  ];
}

type Formula = NonNullable<Trace['formulas']>[number];

/** The formula in words with its value and the values of its fields. */
function describeFormula({ formula, value, operands }: Formula): string {
  const number = (operand: number | null) => (operand === null ? 'without a number' : grouped(String(operand)));
  const of = operands.map(({ field, value: operand }) => `${fieldWords(field)} ${number(operand)}`);
  return `${formulaWords(formula)}: ${number(value)}, of ${of.join(', ')}`;
}
