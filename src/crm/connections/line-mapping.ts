import { lineFields } from '../../engine/deal-line.js';
import { foldedSlug } from '../../engine/folded-slug.js';
import { type LineMapping } from '../adapters/port.js';

const standardByName: ReadonlyMap<string, string> = new Map(
  Object.entries(lineFields).flatMap(([slug, name]) => [
    [foldedSlug(slug), name],
    [foldedSlug(name), name],
  ]),
);

/** The value of every line that a name or slug means, in any case and with or without `line.`; null for a further value. */
export function standardLineValue(name: string): string | null {
  return standardByName.get(foldedSlug(withoutPrefix(name))) ?? null;
}

/** The fields of the CRM, apart for the values that every line has and for further ones. */
export function toLineMapping({
  fields,
  reference,
}: {
  readonly fields: Readonly<Record<string, string>>;
  readonly reference?: string | undefined;
}): LineMapping {
  const entries = Object.entries(fields);
  return {
    standard: Object.fromEntries(
      entries.flatMap(([name, field]) => {
        const standard = standardLineValue(name);
        return standard === null ? [] : [[standard, field] as const];
      }),
    ),
    own: Object.fromEntries(
      entries.flatMap(([name, field]) =>
        standardLineValue(name) === null ? [[withoutPrefix(name), field] as const] : [],
      ),
    ),
    ...(reference === undefined ? {} : { reference }),
  };
}

function withoutPrefix(name: string): string {
  return name.replace(/^line\./i, '');
}
