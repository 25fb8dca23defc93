/** Text that is safe to stand in a page: only {@link html} and constants make it. */
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

/** The text as a reader sees it, in an element or a quoted attribute. */
export function esc(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] as string);
}

/** A template whose every value is escaped; markup goes in only as another template's. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const filled = parts.map((part, index) => (index === 0 ? part : markupOf(values[index - 1] as Value) + part));
  return new Html(filled.join(''));
}

function markupOf(value: Value): string {
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('');
  return esc(String(value));
}

/** A whole page, which may load nothing: neither from elsewhere nor scripts of its own. */
export function htmlPage({ title, style, body }: { title: string; style: Html; body: Html }): Html {
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${style}</style>
</head>
<body>${body}</body>
</html>`;
}
