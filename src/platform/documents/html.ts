/** Markup that is safe in a page: only {@link html} and constants create it. */
export class Html {
  constructor(readonly markup: string) {}
}

type Value = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes the text for an element or a quoted attribute. */
export function esc(text: string): string {
  // Fast path: most cells are digits and plain words, and a statement may have fifty thousand.
  if (/^[\w .,:;%×+–−-]*$/.test(text)) return text;
  return printable(text).replace(/[&<>"'`]/g, (character) => entities[character] as string);
}

/** Removes invisible characters with an effect: control characters and those that change the writing direction. */
export function printable(text: string): string {
  return text.replace(unseen, '').toWellFormed();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes these characters
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** A CSS string. Every character except letters, digits and spaces is written as an escape. */
export function cssText(text: string): Html {
  const escaped = printable(text).replace(
    /[^\p{L}\p{N} ]/gu,
    (character) => `\\${(character.codePointAt(0) as number).toString(16)} `,
  );
  return new Html(`"${escaped}"`);
}

/** A template that escapes every value, except markup of other templates. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const filled = parts.map((part, index) => (index === 0 ? part : toMarkup(values[index - 1] as Value) + part));
  return new Html(filled.join(''));
}

function toMarkup(value: Value): string {
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('');
  return esc(String(value));
}

/** A complete page that loads nothing and runs no scripts. */
export function htmlPage({ title, style, body }: { title: string; style: Html; body: Html }): Html {
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:">
<title>${title}</title>
<style>${style}</style>
</head>
<body>${body}</body>
</html>`;
}
