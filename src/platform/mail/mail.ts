import { html } from '../documents/html.js';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type MailBody = Pick<Mail, 'text' | 'html'>;

/** Throws on control characters: a line break in a header would start another header. */
export function assertHeaders({ to, subject }: Pick<Mail, 'to' | 'subject'>): void {
  for (const header of [to, subject]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
    if (/[\u0000-\u001f\u007f]/.test(header)) throw new Error('a mail header contains control characters');
  }
}

/** Replaces line breaks and repeated white space by single spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The paragraphs as plain text and as HTML. A paragraph with `big` is emphasised. */
export function bodyOf(paragraphs: readonly (string | { readonly big: string })[]): MailBody {
  const text = paragraphs.map((one) => (typeof one === 'string' ? one : one.big)).join('\n\n');
  const markup = paragraphs.map((one) =>
    typeof one === 'string'
      ? html`<p>${one}</p>\n`
      : html`<p style="font-size:2em;letter-spacing:.2em"><strong>${one.big}</strong></p>\n`,
  );
  return {
    text: `${text}\n`,
    html: html`<!doctype html>\n<html lang="en"><body style="font-family:sans-serif">\n${markup}</body></html>\n`
      .markup,
  };
}
