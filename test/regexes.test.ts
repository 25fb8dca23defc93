import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parseAst } from 'rolldown/parseAst';
import { mailSettings } from '#src/platform/mail/mail-settings.js';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** The longest text, and how long a regex may take for it: a linear one takes less than 1 ms, a quadratic one seconds. */
const longest = 50_000;
const maxMs = 250;
/** A regex that is slow for a short text is run with the longest one. A quadratic one takes 0.1 ms for this length. */
const short = 600;
const slowShortMs = 0.03;
/** An exponential regex would not end with a longer text. */
const shortest = 30;

/** A text begins like one that users write, repeats a part, and ends in a way that most regexes reject. */
const beginnings = ' 1 a " ( [ % 2026-01-01 1/2/2026 12:30 a@b.c https://a.b'.split(' ');
const repeated = [
  ...[...'1aAZé \t\n\r,.;:-_/\\"\'`|#+@=%$*&()[]{}<>\0'],
  ...['\r\n', '1,', '1.', '1 ', 'a ', ' a', 'a,', 'a.', 'a-', 'a@', 'a/', ' ,'],
];
const ends = ['!', '\nx'];

/** Regexes that are never run with a long text, each with what bounds it. */
const exceptions: Readonly<Record<string, string>> = {
  'engine/formula-words.ts': 'an accepted formula closes each bracket that it opens',
  'kernel/money-text.ts': 'a decimal number of a file or a request has at most 400 digits',
  'platform/failpoint.ts': 'only tests arm failpoints',
  'platform/mail/mail-settings.ts': 'a text that is too long is not checked further',
  'platform/mail/mail.ts': 'the name is cut to 500 characters',
};

interface Found {
  readonly place: string;
  readonly regex: RegExp;
}

/** The regexes that the file states. Those that it composes are made of fixed names. */
function regexesOf(file: string): Found[] {
  const text = readFileSync(path.join(src, file), 'utf8');
  const found: Found[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex, start } = node as { regex?: { pattern: string; flags: string }; start?: number };
    if (regex !== undefined) {
      const line = text.slice(0, start).split('\n').length;
      found.push({ place: `${file}:${line}`, regex: new RegExp(regex.pattern, regex.flags) });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }, file));
  return found;
}

function textOf([beginning, repetition, end]: readonly string[], length: number): string {
  return `${beginning}${(repetition as string).repeat(length / (repetition as string).length)}${end}`;
}

function measure(regex: RegExp, text: string): number {
  const startedAt = performance.now();
  if (regex.global) text.replace(regex, '');
  else regex.test(text);
  return performance.now() - startedAt;
}

describe('the regexes of the service', () => {
  const forms = beginnings.flatMap((beginning) =>
    repeated.flatMap((repetition) => ends.map((end) => [beginning, repetition, end])),
  );
  const texts = forms.map((form) => ({ form, shortest: textOf(form, shortest), short: textOf(form, short) }));

  function findSlow(regex: RegExp): string | null {
    for (const { form, ...text } of texts) {
      let ms = measure(regex, text.shortest);
      if (ms <= maxMs && measure(regex, text.short) > slowShortMs) ms = measure(regex, textOf(form, longest));
      if (ms > maxMs) return `${JSON.stringify(form)} takes ${Math.round(ms)} ms`;
    }
    return null;
  }

  it('are not run with a text of a request that is too long', () => {
    const from = `${'a@'.repeat(longest)}\nx`;
    const startedAt = performance.now();
    expect(mailSettings.shape.from.safeParse(from).error?.issues.map(({ code }) => code)).to.deep.equal(['too_big']);
    expect(performance.now() - startedAt).to.be.lessThan(maxMs);
  });

  it('take linear time for every text, apart from those of short texts', () => {
    const regexes = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap(regexesOf);
    expect(regexes.length).to.be.greaterThan(300);
    const slow = regexes.flatMap(({ place, regex }) => {
      const found = findSlow(regex);
      return found === null ? [] : [{ file: place.replace(/:.*/, ''), regex: `${place} ${regex}: ${found}` }];
    });
    expect(slow.filter(({ file }) => exceptions[file] === undefined).map(({ regex }) => regex)).to.deep.equal([]);
  });
});
