export const codeLength = 6;

/**
 * The code after a box was changed. The text of a box is its digit with what was typed before or behind it, or what was
 * typed alone if the digit was selected; several digits were pasted or filled in. The boxes behind are emptied.
 */
export function codeAfter(code: string, box: number, text: string): string {
  const position = Math.min(box, code.length);
  const digits = text.replace(/\D/g, '');
  const before = code[position] ?? '';
  const isReplaced = before === '' || digits.length !== 2 || !digits.includes(before);
  const entered = isReplaced ? digits : digits.startsWith(before) ? digits.slice(1) : digits.slice(0, 1);
  const start = entered.length >= codeLength ? '' : code.slice(0, position);
  return (start + entered).slice(0, codeLength);
}

/** The code without the digit of the box, or without its last one if the box is empty, and the box to go to. */
export function codeWithout(code: string, box: number): { readonly code: string; readonly box: number } {
  const position = Math.max(0, Math.min(box, code.length - 1));
  return { code: code.slice(0, position), box: position };
}
