import { withoutInvisible } from '../../kernel/invisible-characters.js';
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
export function toSingleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const maxNameLength = 60;
/** Of a longer name, such as that of a deal, the rest is not searched for links: the time grows with its square. */
const maxSearchedLength = 500;
/** Matches URLs with a scheme, such as `https://example.com/x`, and without, such as `www.example.com`. */
const addresses = /[a-z][a-z0-9+.-]*:\/\/\S*|\bwww\.\S*|\S+\.[^\s./]+[/?#]\S*/gi;
/** Mail programs turn `example.com` into a link. Initials such as `J.R.` are none. */
const dotBeforeDomain = /(?<=\S)[.。．｡](?=[\p{L}\p{N}-]{2})/gu;

/**
 * A name that a tenant has chosen, for mails to people who may not know the tenant: at most 60 characters in one line,
 * and nothing that a mail program shows as a link.
 */
export function nameInMail(name: string): string {
  const plain = toSingleLine(
    withoutInvisible(name).slice(0, maxSearchedLength).replace(addresses, ' ').replace(dotBeforeDomain, ' '),
  );
  const characters = [...plain];
  return characters.length <= maxNameLength
    ? plain
    : `${characters
        .slice(0, maxNameLength - 1)
        .join('')
        .trim()}…`;
}

/** The paragraphs as plain text and as HTML. A paragraph with `big` is emphasised. */
export function buildBody(paragraphs: readonly (string | { readonly big: string })[]): MailBody {
  const text = paragraphs.map((paragraph) => (typeof paragraph === 'string' ? paragraph : paragraph.big)).join('\n\n');
  const markup = paragraphs.map((paragraph) =>
    typeof paragraph === 'string'
      ? html`<p>${paragraph}</p>\n`
      : html`<p style="font-size:2em;letter-spacing:.2em"><strong>${paragraph.big}</strong></p>\n`,
  );
  return {
    text: `${text}\n`,
    html: html`<!doctype html>\n<html lang="en"><body style="font-family:sans-serif">\n${markup}</body></html>\n`
      .markup,
  };
}
