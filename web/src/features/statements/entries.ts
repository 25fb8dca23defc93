import { amountProblem } from '../../shared/format/amounts.js';
import { readNumber } from '../../shared/format/entered-numbers.js';

/** What a person enters for an adjustment or clawback. */
export interface Entry {
  readonly amount: string;
  readonly reason: string;
}

/** Why the amount cannot be added as this kind. Null for an amount that can, and while nothing is entered. */
export function entryProblem(kind: string, amount: string): string | null {
  const problem = amountProblem(amount);
  if (problem !== null || amount.trim() === '') return problem;
  const isNegative = (readNumber(amount) ?? 0) < 0;
  return kind === 'clawback' && !isNegative ? 'A clawback is a negative amount, such as -250.' : null;
}

/** Whether the entry can be sent. */
export function isComplete(kind: string, { amount, reason }: Entry): boolean {
  return amount.trim() !== '' && entryProblem(kind, amount) === null && reason.trim() !== '';
}
