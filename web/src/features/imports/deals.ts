import { api } from '../../api/client.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { type Field } from '../plans/fields.js';
import { prepareWithFields, toTextColumns } from './field-columns.js';
import {
  bare,
  fieldPrefix,
  type ImportKind,
  type Matched,
  type Prepared,
  type SendOptions,
  type Target,
} from './kind.js';
import { fileQuery, toUpload } from './results.js';

const targets: readonly Target[] = [
  {
    key: 'dealId',
    label: 'Deal ID',
    names: ['dealid', 'opportunityid', 'id', 'recordid', 'dealno', 'dealnumber', 'opp', 'oppno', 'meetingid'],
    like: /\bid$|number$|_id$|#$|\bno\.?$/,
    values: 'id',
    isRequired: true,
  },
  {
    key: 'dealAmount',
    label: 'Amount',
    names: ['amount', 'dealamount', 'closevalue', 'value', 'dealvalue', 'totalamount', 'contractvalue', 'price'],
    like: /amount|amt\b|value|revenue|booking/,
    values: 'number',
  },
  {
    key: 'dealStage',
    label: 'Stage',
    names: ['stage', 'dealstage', 'stagename', 'salesstage', 'status'],
    like: /stage|status/,
    values: 'text',
  },
  {
    key: 'closeDate',
    label: 'Close date',
    names: ['closedate', 'closed', 'closedon', 'dateclosed', 'wondate', 'expectedclosedate'],
    like: /close|(won|held|booked|signed) on/,
    values: 'date',
  },
  {
    key: 'createdDate',
    label: 'Created date',
    names: ['createddate', 'createdate', 'created', 'createdon', 'engagedate', 'opendate'],
    like: /creat|engage|open(ed)?/,
    values: 'date',
  },
  {
    key: 'ownerId',
    label: 'Owner',
    names: ['owner', 'ownerid', 'dealowner', 'opportunityowner', 'salesagent', 'salesrep', 'rep', 'salesperson'],
    like: /owner|agent|sales ?rep|seller|sdr\b|(booked|held|sold) by/,
    values: 'owner',
  },
  { key: 'ownerEmail', label: 'Owner, by e-mail', names: ['owneremail', 'repemail'], values: 'owner' },
  {
    key: 'dealName',
    label: 'Deal name',
    names: ['dealname', 'name', 'opportunityname', 'opportunity', 'title', 'deal'],
    like: /account|company|customer/,
    values: 'text',
  },
  { key: 'currency', label: 'Currency', names: ['currency', 'currencycode', 'currencyisocode'], values: 'text' },
];

/** The names under which the service reads the values if the workspace has not mapped them. */
const usualSlugs: Readonly<Record<string, string>> = {
  dealId: 'deal_id',
  dealAmount: 'amount',
  dealStage: 'stage',
  closeDate: 'close_date',
  createdDate: 'created_date',
  ownerId: 'owner_id',
  ownerEmail: 'ownerEmail',
  dealName: 'name',
  currency: 'currency',
};

function prepare(matched: Matched): Prepared {
  const { columns, context } = matched;
  return prepareWithFields(
    matched,
    (target) => context.standard[target] ?? usualSlugs[target] ?? target,
    columns.includes('dealId') ? [] : ['Choose the column with the deal IDs.'],
  );
}

function toRequest(csv: string, options: SendOptions) {
  return {
    query: { ...fileQuery(options), idColumn: usualSlugs['dealId'], ...toTextColumns(options) },
    upload: toUpload(csv),
  };
}

/** The import with the fields that deals have already as targets of columns, found by their names. */
export function dealImportWith(fields: readonly Pick<Field, 'slug' | 'label' | 'type'>[]): ImportKind {
  const names = new Set(targets.flatMap(({ key, names }) => [bare(key), ...names]));
  const own = fields.filter(({ slug }) => !names.has(bare(slug)));
  return {
    ...dealImport,
    targets: [
      ...targets,
      ...own.map(
        ({ slug, label, type }): Target => ({
          key: `${fieldPrefix}${slug}`,
          label,
          names: [bare(slug)],
          values: type === 'number' || type === 'date' ? type : 'text',
          isFoundByName: true,
        }),
      ),
    ],
  };
}

type Answer = Awaited<ReturnType<typeof api.importDeals>>;

function toWarning(
  code: Answer['warnings'][number]['code'],
  column: string,
  example: NonNullable<Answer['columns']>[number]['example'],
): string {
  switch (code) {
    case 'ambiguous_column':
      return `${column} has numbers that can be read in two ways, so they stay texts. Choose how numbers are written.`;
    case 'midnight_utc':
      return `${column} has times at midnight UTC, which is still the day before here: ${example?.text} counts as ${formatDay(example?.day ?? '', 'year')}. If they are days, export them without a time.`;
    case 'short_ids':
      return `${column} has the short IDs of Salesforce reports. The same records with long IDs, from a connection or another file, would be other deals. Connect Salesforce first, or export the long IDs.`;
    default:
      return `${column} is stored as a field that no plan uses yet.`;
  }
}

export const dealImport: ImportKind = {
  key: 'deals',
  title: 'Import deals',
  one: 'deal',
  many: 'deals',
  intro: 'One row for each deal. The columns may have any names and any order.',
  example: [
    ['Opportunity ID', 'Rep', 'Stage', 'Closed', 'Close Value'],
    ['D-1001', 'Dana Whitfield', 'Won', '6/3/2026', '18,000.00'],
  ],
  targets,
  keepsColumns: true,
  options: () => [],
  prepare,
  async send(csv, options) {
    const answer = await api.importDeals(toRequest(csv, options));
    const { accepted, created, changed, unchanged, stale, rejected, warnings, totals, jobId } = answer;
    const { rowsWithoutCloseDate, totalRows = [] } = answer;
    return {
      counts: [
        ['New', created],
        ['Changed', changed],
        ['Unchanged', unchanged],
        ...(stale > 0 ? ([['Older than stored', stale]] as const) : []),
        ['Rejected', rejected.length],
      ],
      accepted,
      rejected,
      totals,
      costly:
        rowsWithoutCloseDate === 0
          ? []
          : [`${formatCount(rowsWithoutCloseDate, 'row')} without a close date. They pay no commission.`],
      warnings: [
        ...totalRows.map(
          (row) => `Row ${row} has the sum of the rows above: a total is no deal. Remove it from the file.`,
        ),
        ...warnings.map(({ code, column }) =>
          toWarning(code, column, answer.columns?.find((one) => one.column === column)?.example),
        ),
      ],
      owners: answer,
      jobId,
    };
  },
  async effect(csv, options) {
    const { query, upload } = toRequest(csv, options);
    const { effect } = await api.importDeals({ query: { ...query, effect: 'true' }, upload });
    return effect ?? null;
  },
};
