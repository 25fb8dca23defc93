import { inWords } from './in-words.js';

/** Pages by the resource of the API that they show. */
const pages: readonly (readonly [path: RegExp, page: string])[] = [
  [/^\/v1\/fx-rates/, 'Exchange rates'],
  [/^\/v1\/fiscal-years/, 'Fiscal calendar'],
  [/^\/v1\/payout-batches/, 'Pay periods'],
  [/^\/v1\/payroll-handovers/, 'Hand-overs'],
  [/^\/v1\/quotas/, 'Quotas'],
  [/^\/v1\/assignments/, 'Assignments'],
  [/^\/v1\/credit-rules/, 'Credit rules'],
  [/^\/v1\/ramps/, 'Ramps'],
  [/^\/v1\/rate-tables/, 'Rate tables'],
  [/^\/v1\/plans/, 'Plans'],
  [/^\/v1\/deals/, 'Deals'],
  [/^\/v1\/reps/, 'People'],
  [/^\/v1\/fields/, 'Connections'],
  [/^\/v1\/installation/, 'Mail and sign-in'],
  [/^\/v1\/workspaces/, 'Workspace'],
  [/^\/v1\/commissions\/failed-calculations/, 'Audit'],
  [/^\/auth\/workspace\/(?:connect|disconnect)/, 'Connections'],
];

const route = String.raw`(?:GET|POST|PUT|PATCH|DELETE) (\/[\w/:.\-]*\w)`;

function pageOf(path: string): string | null {
  return pages.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

/** Words of the pages for the fields and the terms of the API. All others become words by their capital letters. */
const names: Readonly<Record<string, string>> = {
  companyCode: 'company code',
  config: 'rules',
  crmMemberId: 'owner ID in the CRM',
  dealConditions: 'conditions of the plan',
  dealIds: 'deals',
  effectiveEnd: 'last day',
  effectiveStart: 'first day',
  email: 'e-mail address',
  fieldMapping: 'fields',
  idColumn: 'column of the deal ID',
  managerEmail: "manager's e-mail address",
  planId: 'plan',
  repId: 'person',
  repIds: 'people',
  ruleId: 'rule',
  ruleName: 'rule',
  timezone: 'time zone',
  url: 'address',
};

/** The words of a field or a term, such as `quotaGroup` or `rate_times_attainment`. */
function wordsOfName(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return (
    names[name] ??
    words
      .toLowerCase()
      .trim()
      .replace(/ id(?=s?$)/, ' ID')
  );
}

const startWithCapital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** The words of a field such as `managerEmail` or `reps.3.email`: those of its last name, and which entry of a list. */
function wordsOfField(path: string): string {
  const parts = path.split('.');
  const last = parts.findLast((part) => !/^\d*$/.test(part)) ?? '';
  const entry = parts.find((part) => /^\d+$/.test(part));
  const named = startWithCapital(wordsOfName(last));
  return entry === undefined ? named : `${named} of entry ${Number(entry) + 1}`;
}

/** What the service says of values of conditions, whose operators have other names on the pages. */
const sentences: readonly (readonly [message: RegExp, words: string])[] = [
  [/\b\w+ takes an array of at least one value/, 'needs at least one value'],
  [/\b\w+ takes (?=a (?:text|date|period|whole)|at most|two |the lower)/, 'needs '],
  [/\b\w+ takes no value/, 'needs no value'],
  [/; give numberFormat=.*$/, '; choose how numbers are written, above the columns'],
  [/; name the column of the deal ids with idColumn, one of: .*$/, '; choose the column with the deal ID'],
  [/Give a later effectiveStart/, 'Choose a later day at “In force from”'],
];

/** A path of a field at the beginning of a message, such as `payments.0.amount: is required`. */
const pathAtStart = /^((?:\w+\.)+\w+|[a-z]+(?:[A-Z]\w*)?|[a-z]+): /;

/** A term of the API: a name with a capital letter or an underscore inside, outside of quotation marks and addresses. */
const term = /(?<![\w"“/.@{-])(?:[a-z]{2,}(?:[A-Z][a-z\d]*)+|[a-z]+(?:_[a-z]+)+)(?![\w"”/@])/g;

/**
 * A message of the service for a person: routes of the API become pages, its fields and terms become words, and a
 * sentence with a route that no page shows is left out, unless nothing else remains. Days and signs are those of pages.
 */
export function plainMessage(message: string): string {
  const said = sentences.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
  const onPages = said
    .replace(pathAtStart, (_, path: string) => `${wordsOfField(path)}: `)
    .replace(new RegExp(String.raw` \(${route}\)`, 'g'), (_, path: string) => {
      const page = pageOf(path);
      return page === null ? '' : ` on the page ${page}`;
    })
    .replace(new RegExp(String.raw`(?::|\b(?:with|through|by)) ${route}`, 'g'), (found: string, path: string) => {
      const page = pageOf(path);
      return page === null ? found : `${found.startsWith(':') ? ' ' : ''}on the page ${page}`;
    })
    .replace(/\bpayroll\.(?=companyCode|payrollId)/g, '')
    .replace(term, wordsOfName);
  const parts = onPages.split(/(?<=[.;!?]) /);
  const plain = parts.filter((part) => !new RegExp(route).test(part));
  return inWords(plain.length === 0 ? onPages : plain.join(' '));
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

const maxIssues = 3;

/** What is wrong with each field of a form, with the words of the fields. */
export function plainIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, maxIssues).map(({ path, message }) => {
    const words = wordsOfField(path);
    const plain = plainMessage(message);
    if (words === '') return plain;
    return /^\p{Lu}/u.test(plain) ? `${words}: ${plain}` : `${words} ${plain}`;
  });
  const rest = issues.length - lines.length;
  const text = lines.map((line) => line.replace(/[.;]$/, '')).join('; ');
  return `${text}${rest > 0 ? `; and ${rest} more` : ''}.`;
}
