import { type z } from 'zod';
import { type Issue } from './failure.js';

/** What is wrong with a value, without its name; undefined for zod's own words. It is the option `error` of a parse. */
export function whatIsWrong(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return lowerBound(issue);
    case 'too_big':
      return `must ${upperVerb(issue)} ${grouped(issue.maximum)}${unitOf(issue.origin, issue.maximum)}`;
    default:
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

type Bound = z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall> | z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>;

function lowerBound(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const unit = unitOf(issue.origin, issue.minimum);
  if (unit !== '')
    return Number(issue.minimum) === 1 ? 'must not be empty' : `must have at least ${grouped(issue.minimum)}${unit}`;
  return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${grouped(issue.minimum)}`;
}

function upperVerb(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (unitOf(issue.origin, issue.maximum) !== '') return 'have at most';
  return issue.inclusive === false ? 'be less than' : 'be at most';
}

function unitOf(origin: Bound['origin'], bound: number | bigint): string {
  const unit = { string: 'character', array: 'item' }[origin as string];
  return unit === undefined ? '' : ` ${unit}${Number(bound) === 1 ? '' : 's'}`;
}

function grouped(bound: number | bigint): string {
  return bound.toLocaleString('en-US');
}

/** More issues than an error lists. A body can have 100,000, and describing all of them takes 40 ms. */
const maxDescribedIssues = 1000;

/** An issue of zod, or one that a rule between fields adds. */
export type Problem = Pick<z.core.$ZodIssue, 'path' | 'message'> & { readonly keys?: readonly string[] };

/** The first problem of each path below the prefix. An unknown key has a path of its own. */
export function issuesOf(problems: readonly Problem[], prefix: readonly PropertyKey[] = []): [Issue, ...Issue[]] {
  const issues = new Map<string, Issue>();
  for (const { path, message, keys } of problems.slice(0, maxDescribedIssues)) {
    const unknown = keys?.slice(0, maxDescribedIssues).map((key) => [[...path, key], 'unknown field'] as const);
    for (const [at, what] of unknown ?? [[path, message] as const]) {
      const name = [...prefix, ...at].map(String).join('.');
      if (!issues.has(name)) issues.set(name, { path: name, message: what });
    }
  }
  return [...issues.values()] as [Issue, ...Issue[]];
}
