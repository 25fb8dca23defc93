import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { profileQuery } from '../api/queries.js';
import { PageError } from '../components/PageProblems.js';
import { isPeriod } from '../format/periods.js';
import { queryClient } from './query-client.js';
import { Shell } from './Shell.js';

export const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
export const period = (value: unknown) => (isPeriod(value) ? value : undefined);
export const oneOf =
  <const Choice>(...choices: readonly Choice[]) =>
  (value: unknown) =>
    choices.find((choice) => choice === value);

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

/** Reads a search parameter; undefined if it is absent or invalid. */
type Reader = (value: unknown) => unknown;

/** All search parameters are optional. */
type Parameters<Readers> = {
  -readonly [Name in keyof Readers]?: Readers[Name] extends Reader ? NonNullable<ReturnType<Readers[Name]>> : never;
};

export function readSearch<Readers extends Readonly<Record<string, Reader>>>(readers: Readers) {
  return (search: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(readers).map(([name, read]) => [name, read(search[name])]),
    ) as Parameters<Readers>;
}

/** A page of people who are signed in, with its search parameters. Its code is loaded when it is opened first. */
export function page<const Path extends string, Module extends object, Readers extends Record<string, Reader>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
  readers: Readers = {} as Readers,
) {
  return createRoute({
    getParentRoute: () => shellRoute,
    path,
    validateSearch: readSearch(readers),
    component: lazyRouteComponent(load, name) as RouteComponent,
  });
}
