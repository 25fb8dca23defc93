import SCIMMY from 'scimmy';
import { type Role } from '../kernel/caller.js';
import { ScimError } from './scim-error.js';
import { enterpriseUser, groupNames, type ScimUser } from './scim-user.js';

const { Config, Messages, Resources, Schemas, Types } = SCIMMY;

export const maxResults = 200;

let isDeclared = false;

/** The library keeps one declaration for the process and rejects a second one. */
export function declareResources(baseUrl: string): void {
  if (isDeclared) return;
  isDeclared = true;
  Resources.declare(Resources.User.extend(Schemas.EnterpriseUser, false));
  Resources.declare(Resources.Group);
  for (const resource of Object.values(discovery)) resource.basepath(baseUrl);
  for (const resource of [Resources.User, Resources.Group]) resource.basepath(baseUrl);
  Config.set({
    patch: true,
    filter: { supported: true, maxResults },
    authenticationSchemes: [
      { type: 'oauthbearertoken', name: 'Key', description: 'A key with the scope scim in the header Authorization' },
    ],
  });
}

const discovery = {
  ServiceProviderConfig: Resources.ServiceProviderConfig,
  ResourceTypes: Resources.ResourceType,
  Schemas: Resources.Schema,
};
export type Discovery = keyof typeof discovery;

export function describe(name: Discovery, id: string | undefined): Promise<unknown> {
  const Resource = discovery[name];
  return asProtocolError<unknown>('invalidValue', () => (id === undefined ? new Resource() : new Resource(id)).read());
}

export interface ScimGroup {
  readonly displayName?: string;
  readonly members?: readonly { readonly value?: string }[];
}

export function toScimGroup(role: Role, memberIds: readonly string[]): ScimGroup & { readonly id: string } {
  return { id: role, displayName: groupNames[role], members: memberIds.map((value) => ({ value })) };
}

/** The user of a request, with the types that the protocol demands. */
export function readUser(body: unknown): Promise<ScimUser> {
  return asProtocolError('invalidValue', () => plain(new Schemas.User(withBooleans(assertObject(body)), 'in')));
}

export function readGroup(body: unknown): Promise<ScimGroup> {
  return asProtocolError('invalidValue', () => plain(new Schemas.Group(assertObject(body), 'in')));
}

export function writeUser(user: ScimUser): object {
  return new Schemas.User({ ...user }, 'out', Resources.User.basepath() as unknown as string);
}

export function writeGroup(group: ScimGroup): object {
  return new Schemas.Group({ ...group }, 'out', Resources.Group.basepath() as unknown as string);
}

/** The user after the operations of a PATCH. */
export function patchUser(user: ScimUser, body: unknown): Promise<ScimUser> {
  const definition = Schemas.User.definition;
  return patch(new Schemas.User({ ...user }, 'out'), body, (operation) => {
    const normal = withManagerValue(withBooleans(operation));
    const root = rootOf(normal['path']);
    // Providers send attributes that the service does not keep, also to parts of them that do not exist.
    const isIgnored = root !== null && !kept.has(root) && definition.attribute(root) !== undefined;
    return isIgnored ? [] : [normal];
  });
}

export function patchGroup(group: ScimGroup, body: unknown): Promise<ScimGroup> {
  return patch(new Schemas.Group({ ...group }, 'out'), body, (operation) => [operation]);
}

const kept: ReadonlySet<string> = new Set([
  'active',
  'userName',
  'displayName',
  'title',
  'name',
  'emails',
  'roles',
  'externalId',
  enterpriseUser,
]);
const maxOperations = 1000;
const maxPathLength = 500;

type Loose = Record<string, unknown>;

function patch<T extends object>(
  resource: SCIMMY.Types.Schema,
  body: unknown,
  read: (operation: Loose) => readonly Loose[],
): Promise<T> {
  return asProtocolError('invalidPath', async () => {
    const { Operations: given, ...message } = assertObject(body);
    if (!Array.isArray(given) || given.length > maxOperations)
      throw new ScimError(400, 'invalidSyntax', `Operations must be a list of at most ${maxOperations} operations.`);
    const operations = given.flatMap((operation) => read(assertObject(operation)));
    if (operations.some(({ path }) => typeof path === 'string' && path.length > maxPathLength))
      throw new ScimError(400, 'invalidPath', `A path has at most ${maxPathLength} characters.`);
    if (given.length > 0 && operations.length === 0) return plain<T>(resource);
    const request = { ...message, Operations: operations } as unknown as SCIMMY.Messages.PatchOp;
    const patched = await new Messages.PatchOp(request).apply(resource, async (instance) => instance);
    return plain<T>(patched ?? resource);
  });
}

/** The attribute that the path names first; an extension is one. Null without a path. */
function rootOf(path: unknown): string | null {
  if (typeof path !== 'string') return null;
  if (path.startsWith(enterpriseUser)) return enterpriseUser;
  return /^[A-Za-z]+/.exec(path)?.[0] ?? null;
}

/** Microsoft Entra ID sends booleans as texts such as "False". */
function withBooleans(given: Loose): Loose {
  const toBoolean = (value: unknown) =>
    typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
  const { active, path, value } = given;
  return {
    ...given,
    ...(active === undefined ? {} : { active: toBoolean(active) }),
    ...(path === 'active' ? { value: toBoolean(value) } : {}),
    ...(path === undefined && isObject(value) ? { value: withBooleans(value) } : {}),
  };
}

/** Microsoft Entra ID sends the id of the manager without its attribute, or a list of one. */
function withManagerValue(operation: Loose): Loose {
  if (operation['path'] !== `${enterpriseUser}:manager`) return operation;
  const value = Array.isArray(operation['value']) ? operation['value'][0] : operation['value'];
  return { ...operation, ...(value === undefined ? {} : { value: typeof value === 'string' ? { value } : value }) };
}

/** The resources that match the filter. Texts are compared without regard to case, as userName is. */
export function matching<T extends object>(resources: readonly T[], filter: string | undefined): Promise<readonly T[]> {
  return asProtocolError('invalidFilter', () => {
    if (filter === undefined) return resources;
    if (filter.length > maxPathLength)
      throw new ScimError(400, 'invalidFilter', `A filter has at most ${maxPathLength} characters.`);
    const lowered = new Map<object, T>(
      resources.map((resource) => [JSON.parse(JSON.stringify(resource).toLowerCase()) as object, resource]),
    );
    return new Types.Filter(filter.toLowerCase()).match([...lowered.keys()]).map((found) => lowered.get(found) as T);
  });
}

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assertObject(body: unknown): Loose {
  if (!isObject(body)) throw new ScimError(400, 'invalidSyntax', 'The body must be a JSON object.');
  return body;
}

/** A copy with only the values, without the accessors of the library. */
function plain<T extends object>(resource: object): T {
  return JSON.parse(JSON.stringify(resource)) as T;
}

/** The library throws TypeErrors for values of a wrong type. */
async function asProtocolError<T>(scimType: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TypeError) throw new ScimError(400, scimType, error.message);
    throw error;
  }
}
