import { type Answer } from '../../api/client.js';
import { plainMessage } from '../../shared/format/plain-message.js';
import { type ImportOutcome, type SendOptions, type Target } from './kind.js';

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

/** The parameters of every import. */
export function fileQuery({ dryRun, fileName, dateFormat, numberFormat }: SendOptions) {
  return {
    dryRun: `${dryRun}`,
    fileName: fileName.slice(0, 200),
    dateFormat,
    numberFormat: numberFormat ?? undefined,
  } as const;
}

/** Targets of columns that the service names otherwise in the reasons of rows. */
const targetKeys: Readonly<Record<string, string>> = {
  managerEmail: 'manager',
  'payments.amount': 'paidAmount',
  'payments.paidOn': 'paidOn',
  'payments.paymentId': 'paymentId',
};

/** Why a row is rejected, with the names that the columns of the import have on the page. */
export function describeReason(reason: string, targets: readonly Pick<Target, 'key' | 'label'>[]): string {
  const [, path = '', rest = ''] = /^([\w.]+): (.*)$/s.exec(reason) ?? [];
  const name = path.replace(/\.\d+/g, '');
  const label = targets.find(({ key }) => key === (targetKeys[name] ?? name))?.label;
  return plainMessage(label === undefined ? reason : `${label.replace(/,.*/, '')}: ${rest}`);
}
