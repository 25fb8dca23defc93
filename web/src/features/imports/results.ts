import { type Answer } from '../../api/client.js';
import { plainMessage } from '../../shared/format/plain-message.js';
import { type ImportOutcome, type SendOptions } from './kind.js';

/** The answer of the imports with a result for each row. */
export function toOutcome({ unchanged, rejected, results }: Answer<'importReps'>): ImportOutcome {
  const count = (outcome: (typeof results)[number]['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  const [created, changed] = [count('created'), count('changed')];
  return {
    counts: [
      ['New', created],
      ['Changed', changed],
      ['Unchanged', unchanged],
      ['Rejected', rejected],
    ],
    accepted: created + changed,
    rejected: results.flatMap(({ row, reason }) => (reason === undefined ? [] : [{ row, reason }])),
    warnings: [],
  };
}

/** The rows of the file that were rejected, each once. */
export function rejectedRows({ rejected }: ImportOutcome): readonly number[] {
  return [...new Set(rejected.map(({ row }) => row))];
}

export function toUpload(csv: string) {
  return { contentType: 'text/csv', data: csv };
}

/** The parameters of imports with dates. */
export function datedQuery({ dateFormat, ...options }: SendOptions) {
  return { ...commonQuery(options), dateFormat } as const;
}

/** The parameters of imports with numbers. */
export function numberQuery({ numberFormat, ...options }: SendOptions) {
  return { ...commonQuery(options), numberFormat: numberFormat ?? undefined } as const;
}

function commonQuery({ dryRun, fileName }: Pick<SendOptions, 'dryRun' | 'fileName'>) {
  return { dryRun: `${dryRun}`, fileName: fileName.slice(0, 200) } as const;
}

const columnLabels: Readonly<Record<string, string>> = {
  active: 'Active',
  amount: 'Amount without tax',
  crmMemberId: 'Owner ID in the CRM',
  dealId: 'Deal ID',
  effectiveEnd: 'Last day',
  effectiveStart: 'First day',
  email: 'E-mail',
  endDate: 'Last day of employment',
  from: 'First day',
  grossAmount: 'Amount with tax',
  hireDate: 'First day of employment',
  invoiceId: 'Invoice',
  issuedOn: 'Day of the invoice',
  location: 'Location',
  managerEmail: 'Manager',
  managerFrom: 'Manager since',
  measure: 'Rule',
  name: 'Name',
  paidAmount: 'Amount paid',
  paidOn: 'Day of the payment',
  paymentId: 'Payment ID',
  payrollId: 'Payroll ID',
  period: 'Period',
  quotaRelief: 'Relief of the target',
  role: 'Role',
  target: 'Target',
  team: 'Team',
  title: 'Title',
  to: 'Last day',
  variableRelief: 'Relief of the variable target',
  variableTarget: 'Variable pay at 100 %',
};

/** Why a row is rejected, with the names that columns have on the page. */
export function describeReason(reason: string): string {
  const words = reason
    .replace(/^(\w+): /, (start, name: string) =>
      columnLabels[name] === undefined ? start : `${columnLabels[name]}: `,
    )
    .replace(/; give numberFormat=.*$/, '; choose how numbers are written, above the columns');
  return plainMessage(words);
}
