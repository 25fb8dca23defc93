import { useEffect, useSyncExternalStore } from 'react';

export interface Crumb {
  readonly label: string;
  /** The address of the page; absent for the present one. */
  readonly to?: string;
}

let crumbs: readonly Crumb[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Crumb[]): void {
  crumbs = next;
  for (const listener of listeners) listener();
}

/** The path of the present page, which the header displays. */
export function useCrumbs(): readonly Crumb[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => crumbs,
  );
}

/** Sets the path in the header and the title of the window. */
export function useSetCrumbs(next: readonly Crumb[]): void {
  const key = JSON.stringify(next);
  useEffect(() => {
    const parsed = JSON.parse(key) as Crumb[];
    set(parsed);
    document.title = `${[...parsed]
      .reverse()
      .map(({ label }) => label)
      .join(' · ')} · Commissions`;
  }, [key]);
}
