/**
 * What a caller can act on, told as a code that clients match and a sentence for people. Which status a code has
 * is declared per operation, because the specification gives one code different statuses on different routes.
 * Anything else that is thrown is a bug or an outage.
 */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly code: string,
    message: string,
    readonly details?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** A request that breaks its schema or a rule between its fields; names every offending field, a hundred at most. */
export function invalid(...issues: readonly [Issue, ...Issue[]]): Failure {
  const first = issues[0];
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const message = `${first.path ? `${first.path}: ` : ''}${first.message}${more}`;
  return new Failure('VALIDATION_FAILED', message, { issues: issues.slice(0, mostIssues) });
}

const mostIssues = 100;
