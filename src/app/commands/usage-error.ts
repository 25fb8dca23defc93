import { isUuid } from '../../kernel/ids.js';

/** A wrong call of a command. Its message is printed without a stack trace, and the exit code is 2. */
export class UsageError extends Error {}

export function assertWorkspaceId(text: string): void {
  if (!isUuid(text)) throw new UsageError(`${text} is not a workspace id (UUID)`);
}
