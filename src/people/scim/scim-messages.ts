import SCIMMY from 'scimmy';
import { type Role } from '../../kernel/caller.js';
import { ScimError } from './scim-error.js';
import { enterpriseUser, groupNames, type ScimUser } from './scim-user.js';

const { Config, Resources, Schemas, Types } = SCIMMY;

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

export function writeUser(user: ScimUser): object {
  return new Schemas.User({ ...user }, 'out', Resources.User.basepath() as unknown as string);
}

export function writeGroup(group: ScimGroup): object {
  return new Schemas.Group({ ...group }, 'out', Resources.Group.basepath() as unknown as string);
}

const maxFilterLength = 500;

/** The resources that match the filter. Texts and names are compared without regard to case, as userName is. */
export function matching<T extends object>(resources: readonly T[], filter: string | undefined): Promise<readonly T[]> {
  return asProtocolError('invalidFilter', () => {
    if (filter === undefined) return resources;
    if (filter.length > maxFilterLength)
      throw new ScimError(400, 'invalidFilter', `A filter has at most ${maxFilterLength} characters.`);
    const lowered = new Map<object, T>(resources.map((resource) => [toFiltered(resource), resource]));
    const compared = new Types.Filter(filter.toLowerCase().replace(schemaPrefix, ''));
    return compared.match([...lowered.keys()]).map((found) => lowered.get(found) as T);
  });
}

const schemaPrefix = /urn:ietf:params:scim:schemas:(core:2\.0:(user|group)|extension:enterprise:2\.0:user):/g;

/** The attributes as filters name them. The library fails at lists and groups of attributes that are absent. */
function toFiltered(resource: object): object {
  const { [enterpriseUser.toLowerCase()]: extension = {}, ...all } = JSON.parse(
    JSON.stringify(resource).toLowerCase(),
  ) as Record<string, object>;
  return { name: {}, emails: [], roles: [], groups: [], members: [], manager: {}, meta: {}, ...all, ...extension };
}

/** What the library throws about a value of a request is of several kinds. */
async function asProtocolError<T>(scimType: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && !('scimType' in error)) throw new ScimError(400, scimType, error.message);
    throw error;
  }
}
