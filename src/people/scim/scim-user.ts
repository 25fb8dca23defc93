import { type Role, roles } from '../../kernel/caller.js';
import { invalid } from '../../kernel/failure.js';
import { type Rep } from '../reps/rep.js';

export const enterpriseUser = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** The groups of the service are the roles: their members have the role. */
export const groupNames: Readonly<Record<Role, string>> = {
  admin: 'Admins',
  manager: 'Managers',
  payroll: 'Payroll',
  finance: 'Finance',
  auditor: 'Auditors',
  rep: 'Reps',
};

/** What the identity provider has stored about a person and the service does not use. */
export interface ProviderNames {
  readonly externalId: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
}

export type ScimPerson = Pick<Rep, 'id' | 'email' | 'name' | 'title' | 'team' | 'role' | 'active' | 'managerId'> &
  ProviderNames;

/** The attributes of a SCIM user that the service reads and writes (RFC 7643, sections 4.1 and 4.3). */
export interface ScimUser {
  readonly id?: string;
  readonly externalId?: string;
  readonly userName?: string;
  readonly displayName?: string;
  readonly title?: string;
  readonly name?: { readonly formatted?: string; readonly givenName?: string; readonly familyName?: string };
  readonly active?: boolean;
  readonly emails?: readonly { readonly value?: string; readonly type?: string; readonly primary?: boolean }[];
  readonly roles?: readonly { readonly value?: string; readonly primary?: boolean }[];
  readonly groups?: readonly { readonly value: string; readonly display: string }[];
  readonly meta?: { readonly resourceType: 'User' };
  readonly [enterpriseUser]?: { readonly department?: string; readonly manager?: { readonly value?: string } };
}

export function toScimUser(person: ScimPerson): ScimUser {
  const { id, email, name, title, team, role, active, managerId, externalId, givenName, familyName } = person;
  const extension = {
    ...(team === null ? {} : { department: team }),
    ...(managerId === null ? {} : { manager: { value: managerId } }),
  };
  return {
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: email,
    displayName: name,
    name: {
      formatted: name,
      ...(givenName === null ? {} : { givenName }),
      ...(familyName === null ? {} : { familyName }),
    },
    ...(title === null ? {} : { title }),
    active,
    emails: [{ value: email, type: 'work', primary: true }],
    roles: [{ value: role, primary: true }],
    groups: [{ value: role, display: groupNames[role] }],
    meta: { resourceType: 'User' },
    ...(Object.keys(extension).length === 0 ? {} : { [enterpriseUser]: extension }),
  };
}

/** What a user of the provider changes about a person; absent values stay. */
export interface PersonChange {
  readonly name?: string;
  readonly role?: Role;
  readonly active?: boolean;
  readonly title?: string;
  /** The department in the provider. */
  readonly team?: string;
  /** Null: no manager from today on. */
  readonly managerId?: string | null;
}

/** What the user says otherwise than before. Removed values other than the manager stay. */
export function readChange(user: ScimUser, before: ScimUser): PersonChange {
  const name = changedName(user, before);
  // A provider that removes the role of a person takes its rights.
  const role = user.roles?.length === 0 ? 'rep' : readRole(user);
  const [manager, managerBefore] = [managerOf(user), managerOf(before)];
  return {
    ...(name === undefined ? {} : { name }),
    ...(role === undefined || role === readRole(before) ? {} : { role }),
    ...(user.active === undefined || user.active === before.active ? {} : { active: user.active }),
    ...changedText('title', user.title, before.title),
    ...changedText('team', user[enterpriseUser]?.department, before[enterpriseUser]?.department),
    ...(manager === managerBefore ? {} : { managerId: manager ?? null }),
  };
}

/** A text that the user says otherwise than before. */
function changedText(name: 'title' | 'team', text = '', before = ''): { [Name in typeof name]?: string } {
  return text.trim() === '' || text === before ? {} : { [name]: text };
}

/** The user with the manager of before, unless it names one: many providers send a user without its manager. */
export function keepManager(user: ScimUser, before: ScimUser): ScimUser {
  const manager = before[enterpriseUser]?.manager;
  if (manager === undefined || managerOf(user) !== undefined) return user;
  return { ...user, [enterpriseUser]: { ...user[enterpriseUser], manager } };
}

function managerOf(user: ScimUser): string | undefined {
  const manager = user[enterpriseUser]?.manager?.value;
  return manager === '' ? undefined : manager;
}

/** Providers write the name in three ways, and change any of them alone. */
function changedName(user: ScimUser, before: ScimUser): string | undefined {
  const ways = [
    ({ displayName }: ScimUser) => displayName,
    ({ name }: ScimUser) => name?.formatted,
    ({ name }: ScimUser) => [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(' '),
  ].map((read) => (from: ScimUser) => read(from)?.trim());
  return ways.find((read) => (read(user) ?? '') !== '' && read(user) !== read(before))?.(user);
}

/** The primary role, otherwise the first one; providers write its name in any case. */
function readRole({ roles: sentRoles = [] }: ScimUser): Role | undefined {
  const value = (sentRoles.find(({ primary }) => primary === true) ?? sentRoles[0])?.value;
  if (value === undefined) return undefined;
  const role = roles.find((each) => each === value.toLowerCase());
  if (role === undefined)
    throw invalid({ path: 'roles', message: `"${value}" is no role. The roles are ${roles.join(', ')}` });
  return role;
}
