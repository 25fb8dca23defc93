import { groupBy } from '../kernel/group-by.js';
import { type CascadeInput } from './trace.js';

export type InputName = Pick<CascadeInput, 'repId' | 'ruleName'>;

export function inputName({ repId, ruleName }: InputName): string {
  return `${repId}|${ruleName}`;
}

/**
 * Pairs each input of a manager's event with the row that it was. Two plans may have rules of one name, whose inputs are
 * stored in the order of their plans, as the rows are given. An input without a row is left out.
 */
export function pairInputs<Row>(
  inputs: readonly CascadeInput[],
  rowsOf: (input: InputName) => readonly Row[],
): { readonly input: CascadeInput; readonly row: Row }[] {
  return [...groupBy(inputs, inputName).values()].flatMap((named) =>
    named.flatMap((input, index) => {
      const rows = rowsOf(input);
      const row = rows[index] ?? rows.at(-1);
      return row === undefined ? [] : [{ input, row }];
    }),
  );
}
