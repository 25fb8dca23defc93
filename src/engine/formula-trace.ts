import { type Decimal } from '../kernel/decimal.js';
import { asNumber } from './field-value.js';
import { fieldsIn } from './formula.js';
import { type Deal, type ReadField } from './slug.js';

/** A formula that a rule names, with the readers of its value and of its fields. */
export interface CompiledFormula {
  readonly formula: string;
  readonly read: ReadField;
  readonly operands: readonly { readonly field: string; readonly read: ReadField }[];
}

/** What a formula gave on a deal, and from which fields; null where there is no number. */
export interface FormulaValue<Value> {
  readonly formula: string;
  readonly value: Value | null;
  readonly operands: readonly { readonly field: string; readonly value: Value | null }[];
}

export type StoredFormula = readonly [
  formula: string,
  value: number | null,
  operands: readonly (readonly [field: string, value: number | null])[],
];

export function compileFormula(formula: string, readerOf: (slug: string) => ReadField): CompiledFormula {
  const operands = fieldsIn(formula).map((field) => ({ field, read: readerOf(field) }));
  return { formula, read: readerOf(formula), operands };
}

export function readFormula({ formula, read, operands }: CompiledFormula, deal: Deal): FormulaValue<Decimal> {
  return {
    formula,
    value: asNumber(read(deal)),
    operands: operands.map(({ field, read: readField }) => ({ field, value: asNumber(readField(deal)) })),
  };
}

/** The formulas as a positional JSON array. */
export function encodeFormulas(formulas: readonly FormulaValue<Decimal>[]): string {
  const number = (value: Decimal | null) => value?.toString() ?? 'null';
  const operand = ({ field, value }: { readonly field: string; readonly value: Decimal | null }) =>
    `[${JSON.stringify(field)},${number(value)}]`;
  return `[${formulas
    .map(
      ({ formula, value, operands }) =>
        `[${JSON.stringify(formula)},${number(value)},[${operands.map(operand).join()}]]`,
    )
    .join()}]`;
}

export function decodeFormulas(stored: readonly StoredFormula[]): FormulaValue<number>[] {
  return stored.map(([formula, value, operands]) => ({
    formula,
    value,
    operands: operands.map(([field, number]) => ({ field, value: number })),
  }));
}
