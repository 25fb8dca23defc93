import { type Caller, type Role } from '../kernel/caller.js';

/** The role that the token acts with; a connection token has none. */
export function roleOf({ accessLevel }: Caller): Role | null {
  return accessLevel === 'connection' || accessLevel === 'public' ? null : accessLevel;
}
