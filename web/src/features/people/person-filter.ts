import { type Person } from '../../api/payroll-queries.js';
import { roleNames } from '../../app/navigation.js';
import { containsText } from '../../shared/format/texts.js';
import { readFieldFilter } from './person-fields.js';

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

/** The texts by which people search for a person. */
function wordsOf(person: Person, manager: string): readonly string[] {
  const { name, email, role, title, team, location } = person;
  const values = Object.values(person.fields ?? {}).map(String);
  return [name, email, manager, roleNames[role], title ?? '', team ?? '', location ?? '', ...values];
}

/** Whether each word of the text is in something that is known of the person: "AE North" finds the AEs of North. */
function matchesWords(searched: string, person: Person, manager: string): boolean {
  const known = wordsOf(person, manager);
  return searched.split(/\s+/).every((word) => containsText(word, ...known));
}

/** The people who pass the filter. */
export function filterPeople(
  people: readonly Person[],
  everyone: readonly Person[],
  filter: PersonFilter,
): readonly Person[] {
  const { name = '', team, title, location, manager, role, state, fields } = filter;
  const values = Object.entries(readFieldFilter(fields));
  const names = new Map(everyone.map((person) => [person.id, person.name]));
  return people.filter(
    (person) =>
      (team === undefined || person.team === team) &&
      (title === undefined || person.title === title) &&
      (location === undefined || person.location === location) &&
      (manager === undefined || person.managerId === manager) &&
      (role === undefined || person.role === role) &&
      values.every(([slug, value]) => String(person.fields?.[slug] ?? '') === value) &&
      (state === undefined || person.active === (state === 'active')) &&
      matchesWords(name, person, names.get(person.managerId ?? '') ?? ''),
  );
}
