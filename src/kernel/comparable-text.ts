import { withoutInvisible } from './invisible-characters.js';

const plain = /^[!-~]+(?: [!-~]+)*$/;

/** The text as it looks: compatible characters are the same, what displays as nothing is removed, white space is one space. */
export function visibleText(text: string): string {
  if (plain.test(text)) return text;
  return withoutInvisible(text.normalize('NFKC')).replace(/\s+/g, ' ').trim();
}

/** The form in which texts are compared: texts that look equal are equal, without regard to case. */
export function comparableText(text: string): string {
  return visibleText(text).toLowerCase();
}
