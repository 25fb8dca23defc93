import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { type RawInput } from '../operations/operation-dispatcher.js';

interface Issue {
  readonly path: string;
  readonly message: string;
}

/**
 * The failure for an unknown id, when every invalid argument is an id that is not a UUID. For an agent that passes a
 * name instead of an id, "no record has this id" is more useful than a remark about the form of ids.
 */
export function toUnknownIdFailure(
  error: unknown,
  sentArguments: Readonly<Record<string, unknown>>,
  codes: Readonly<Record<string, string>>,
): Failure | null {
  if (!(error instanceof Failure) || error.code !== 'VALIDATION_FAILED') return null;
  const issues = (error.details?.['issues'] ?? []) as readonly Issue[];
  const found = issues.map(({ path }) => unknownIdAt(path, sentArguments, codes));
  const [first] = found;
  if (first === undefined || first === null || found.includes(null)) return null;
  return unknownId(first);
}

export interface UnknownId {
  readonly path: string;
  readonly code: string;
  readonly id: string;
}

export function unknownId({ code, path, id }: UnknownId): Failure {
  return new Failure(code, `${path}: this workspace has no record with the id ${JSON.stringify(id.slice(0, 100))}.`);
}

/** A text of a call, and the name of the field or the list that holds it. */
export interface SentText {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

export function textsIn({ params, query, body }: RawInput): readonly SentText[] {
  const texts: SentText[] = [];
  const collect = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'string') texts.push({ path: path.join('.'), name: nameAt(path), text: value });
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key]);
  };
  for (const part of [params, query, body]) collect(part, []);
  return texts;
}

function nameAt(path: readonly string[]): string {
  return path.findLast((part) => !/^\d+$/.test(part)) ?? '';
}

function unknownIdAt(
  path: string,
  sentArguments: Readonly<Record<string, unknown>>,
  codes: Readonly<Record<string, string>>,
) {
  const names = path.split('.');
  const name = nameAt(names);
  const code = Object.hasOwn(codes, name) ? codes[name] : undefined;
  const id = names.reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | undefined)?.[part],
    sentArguments,
  );
  return code === undefined || typeof id !== 'string' || isUuid(id) ? null : { path, code, id };
}
