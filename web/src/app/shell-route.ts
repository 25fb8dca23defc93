import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { profileQuery } from '../api/queries.js';
import { PageError } from '../components/PageProblems.js';
import { isPeriod } from '../format/periods.js';
import { queryClient } from './query-client.js';
import { Shell } from './Shell.js';

export type Search = Record<string, unknown>;

export const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
export const periodIn = (search: Search) => (isPeriod(search['period']) ? search['period'] : undefined);

export const rootRoute = createRootRoute();

/** Others sign in first and then return. */
export async function requireSession({ location }: { readonly location: { readonly href: string } }): Promise<void> {
  const profile = await queryClient.ensureQueryData(profileQuery).catch(() => null);
  if (profile === null || profile.repId === null)
    throw redirect({ to: '/login', search: { next: location.href === '/' ? undefined : location.href } });
}

/** Pages of people who are signed in. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_shell',
  component: Shell,
  errorComponent: PageError,
  beforeLoad: requireSession,
});
