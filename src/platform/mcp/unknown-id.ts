import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';

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
  const { path, code, id } = first;
  return new Failure(code, `${path}: this workspace has no record with the id ${JSON.stringify(id.slice(0, 100))}.`);
}

function unknownIdAt(
  path: string,
  sentArguments: Readonly<Record<string, unknown>>,
  codes: Readonly<Record<string, string>>,
) {
  const names = path.split('.');
  const name = names.findLast((part) => !/^\d+$/.test(part)) ?? '';
  const code = Object.hasOwn(codes, name) ? codes[name] : undefined;
  const id = names.reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | undefined)?.[part],
    sentArguments,
  );
  return code === undefined || typeof id !== 'string' || isUuid(id) ? null : { path, code, id };
}
