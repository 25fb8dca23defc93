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
  [String.raw`engine/formula-words.ts /\[([^\]]*)\]|[A-Za-z_]\w*/g`]:
    'an accepted formula closes each bracket that it opens',
  [String.raw`kernel/money-text.ts /\B(?=(?:\d{3})+$)/g`]:
    'a decimal number of a file or a request has at most 400 digits',
  [String.raw`platform/failpoint.ts /([\w.]+)@(\d+)=(kill|throw|drop|delay:\d+)/g`]: 'only tests arm failpoints',
  [String.raw`platform/mail/mail-settings.ts /^[^\r\n]*[^\s@<]@[^\s@>][^\r\n]*$/`]:
    'a text that is too long is not checked further',
  [String.raw`platform/mail/mail.ts /[a-z][a-z0-9+.-]*:\/\/\S*|\bwww\.\S*|\S+\.[^\s./]+[/?#]\S*/gi`]:
    'the name is cut to 500 characters',
};

interface Found {
  /** The file with the regex. */
  readonly name: string;
  readonly line: number;
  readonly regex: RegExp;
}

interface Node {
  readonly type?: string;
  readonly start?: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly id?: Node;
  readonly init?: Node | null;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly quasi?: Node;
  readonly quasis?: readonly { readonly value: { readonly raw: string; readonly cooked: string } }[];
  readonly expressions?: readonly Node[];
}

/** Stands for a part of a composed regex that another file states: all of them are fixed names. */
const names = 'ab|c';

/** The regexes that the file states, and those that it composes of texts. */
function regexesOf(file: string): Found[] {
  const text = readFileSync(path.join(src, file), 'utf8');
  const found: Found[] = [];
  const constants = new Map<string, string>();
  const textOfNode = ({ name = '', type, value, quasi, quasis = [], expressions = [] }: Node): string => {
    if (quasi !== undefined) return (quasi.quasis ?? []).map((part) => part.value.raw).join(names);
    if (type === 'TemplateLiteral')
      return quasis
        .flatMap((part, at) => [part.value.cooked, ...expressions.slice(at, at + 1).map(textOfNode)])
        .join('');
    return typeof value === 'string' ? value : (constants.get(name) ?? names);
  };
  const add = (start: number, pattern: string, flags: string) => {
    const regex = new RegExp(pattern, flags);
    found.push({ name: `${file} ${regex}`, line: text.slice(0, start).split('\n').length, regex });
  };
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex, type, start = 0, id, init, callee, arguments: given = [] } = node as Node;
    if (regex !== undefined) add(start, regex.pattern, regex.flags);
    if (type === 'VariableDeclarator' && id?.name !== undefined && init != null)
      constants.set(id.name, textOfNode(init));
    const [pattern, flags] = given;
    if (type === 'NewExpression' && callee?.name === 'RegExp' && pattern !== undefined)
      add(start, textOfNode(pattern), flags === undefined ? '' : textOfNode(flags));
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
    const slow = regexes.flatMap(({ name, line, regex }) => {
      const found = findSlow(regex);
      return found === null ? [] : [{ name, text: `${name} in line ${line}: ${found}` }];
    });
    expect(slow.filter(({ name }) => exceptions[name] === undefined).map(({ text }) => text)).to.deep.equal([]);
    expect(Object.keys(exceptions).filter((name) => !regexes.some((each) => each.name === name))).to.deep.equal([]);
  });
});
