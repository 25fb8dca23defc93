/** A mail that is to be sent. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type MailBody = Pick<Mail, 'text' | 'html'>;

/** A line break in a header would start the next one: such a mail is never kept, whoever wrote it. */
export function assertHeaders({ to, subject }: Pick<Mail, 'to' | 'subject'>): void {
  for (const header of [to, subject]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be kept out
    if (/[\u0000-\u001f\u007f]/.test(header)) throw new Error('a mail header holds control characters');
  }
}

/** Names may hold line breaks; where one line is meant they become spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The same paragraphs as text and as HTML; one may be emphasised by standing on its own with `big`. */
export function bodyOf(paragraphs: readonly (string | { readonly big: string })[]): MailBody {
  const text = paragraphs.map((one) => (typeof one === 'string' ? one : one.big)).join('\n\n');
  const html = paragraphs
    .map((one) =>
      typeof one === 'string'
        ? `<p>${escapeHtml(one)}</p>`
        : `<p style="font-size:2em;letter-spacing:.2em"><strong>${escapeHtml(one.big)}</strong></p>`,
    )
    .join('\n');
  return {
    text: `${text}\n`,
    html: `<!doctype html>\n<html lang="en"><body style="font-family:sans-serif">\n${html}\n</body></html>\n`,
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
