import { type Caller, type Role } from '../kernel/caller.js';

/** The role that the token acts with; a connection token has none. */
export function roleOf({ accessLevel: standing }: Caller): Role | null {
  return standing === 'connection' || standing === 'public' ? null : standing;
}
