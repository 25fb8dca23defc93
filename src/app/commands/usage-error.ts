import { isUuid } from '../../kernel/ids.js';

/** A wrong call of a command. Its message is printed without a stack trace, and the exit code is 2. */
export class UsageError extends Error {}

/** The number that the option states. */
export function readWholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
}

export function assertWorkspaceId(text: string): void {
  if (!isUuid(text)) throw new UsageError(`${text} is not a workspace id (UUID)`);
}
