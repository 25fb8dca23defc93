/**
 * A condition that the caller can act on: a code that clients match and a sentence for people. Each operation
 * declares the status of its codes, because the specification gives one code different statuses on different routes.
 * Every other exception is a bug or an outage.
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

const maxIssues = 100;

/** A request that violates its schema or a rule between its fields; lists every offending field, up to a hundred. */
export class InvalidRequest extends Failure {
  constructor(
    /** Contains all issues; the response lists the first {@link maxIssues}. */
    readonly issues: readonly [Issue, ...Issue[]],
  ) {
    const first = issues[0];
    const suffix = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    const message = `${first.path ? `${first.path}: ` : ''}${first.message}${suffix}`;
    super('VALIDATION_FAILED', message, { issues: issues.slice(0, maxIssues) });
  }
}

export function invalid(...issues: readonly [Issue, ...Issue[]]): InvalidRequest {
  return new InvalidRequest(issues);
}

/** Rejects the request if there are issues. */
export function rejectAny([first, ...rest]: readonly Issue[]): void {
  if (first !== undefined) throw invalid(first, ...rest);
}
