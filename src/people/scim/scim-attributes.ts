import { ScimError } from './scim-error.js';
import { enterpriseUser, type ScimUser } from './scim-user.js';

export type Loose = Readonly<Record<string, unknown>>;

/** One value of a list, such as an address or a role, with the attributes that the service compares. */
interface Item {
  readonly value?: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** A user while its attributes are set one by one. */
export interface UserDraft {
  readonly texts: Map<TextName, string>;
  active: boolean | undefined;
  emails: readonly Item[] | undefined;
  roles: readonly Item[] | undefined;
  managerId: string | undefined;
}

const textNames = [
  'externalId',
  'userName',
  'displayName',
  'title',
  'name.formatted',
  'name.givenName',
  'name.familyName',
  'department',
] as const;
type TextName = (typeof textNames)[number];

/** Attributes of RFC 7643 that the service does not keep. */
const unkept =
  'id,meta,schemas,groups,nickName,profileUrl,userType,preferredLanguage,locale,timezone,password,phoneNumbers,ims,photos,addresses,entitlements,x509Certificates,employeeNumber,costCenter,organization,division'
    .toLowerCase()
    .split(',');
const unkeptPartsOfName = ['middlename', 'honorificprefix', 'honorificsuffix'];

/** A path without the address of its schema; names have no case (RFC 7643, section 2.1). */
export interface AttributePath {
  readonly name: string;
  /** The values of a list that the path selects; null for all. */
  readonly selection: Loose | null;
  readonly part: string | null;
}

const coreSchemas = ['urn:ietf:params:scim:schemas:core:2.0:user:', 'urn:ietf:params:scim:schemas:core:2.0:group:'];
const extension = enterpriseUser.toLowerCase();

export function readPath(path: string): AttributePath {
  const schema = coreSchemas.find((name) => path.toLowerCase().startsWith(name)) ?? `${extension}:`;
  const bare = path.toLowerCase().startsWith(schema) ? path.slice(schema.length) : path;
  if (bare.toLowerCase() === extension) return { name: extension, selection: null, part: null };
  const match = /^([a-z$][\w$-]*)(?:\[([^\]]*)\])?(?:\.([a-z$][\w$-]*))?$/i.exec(bare.trim());
  if (match === null) throw invalidPath(path);
  const [, name = '', filter, part] = match;
  return {
    name: name.toLowerCase(),
    selection: filter === undefined ? null : readSelection(filter),
    part: part?.toLowerCase() ?? null,
  };
}

/** Only comparisons with `eq` select values: providers send no others. */
function readSelection(filter: string): Loose {
  const terms = filter.split(/(?<!\s)\s+and\s+/i).map((term) => {
    const match = /^\s*([a-z]\w*)\s+eq\s+("(?:[^"\\]|\\.)*"|\w+)\s*$/i.exec(term);
    if (match === null) throw new ScimError(400, 'invalidFilter', `The filter ${filter} must compare with eq.`);
    const [, name = '', literal = ''] = match;
    return [name.toLowerCase(), literal.startsWith('"') ? (JSON.parse(literal) as string) : literal] as const;
  });
  return Object.fromEntries(terms);
}

export function invalidPath(path: string): ScimError {
  return new ScimError(400, 'invalidPath', `There is no attribute ${path.slice(0, 200)} that can be changed.`);
}

export function invalidValue(name: string, expected: string): ScimError {
  return new ScimError(400, 'invalidValue', `${name} must be ${expected}.`);
}

export type Verb = 'add' | 'replace' | 'remove';

/** Sets one attribute. False for an attribute that the service does not know. */
export function setAttribute(draft: UserDraft, verb: Verb, path: AttributePath, value: unknown): boolean {
  const { name, part } = path;
  if (unkept.includes(name)) return true;
  if (name === extension) return setParts(draft, verb, '', value);
  if (name === 'name') return setName(draft, verb, part, value);
  if (name === 'active') return setActive(draft, verb, value);
  if (name === 'manager') return setManager(draft, verb, part, value);
  if (name === 'emails' || name === 'roles') {
    draft[name] = changeItems(draft[name] ?? [], verb, path, value);
    return true;
  }
  return part === null && setText(draft, verb, name, value);
}

function setParts(draft: UserDraft, verb: Verb, prefix: string, value: unknown): boolean {
  if (verb === 'remove') throw invalidValue(enterpriseUser, 'removed by its attributes');
  if (!isObject(value)) throw invalidValue(prefix === '' ? enterpriseUser : prefix, 'an object');
  return Object.entries(value).every(([name, each]) => setAttribute(draft, verb, readPath(name), each));
}

function setName(draft: UserDraft, verb: Verb, part: string | null, value: unknown): boolean {
  if (part !== null) return unkeptPartsOfName.includes(part) || setText(draft, verb, `name.${part}`, value);
  if (verb === 'remove') {
    for (const name of textNames) if (name.startsWith('name.')) draft.texts.delete(name);
    return true;
  }
  if (!isObject(value)) throw invalidValue('name', 'an object');
  return Object.entries(value).every(([key, each]) => setName(draft, verb, key.toLowerCase(), each));
}

function setText(draft: UserDraft, verb: Verb, lowered: string, value: unknown): boolean {
  const name = textNames.find((each) => each.toLowerCase() === lowered);
  if (name === undefined) return false;
  if (verb === 'remove' || value === null) draft.texts.delete(name);
  else if (typeof value === 'string') draft.texts.set(name, value);
  else throw invalidValue(name, 'a text');
  return true;
}

