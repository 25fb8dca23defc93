import { type Role, roles } from '../../kernel/caller.js';
import { ScimError } from './scim-error.js';
import {
  type Discovery,
  describe,
  matching,
  maxResults,
  type ScimGroup,
  toScimGroup,
  writeGroup,
  writeUser,
} from './scim-messages.js';
import { patchGroup, patchUser, readGroup, readUser } from './scim-patch.js';
import { type Answer, type Handle, type ScimHandlers, type ScimRequest } from './scim-routes.js';
import { groupNames, keepManager, toScimUser } from './scim-user.js';

const ok = (body: unknown): Answer => ({ status: 200, body: body as object });

const listUsers: Handle = async ({ people, query }) => {
  const all = (await people.list()).map(toScimUser);
  return ok(toPage(await matching(all, textOf(query['filter'])), query, writeUser));
};

const getUser: Handle = async ({ people, id, query }) =>
  ok(selected(writeUser(toScimUser(await people.find(id))), query));

const createUser: Handle = async ({ people, body }) => ({
  status: 201,
  body: writeUser(toScimUser(await people.create(readUser(body)))),
});

const replaceUser: Handle = async ({ people, id, body }) =>
  ok(writeUser(toScimUser(await people.change(id, (before) => keepManager(readUser(body), before)))));

const updateUser: Handle = async ({ people, id, body }) =>
  ok(writeUser(toScimUser(await people.change(id, (before) => patchUser(before, body)))));

const deleteUser: Handle = async ({ people, id }) => {
  await people.remove(id);
  return { status: 204 };
};

async function readGroups({ people }: Pick<ScimRequest, 'people'>) {
  const everyone = await people.list();
  const memberIds = (role: Role) => everyone.filter((person) => person.role === role).map(({ id }) => id);
  return roles.map((role) => toScimGroup(role, memberIds(role)));
}

async function findGroup(request: Pick<ScimRequest, 'people' | 'id'>) {
  const group = (await readGroups(request)).find(({ id }) => id === request.id);
  if (group === undefined) throw new ScimError(404, null, `There is no group ${request.id}.`);
  return group;
}

const listGroups: Handle = async (request) => {
  const groups = await matching(await readGroups(request), textOf(request.query['filter']));
  return ok(toPage(groups, request.query, writeGroup));
};

const getGroup: Handle = async (request) => ok(selected(writeGroup(await findGroup(request)), request.query));

const groupsAreRoles = `The groups are the roles ${Object.values(groupNames).join(', ')}.`;

const createGroup: Handle = async ({ body }) => {
  const { displayName } = readGroup(body);
  const exists = Object.values(groupNames).some((name) => name.toLowerCase() === displayName?.toLowerCase());
  if (exists) throw new ScimError(409, 'uniqueness', `${displayName} exists. Find it with a filter.`);
  throw new ScimError(400, 'invalidValue', `${groupsAreRoles} Send their members instead of another group.`);
};

const replaceGroup: Handle = async (request) => changeGroup(request, (body) => readGroup(body));

const updateGroup: Handle = async (request) => changeGroup(request, (body, before) => patchGroup(before, body));

/** New members get the role; those who are left out become reps. */
async function changeGroup(
  request: ScimRequest,
  read: (body: unknown, before: ScimGroup) => ScimGroup,
): Promise<Answer> {
  const before = await findGroup(request);
  const role = before.id as Role;
  const { displayName, members = [] } = read(request.body, before);
  if (displayName !== undefined && displayName !== before.displayName)
    throw new ScimError(400, 'mutability', `${groupsAreRoles} Their names cannot change.`);
  const [had, has] = [idsOf(before.members), idsOf(members)];
  await request.people.setRoles(
    [...has].filter((id) => !had.has(id)),
    role,
  );
  if (role !== 'rep')
    await request.people.setRoles(
      [...had].filter((id) => !has.has(id)),
      'rep',
    );
  return getGroup(request);
}

function idsOf(members: ScimGroup['members'] = []): ReadonlySet<string> {
  return new Set(members.flatMap(({ value }) => value ?? []));
}

const deleteGroup: Handle = async (request) => {
  await findGroup(request);
  throw new ScimError(400, 'mutability', `${groupsAreRoles} They cannot be deleted.`);
};

const describeWith =
  (name: Discovery): Handle =>
  async ({ id }) =>
    ok(await describe(name, id === '' ? undefined : id));

/** What each method of each path does. */
export const handlers: ScimHandlers = {
  '/Users': { get: listUsers, post: createUser },
  '/Users/:id': { get: getUser, put: replaceUser, patch: updateUser, delete: deleteUser },
  '/Groups': { get: listGroups, post: createGroup },
  '/Groups/:id': { get: getGroup, put: replaceGroup, patch: updateGroup, delete: deleteGroup },
  '/ServiceProviderConfig': { get: describeWith('ServiceProviderConfig') },
  '/ResourceTypes': { get: describeWith('ResourceTypes') },
  '/ResourceTypes/:id': { get: describeWith('ResourceTypes') },
  '/Schemas': { get: describeWith('Schemas') },
  '/Schemas/:id': { get: describeWith('Schemas') },
};

const defaultCount = 100;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : fallback;
}

/** One page. Only its resources are written: a workspace may have tens of thousands of people. */
function toPage<T>(found: readonly T[], query: ScimRequest['query'], write: (resource: T) => object): object {
  const startIndex = Math.max(1, numberOf(query['startIndex'], 1));
  const count = Math.min(maxResults, Math.max(0, numberOf(query['count'], defaultCount)));
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: found.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: page.map((resource) => selected(write(resource), query)),
  };
}

/** The resource with the attributes that the query asks for, or without those that it excludes. */
function selected(resource: object, query: ScimRequest['query']): object {
  const names = (value: unknown) =>
    new Set(
      (textOf(value) ?? '')
        .toLowerCase()
        .split(',')
        .map((name) => name.trim()),
    );
  const [wanted, excluded] = [names(query['attributes']), names(query['excludedAttributes'])];
  const isShown = (name: string) =>
    name === 'id' ||
    name === 'schemas' ||
    (wanted.has('') ? !excluded.has(name.toLowerCase()) : wanted.has(name.toLowerCase()));
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)));
}
