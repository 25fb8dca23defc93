import { useSuspenseQuery } from '@tanstack/react-query';
import { api, basePath, onSessionEnd } from '../api/client.js';
import { type Profile, profileQuery } from '../api/queries.js';
import { deleteAllPersisted } from './persisted-state.js';
import { queryClient } from './query-client.js';
import { createStore } from './store.js';

export type Role = NonNullable<Profile['role']>;

/** The person who is signed in. Pages within the shell have one. */
export interface Session extends Profile {
  readonly repId: string;
  readonly role: Role;
}

export function useSession(): Session {
  return useSuspenseQuery(profileQuery).data as Session;
}

/** Whether the role sees what customers pay, and the pay of everyone. */
export function seesPayments(role: Role): boolean {
  return role !== 'rep' && role !== 'manager';
}

/** Whether the role only reads what others have earned. */
export function onlyReads(role: Role): boolean {
  return role === 'payroll' || role === 'finance' || role === 'auditor';
}

/** Whether the role pays people: files, batches, holds and payroll IDs. Finance and auditors see what payroll sees, and change nothing. */
export function mayPay(role: Role): boolean {
  return role === 'admin' || role === 'payroll';
}

const hasEnded = createStore(false);

/** A page that was signed in keeps what it shows and asks to sign in again. */
onSessionEnd(() => {
  if (queryClient.getQueryData(profileQuery.queryKey) !== undefined) hasEnded.set(true);
});

export const useHasSessionEnded = hasEnded.use;

/** Ends the session and loads the page again, so that nothing of the person stays in memory. */
export async function signOut(): Promise<void> {
  await api.logOut().catch(() => undefined);
  deleteAllPersisted();
  window.location.assign(`${basePath}/login`);
}

/** Opens the sign-in page, which returns to the present page. */
export function signInAgain(): void {
  const next = `${window.location.pathname.slice(basePath.length)}${window.location.search}`;
  window.location.assign(`${basePath}/login?next=${encodeURIComponent(next)}`);
}
