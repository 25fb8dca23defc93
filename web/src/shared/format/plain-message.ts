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

/** Names of single fields whose words the page has. */
const names: Readonly<Record<string, string>> = {
  clientId: 'client ID',
  companyCode: 'company code',
  dealId: 'deal ID',
  email: 'e-mail address',
  effectiveEnd: 'last day',
  effectiveStart: 'first day',
  payrollId: 'payroll ID',
  managerEmail: "manager's e-mail address",
  repId: 'person',
  repIds: 'people',
};

/** The words of a field such as `managerEmail` or `reps.3.email`: those of its last name, and which entry of a list. */
function wordsOfField(path: string): string {
  const parts = path.split('.');
  const last = parts.findLast((part) => !/^\d*$/.test(part)) ?? '';
  const entry = parts.find((part) => /^\d+$/.test(part));
  const words = names[last] ?? last.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const named = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return entry === undefined ? named : `${named} of entry ${Number(entry) + 1}`;
}

/**
 * A message of the service for a person: routes of the API become pages, and a sentence with a route that no page shows
 * is left out, unless nothing else remains.
 */
export function plainMessage(message: string): string {
  const onPages = message
    .replace(new RegExp(String.raw` \(${route}\)`, 'g'), (_, path: string) => {
      const page = pageOf(path);
      return page === null ? '' : ` on the page ${page}`;
    })
    .replace(new RegExp(String.raw`(?::|\b(?:with|through|by)) ${route}`, 'g'), (found: string, path: string) => {
      const page = pageOf(path);
      return page === null ? found : `${found.startsWith(':') ? ' ' : ''}on the page ${page}`;
    })
    .replace(/\b(?:payroll\.)?(companyCode|payrollId)\b/g, (_, name: string) => names[name] ?? name);
  const sentences = onPages.split(/(?<=[.;!?]) /);
  const plain = sentences.filter((sentence) => !new RegExp(route).test(sentence));
  return plain.length === 0 ? onPages : plain.join(' ');
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
