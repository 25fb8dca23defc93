/**
 * Control characters except tabs and line ends, and what programs display as nothing: tag characters, zero-width spaces,
 * overrides of the writing direction. They can hide text from a person that a model reads.
 */
const hidden = /[^\P{Cc}\t\n\r]|\p{Default_Ignorable_Code_Point}/gu;

/** The value without such characters in any of its texts and keys. */
export function removeHidden(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(hidden, '');
  if (Array.isArray(value)) return value.map(removeHidden);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.replace(hidden, ''), removeHidden(item)]),
  );
}
