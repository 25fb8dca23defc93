/**
 * Control characters but for tabs and line ends, overrides of the writing direction, and the invisible letters of the
 * tag block: nobody types them into a deal, and they can hide words from a person that a model reads.
 */
const hidden = /[^\P{Cc}\t\n\r]|[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{e0000}-\u{e007f}]/gu;

/** The value with such characters taken out of every text in it, names included. */
export function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(hidden, '');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name.replace(hidden, ''), plain(item)]));
}
