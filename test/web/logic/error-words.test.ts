import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { errorExplanations } from '#src/app/error-explanations.js';
import { ApiError } from '#src/client.js';
import { describeError } from '#web/api/describe-error.js';

const root = new URL('../../../../src/', import.meta.url);
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, root), 'utf8'));

const withExamples = (template: string): string => template.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '7');

/** The texts of one kind of call in the source, with an example in place of each value. */
function* textsOf(call: RegExp): Generator<readonly [name: string, text: string]> {
  for (const source of sources)
    for (const [, name = '', , text = ''] of source.matchAll(call)) yield [withExamples(name), withExamples(text)];
}

const text = String.raw`(['"\x60])((?:(?!\2).)*)\2`;
const failures = [...textsOf(new RegExp(String.raw`new Failure\(\s*'(\w+)',\s*${text}`, 'g'))];
const issues = [...textsOf(new RegExp(String.raw`path: ['\x60]([^'\x60]*)['\x60],\s*message:\s*${text}`, 'g'))];

/** A code, a field of the API, a path to a field, or a route; what stands in quotation marks is the person's own. */
const unread = /(?<!")\b(?:[a-z]{2,}[A-Z]\w*|[a-z]+_[a-z_]+|[A-Za-z]{3,}\w*\.\d+)\b|\/v1\/|\/auth\/|^: /;

const words = (code: string, message: string, details?: Readonly<Record<string, unknown>>): string =>
  describeError(new ApiError(400, code, message, details, 'req_1')).message;

describe('every error of the service in words of the pages', () => {
  it('has words for each code', () => {
    const said = Object.keys(errorExplanations).map((code) =>
      words(code, failures.find(([own]) => own === code)?.[1] ?? 'There is a problem.'),
    );
    expect(said.filter((message) => message === '' || unread.test(message))).to.deep.equal([]);
  });

  it('names no code, field or route in the message of a code', () => {
    expect(failures.length).to.be.greaterThan(200);
    const said = failures.map(([code, message]) => words(code, message));
    expect(said.filter((message) => unread.test(message))).to.deep.equal([]);
  });

  it('names no path in what is wrong with a field', () => {
    expect(issues.length).to.be.greaterThan(100);
    const said = issues.flatMap(([path, message]) => [
      words('VALIDATION_FAILED', path === '' ? message : `${path}: ${message}`),
      words('VALIDATION_FAILED', '', { issues: [{ path, message }] }),
    ]);
    expect(said.filter((message) => unread.test(message))).to.deep.equal([]);
  });

  for (const [message, plain] of [
    ['in takes an array of at least one value', 'Value of entry 2 needs at least one value.'],
    ['between takes two numbers', 'Value of entry 2 needs two numbers.'],
  ] as const)
    it(message, () => {
      expect(words('VALIDATION_FAILED', '', { issues: [{ path: 'config.dealConditions.1.value', message }] })).to.equal(
        plain,
      );
    });
});
