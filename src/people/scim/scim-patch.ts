import {
  emptyDraft,
  fromDraft,
  invalidPath,
  invalidValue,
  isObject,
  type Loose,
  readPath,
  setAttribute,
  toDraft,
  type UserDraft,
  type Verb,
} from './scim-attributes.js';
import { ScimError } from './scim-error.js';
import { type ScimGroup } from './scim-messages.js';
import { type ScimUser } from './scim-user.js';

const maxOperations = 1000;
/** In all operations on a user together. */
const maxValues = 100;
const maxPathLength = 500;
const verbs: readonly Verb[] = ['add', 'replace', 'remove'];

interface Operation {
  readonly verb: Verb;
  readonly path: string | null;
  readonly value: unknown;
}

/** The user of a POST or PUT. Attributes that the service does not know are not kept. */
export function readUser(body: unknown): ScimUser {
  const draft = emptyDraft();
  for (const [name, value] of Object.entries(assertObject(body)))
    if (value !== null && isAttribute(name)) setAttribute(draft, 'replace', readPath(name), value);
  // Providers that assign roles by groups send an empty list.
  if (draft.roles?.length === 0) draft.roles = undefined;
  return fromDraft(draft);
}

/** Other schemas of the provider have addresses with more parts than a path. */
function isAttribute(name: string): boolean {
  try {
    readPath(name);
    return true;
  } catch {
    return false;
  }
}

/** The user after the operations of a PATCH. */
export function patchUser(user: ScimUser, body: unknown): ScimUser {
  const operations = readOperations(body);
  const values = operations.reduce((sum, { value }) => sum + countValues(value), 0);
  if (values > maxValues)
    throw new ScimError(400, 'tooMany', `The operations on a user have at most ${maxValues} values together.`);
  const draft = toDraft(user);
  for (const operation of operations) apply(draft, operation);
  return fromDraft(draft);
}

function countValues(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + countValues(each), 0);
  return isObject(value) ? Object.values(value).reduce((sum: number, each) => sum + countValues(each), 0) : 1;
}

/** Without a path the value has the attributes, or paths, by name. */
function apply(draft: UserDraft, { verb, path, value }: Operation): void {
  if (path !== null) {
    if (!setAttribute(draft, verb, readPath(path), value)) throw invalidPath(path);
    return;
  }
  if (verb === 'remove') throw new ScimError(400, 'noTarget', 'An operation that removes needs a path.');
  if (!isObject(value)) throw invalidValue('The value of an operation without a path', 'an object');
  for (const [name, each] of Object.entries(value)) apply(draft, { verb, path: name, value: each });
}

interface GroupDraft {
  displayName: string | undefined;
  readonly ids: Set<string>;
}

/** The group after the operations of a PATCH. */
export function patchGroup({ displayName, members = [] }: ScimGroup, body: unknown): ScimGroup {
  const draft: GroupDraft = { displayName, ids: new Set(members.flatMap(({ value }) => value ?? [])) };
  for (const { verb, path, value } of readOperations(body)) {
    if (path !== null) setOfGroup(draft, verb, path, value);
    else if (!isObject(value) || verb === 'remove') throw new ScimError(400, 'noTarget', 'An operation needs a path.');
    else for (const [name, each] of Object.entries(value)) setOfGroup(draft, verb, name, each);
  }
  return {
    ...(draft.displayName === undefined ? {} : { displayName: draft.displayName }),
    members: [...draft.ids].map((value) => ({ value })),
  };
}

const unkeptOfGroup: readonly string[] = ['id', 'schemas', 'meta', 'externalid'];

function setOfGroup(draft: GroupDraft, verb: Verb, path: string, value: unknown): void {
  const { name, selection, part } = readPath(path);
  if (unkeptOfGroup.includes(name)) return;
  const isRemoved = verb === 'remove';
  if (name === 'members' && part === null && (selection === null || isRemoved))
    changeMembers(draft.ids, verb, selection, value);
  else if (name === 'displayname' && part === null && !isRemoved && typeof value === 'string')
    draft.displayName = value;
  else throw invalidPath(path);
}

function changeMembers(ids: Set<string>, verb: Verb, selection: Loose | null, value: unknown): void {
  const selected = selection === null ? readMembers(value) : [String(selection['value'] ?? '')];
  const isWhole = selection === null && (value === undefined || value === null);
  if (verb === 'replace' || (verb === 'remove' && isWhole)) ids.clear();
  for (const id of selected)
    if (verb === 'remove') ids.delete(id);
    else ids.add(id);
}

export function readGroup(body: unknown): ScimGroup {
  const attributes = Object.entries(assertObject(body)).map(([name, value]) => [name.toLowerCase(), value] as const);
  const { displayname, members } = Object.fromEntries(attributes);
  if (displayname !== undefined && typeof displayname !== 'string') throw invalidValue('displayName', 'a text');
  return {
    ...(displayname === undefined ? {} : { displayName: displayname }),
    members: readMembers(members).map((value) => ({ value })),
  };
}

/** The ids of members, which are objects with a value, or ids alone. */
function readMembers(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((member: unknown) => {
    const id = isObject(member) ? (member['value'] ?? member['Value']) : member;
    if (typeof id !== 'string') throw invalidValue('members', 'a list of ids');
    return id;
  });
}

function readOperations(body: unknown): Operation[] {
  const attributes = Object.entries(assertObject(body)).map(([name, value]) => [name.toLowerCase(), value] as const);
  const { operations: requested } = Object.fromEntries(attributes) as Loose;
  if (!Array.isArray(requested) || requested.length > maxOperations)
    throw new ScimError(400, 'invalidSyntax', `Operations must be a list of at most ${maxOperations} operations.`);
  return requested.map((operation: unknown) => {
    const { op, path, value } = assertObject(operation);
    const verb = verbs.find((each) => typeof op === 'string' && each === op.toLowerCase());
    if (verb === undefined) throw new ScimError(400, 'invalidSyntax', `op must be ${verbs.join(', ')}.`);
    const isPath = path === undefined || path === null || (typeof path === 'string' && path.length <= maxPathLength);
    if (!isPath) throw new ScimError(400, 'invalidPath', `A path is a text of at most ${maxPathLength} characters.`);
    return { verb, path: typeof path === 'string' && path !== '' ? path : null, value };
  });
}

function assertObject(body: unknown): Loose {
  if (!isObject(body)) throw new ScimError(400, 'invalidSyntax', 'The body must be a JSON object.');
  return body;
}
