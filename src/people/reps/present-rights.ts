import { type Caller } from '../../kernel/caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { findRoleAndActivity, findVisibleTeam } from './rep-views.js';

/** A stored caller with the present team; null if the person has another role now or is not active. Keys are not checked. */
export async function withPresentRights(tx: Transaction, caller: Caller): Promise<Caller | null> {
  const { repId, accessLevel } = caller;
  if (repId === null) return caller;
  const person = await findRoleAndActivity(tx, repId);
  if (person?.active !== true || person.role !== accessLevel) return null;
  const team = person.role === 'manager' ? await findVisibleTeam(tx, repId) : null;
  return team === null ? caller : { ...caller, team: new Set(team) };
}
