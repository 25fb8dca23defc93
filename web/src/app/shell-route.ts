import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { fiscalYearsQuery } from '../api/fiscal-queries.js';
import { profileQuery } from '../api/queries.js';
import { PageError } from '../components/PageProblems.js';
import { queryClient } from './query-client.js';
import { Shell } from './Shell.js';
import { type Reader, readSearch, text } from './search.js';
import { type Role } from './session.js';

export const rootRoute = createRootRoute();

/** Others sign in first and then return. */
export async function requireSession({ location }: { readonly location: { readonly href: string } }): Promise<void> {
  const profile = await queryClient.ensureQueryData(profileQuery).catch(() => null);
  if (profile === null || profile.repId === null)
    throw redirect({ to: '/login', search: { next: location.href === '/' ? undefined : location.href } });
  await queryClient.ensureQueryData(fiscalYearsQuery).catch(() => null);
}

/** Pages of people who are signed in. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_shell',
  component: Shell,
  errorComponent: PageError,
  beforeLoad: requireSession,
});

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The only role that may open the page; absent for pages of several roles. */
    readonly role?: Role;
  }
}

/** Makes pages of people who are signed in, of one role if it is given. */
export const pagesFor =
  (role?: Role) =>
  /** A page with its search parameters. Its code is loaded when it is opened first. */
  <const Path extends string, Module extends object, Readers extends Record<string, Reader>>(
    path: Path,
    load: () => Promise<Module>,
    name: keyof Module & string,
    readers: Readers = {} as Readers,
  ) =>
    createRoute({
      getParentRoute: () => shellRoute,
      path,
      validateSearch: readSearch({ sort: text, ...readers }),
      component: lazyRouteComponent(load, name) as RouteComponent,
      staticData: role === undefined ? {} : { role },
    });

export const page = pagesFor();
