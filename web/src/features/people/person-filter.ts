import { type Person } from '../../api/person-list-queries.js';

/** What a list of people is restricted to, as in the address of the page. */
export interface PersonFilter {
  readonly name?: string | undefined;
  readonly team?: string | undefined;
  readonly title?: string | undefined;
  readonly location?: string | undefined;
  /** Id of the manager of today. */
  readonly manager?: string | undefined;
  readonly role?: Person['role'] | undefined;
  /** Values of the fields that the workspace defines: `region=DACH&level=2`. */
  readonly fields?: string | undefined;
  readonly state?: 'active' | 'inactive' | undefined;
}

/** The filter of an address, without its other parameters. */
export function personFilterOf({
  name,
  team,
  title,
  location,
  manager,
  role,
  fields,
  state,
}: PersonFilter & Readonly<Record<string, unknown>>): PersonFilter {
  return { name, team, title, location, manager, role, fields, state };
}

/** An address has every parameter of the filter, so that one that is removed is gone. */
export const noPersonFilter: PersonFilter = personFilterOf({});

export function isFiltered(filter: PersonFilter): boolean {
  return Object.values(personFilterOf({ ...filter })).some((value) => value !== undefined);
}
