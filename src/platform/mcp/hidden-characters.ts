/**
 * Control characters except tabs and line ends, overrides of the writing direction, and the invisible tag
 * characters. They are not part of typed text, and can hide text from a person that a model reads.
 */
const hidden = /[^\P{Cc}\t\n\r]|[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{e0000}-\u{e007f}]/gu;

/** The value without such characters in any of its texts and keys. */
export function removeHidden(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(hidden, '');
  if (Array.isArray(value)) return value.map(removeHidden);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.replace(hidden, ''), removeHidden(item)]),
  );
}
