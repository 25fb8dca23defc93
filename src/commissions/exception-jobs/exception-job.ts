import { createHash } from 'node:crypto';
import { type Caller, visibleReps } from '../../kernel/caller.js';

/** For whom a job lists exceptions, and from which state. */
export interface ExceptionSubject {
  /** Stands for the set of people whom the caller may see. */
  readonly visible: string;
  /** Changes with everything that commission depends on. */
  readonly basis: string;
}

/** Who may see the same people may see the same list. */
export function hashVisible(caller: Caller): string {
  const repIds = visibleReps(caller);
  if (repIds === null) return 'all';
  return createHash('sha256')
    .update([...repIds].sort().join())
    .digest('base64url');
}
