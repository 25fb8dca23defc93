import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';

interface Issue {
  readonly path: string;
  readonly message: string;
}

/**
 * The failure that an unknown id gives, when every argument that is wrong is an id of a form that no id has. An agent
 * that mistakes a name for an id is helped by "there is no such plan", not by a remark about the form of ids.
 */
export function unknownIdFailure(
  error: unknown,
  given: Readonly<Record<string, unknown>>,
  codes: Readonly<Record<string, string>>,
): Failure | null {
  if (!(error instanceof Failure) || error.code !== 'VALIDATION_FAILED') return null;
  const issues = (error.details?.['issues'] ?? []) as readonly Issue[];
  const found = issues.map(({ path }) => unknownIdAt(path, given, codes));
  const [first] = found;
  if (first === undefined || first === null || found.includes(null)) return null;
  const { path, code, id } = first;
  return new Failure(code, `${path}: nothing in this workspace has the id ${JSON.stringify(id.slice(0, 100))}.`);
}

function unknownIdAt(path: string, given: Readonly<Record<string, unknown>>, codes: Readonly<Record<string, string>>) {
  const names = path.split('.');
  const name = names.findLast((part) => !/^\d+$/.test(part)) ?? '';
  const code = Object.hasOwn(codes, name) ? codes[name] : undefined;
  const id = names.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], given);
  return code === undefined || typeof id !== 'string' || isUuid(id) ? null : { path, code, id };
}
