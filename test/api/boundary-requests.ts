import { type AccessLevel } from '#src/kernel/caller.js';
import { operations } from '#src/operations.js';
import { isPublic } from '#src/platform/operations/operation.js';
import { type ApiResponse } from '#test/support/api-client.js';
import { jsonOf } from './boundary-values.js';
import { boundedFields, type DeclaredField, setAt } from './declared-fields.js';
import { type CallerName, type ExampleWorld } from './example-world.js';

const atOnce = 4;
/** Those that may call an operation, by what it requires. */
export const callersOf: Readonly<Record<AccessLevel, readonly CallerName[]>> = {
  admin: ['key', 'admin'],
  manager: ['key', 'admin', 'manager', 'integration'],
  rep: ['key', 'admin', 'manager', 'rep', 'integration', 'payroll'],
  payroll: ['admin', 'payroll'],
  finance: ['admin'],
  auditor: ['admin'],
  connection: ['key', 'admin', 'manager', 'rep', 'connection'],
  public: ['none'],
};
/** They would end the tokens of this test. */
export const ending = ['rotateWorkspaceKey', 'logOut'];

type RequestField = Omit<DeclaredField, 'schema'>;

export const bounded = operations.flatMap(boundedFields);
/** Printing a file takes a second. */
export const isPrinted = ({ operation: { files, otherStatus } }: DeclaredField) =>
  files !== undefined && otherStatus === 202;
export const nameOf = ({ operation, part, path }: RequestField) => `${operation.id} ${part}.${path.join('.')}`;

/** The example of the operation with this value in the field. */
export function inputWith({ operation, part, path }: RequestField, value: unknown, world: ExampleWorld | null) {
  const example = structuredClone(operation.example);
  const { params = {}, query = {}, body } = world === null ? example : world.fill(example);
  const changed = { params, query: { ...query }, body: operation.method === 'get' ? undefined : body };
  setAt(changed, [part, ...path], value);
  return changed;
}

/** Sends the example of the operation, also one that is a file, with this value in the field. */
export function sendWith(
  field: RequestField,
  value: unknown,
  world: ExampleWorld,
  caller: CallerName,
): Promise<ApiResponse> {
  const { operation } = field;
  const { params, query, body } = inputWith(field, value, world);
  const search = new URLSearchParams(
    Object.entries(query).map(([name, given]): [string, string] => [name, jsonOf(given).replace(/^"|"$/g, '')]),
  );
  const address = operation.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
  const path = search.size === 0 ? address : `${address}?${search}`;
  const token = isPublic(operation) ? null : world.tokens[caller];
  const file = world.fill(operation.example).uploads?.['text/csv'];
  if (typeof file === 'string' && body === undefined)
    return world.service.client(token).send('POST', path, file, { 'Content-Type': 'text/csv' });
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const text = body === undefined ? undefined : jsonOf(body);
  return world.service.client(token).send(operation.method.toUpperCase(), path, text, headers);
}

/** The bodies of the examples, and each of their fields. connectCrmc is excluded, because it sends requests to its input. */
export const partsOfBodies: readonly RequestField[] = operations.flatMap((operation) => {
  const { body } = operation.example;
  if (operation.method === 'get' || operation.id === 'connectCrmc' || typeof body !== 'object' || body === null)
    return [];
  return [[], ...Object.keys(body).map((name) => [name])].map((path) => ({ operation, part: 'body', path }));
});

/** Runs the work for all items, some of them at a time. */
export async function forAll<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const entries = items.entries();
  const lane = async () => {
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