function setActive(draft: UserDraft, verb: Verb, value: unknown): boolean {
  const active = toBoolean(value);
  if (verb === 'remove' || typeof active !== 'boolean') throw invalidValue('active', 'true or false');
  draft.active = active;
  return true;
}

/** Microsoft Entra ID sends booleans as texts such as "False". */
function toBoolean(value: unknown): unknown {
  if (typeof value !== 'string' || !/^(true|false)$/i.test(value)) return value;
  return value.toLowerCase() === 'true';
}

/** Providers send the id alone, in an object or a list of one, or as the address of the user. */
function setManager(draft: UserDraft, verb: Verb, part: string | null, value: unknown): boolean {
  if (part === 'displayname') return true;
  if (part !== null && part !== 'value' && part !== '$ref') return false;
  draft.managerId = verb === 'remove' ? undefined : toManagerId(value);
  return true;
}

function toManagerId(value: unknown): string | undefined {
  const only = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
  const lowered = isObject(only) ? withLoweredNames(only) : {};
  const id = isObject(only) ? (lowered['value'] ?? lowered['$ref']) : only;
  if (id === null || id === '') return undefined;
  if (typeof id !== 'string') throw invalidValue('manager', 'the id of a person');
  return /\/Users\/([^/]+)$/i.exec(id)?.[1] ?? id;
}

/** The list after a change of all values, or of those that the path selects. */
function changeItems(
  items: readonly Item[],
  verb: Verb,
  { name, selection, part }: AttributePath,
  value: unknown,
): Item[] {
  if (selection === null && part !== null) throw invalidPath(`${name}.${part}`);
  const isSelected = (item: Item) =>
    Object.entries(selection ?? {}).every(([key, expected]) => isSame(item[key as keyof Item], expected));
  if (selection === null) {
    if (verb === 'remove') return value === undefined || value === null ? [] : without(items, readItems(name, value));
    return verb === 'replace' ? readItems(name, value) : merge(items, readItems(name, value));
  }
  if (verb === 'remove') return items.filter((item) => !isSelected(item) || (part !== null && part !== 'value'));
  const change = readItem(name, part === null ? value : { [part]: value });
  if (items.some(isSelected)) return items.map((item) => (isSelected(item) ? { ...item, ...change } : item));
  return merge(items, [{ ...readItem(name, selection), ...change }]);
}

function isSame(value: unknown, expected: unknown): boolean {
  return String(value ?? '').toLowerCase() === String(expected).toLowerCase();
}

function without(items: readonly Item[], removed: readonly Item[]): Item[] {
  return items.filter(({ value }) => !removed.some((each) => isSame(value, each.value)));
}

/** What is added comes first and is the only primary value: a person has one role and one address. */
function merge(items: readonly Item[], added: readonly Item[]): Item[] {
  return [...added, ...without(items, added).map((item) => ({ ...item, primary: false }))];
}

function readItems(name: string, value: unknown): Item[] {
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((item: unknown) => readItem(name, item));
}

/** Microsoft Entra ID sends roles as JSON in a text, alone or as the value of an object. */
function readItem(name: string, sent: unknown): Item {
  const object = isObject(sent) ? withLoweredNames(sent) : { value: sent };
  const inner = fromJson(object['value']);
  const { value, type, primary: marked } = isObject(inner) ? { ...object, ...withLoweredNames(inner) } : object;
  const primary = toBoolean(marked);
  if (value !== undefined && typeof value !== 'string') throw invalidValue(`${name}.value`, 'a text');
  if (primary !== undefined && primary !== null && typeof primary !== 'boolean')
    throw invalidValue(`${name}.primary`, 'true or false');
  return {
    ...(value === undefined ? {} : { value }),
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof primary === 'boolean' ? { primary } : {}),
  };
}

function fromJson(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw invalidValue('A value that begins with {', 'JSON');
  }
}

function withLoweredNames(object: Loose): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));
}

export function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function emptyDraft(): UserDraft {
  return { texts: new Map(), active: undefined, emails: undefined, roles: undefined, managerId: undefined };
}

export function toDraft(user: ScimUser): UserDraft {
  const { externalId, userName, displayName, title, name = {}, active, emails, roles } = user;
  const { department, manager } = user[enterpriseUser] ?? {};
  const texts = Object.entries({
    externalId,
    userName,
    displayName,
    title,
    department,
    'name.formatted': name.formatted,
    'name.givenName': name.givenName,
    'name.familyName': name.familyName,
  } satisfies Record<TextName, string | undefined>);
  const present = texts.filter((entry): entry is [TextName, string] => entry[1] !== undefined);
  return { texts: new Map(present), active, emails, roles, managerId: manager?.value };
}

export function fromDraft({ texts, active, emails, roles, managerId }: UserDraft): ScimUser {
  const text = <Name extends string>(name: Name, from: TextName = name as unknown as TextName) => {
    const value = texts.get(from);
    return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: string });
  };
  const name = {
    ...text('formatted', 'name.formatted'),
    ...text('givenName', 'name.givenName'),
    ...text('familyName', 'name.familyName'),
  };
  return {
    ...text('externalId'),
    ...text('userName'),
    ...text('displayName'),
    ...text('title'),
    name,
    ...(active === undefined ? {} : { active }),
    ...(emails === undefined ? {} : { emails }),
    ...(roles === undefined ? {} : { roles }),
    [enterpriseUser]: {
      ...text('department'),
      ...(managerId === undefined ? {} : { manager: { value: managerId } }),
    },
  };
}
