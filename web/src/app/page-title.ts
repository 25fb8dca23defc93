import { useEffect } from 'react';
import { createStore } from './store.js';

export interface Crumb {
  readonly label: string;
  /** The address of the page; absent for the present one. */
  readonly to?: string | undefined;
}

const crumbs = createStore<readonly Crumb[]>([]);

/** The path of the present page, which the header displays. */
export const useCrumbs = crumbs.use;

/** Sets the path in the header and the title of the window. */
export function useSetCrumbs(next: readonly Crumb[]): void {
  const key = JSON.stringify(next);
  useEffect(() => {
    const parsed = JSON.parse(key) as Crumb[];
    crumbs.set(parsed);
    document.title = [...parsed.map(({ label }) => label).reverse(), 'Commissions'].join(' · ');
  }, [key]);
}
