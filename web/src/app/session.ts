import { useSuspenseQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api, basePath, onSessionEnd } from '../api/client.js';
import { type Profile, profileQuery } from '../api/queries.js';
import { deleteAllKept } from './kept-state.js';
import { queryClient } from './query-client.js';

export type Role = NonNullable<Profile['role']>;

/** The person who is signed in. Pages within the shell have one. */
export interface Session extends Profile {
  readonly repId: string;
  readonly role: Role;
}

export function useSession(): Session {
  return useSuspenseQuery(profileQuery).data as Session;
}

let hasEnded = false;
const listeners = new Set<() => void>();

function setEnded(ended: boolean): void {
  if (hasEnded === ended) return;
  hasEnded = ended;
  for (const listener of listeners) listener();
}

/** A page that was signed in keeps what it shows and asks to sign in again. */
onSessionEnd(() => {
  if (queryClient.getQueryData(profileQuery.queryKey) !== undefined) setEnded(true);
});

export function useHasSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hasEnded,
  );
}

/** Ends the session and loads the page again, so that nothing of the person stays in memory. */
export async function signOut(): Promise<void> {
  await api.logOut().catch(() => undefined);
  deleteAllKept();
  window.location.assign(`${basePath}/login`);
}

/** Opens the sign-in page, which returns to the present page. */
export function signInAgain(): void {
  const next = `${window.location.pathname.slice(basePath.length)}${window.location.search}`;
  window.location.assign(`${basePath}/login?next=${encodeURIComponent(next)}`);
}
