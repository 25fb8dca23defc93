import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { allPlansQuery, fieldMappingQuery } from '../../api/import-queries.js';
import { allPeopleQuery } from '../../api/person-list-queries.js';
import { dealFieldsQuery } from '../../api/plan-queries.js';
import { type ScheduledFile, type ScheduledImport } from '../../api/scheduled-import-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button, LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { InlineSelect } from '../../components/Inline.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { skipColumn, targetChoices } from '../../features/imports/kind.js';
import {
  columnTargets,
  describeColumns,
  firstTargets,
  type ScheduledContext,
  toMatching,
} from '../../features/imports/scheduled.js';
import { withTarget } from '../../features/imports/suggest.js';
import { personFieldsQuery } from '../../features/people/person-fields.js';
import { formatCount } from '../../shared/format/numbers.js';
import { plainMessage } from '../../shared/format/plain-message.js';
import { readSavedColumns } from './saved-columns.js';
import { TargetSelect } from './TargetSelect.js';

interface MatchFileProps {
  readonly scheduled: ScheduledImport;
  readonly file: ScheduledFile;
}

/** What the file would do, and its confirmation. The service has written the files of Stripe, so these match. */
export function MatchFile(props: MatchFileProps) {
  return props.scheduled.source.kind === 'stripe' ? <WrittenFile {...props} /> : <ForeignFile {...props} />;
}

interface ConfirmFileProps extends MatchFileProps {
  readonly isChecked?: boolean;
}

/** Imports the file that waits, once its dry run is that of the present matching. */
function ConfirmFile({ scheduled: { id }, file: { fileId, status }, isChecked = true }: ConfirmFileProps) {
  const confirm = useAction({
    send: () => api.confirmScheduledImport({ params: { scheduledImportId: id }, body: { fileId } }),
  });
  return (
    <Button
      kind="primary"
      disabled={!isChecked || status !== 'waiting'}
      isBusy={confirm.isBusy}
      onClick={() => confirm.send()}
    >
      Confirm and import
    </Button>
  );
}

function WrittenFile({ scheduled, file }: MatchFileProps) {
  return (
    <section className={blocks.stack} aria-label={`Confirm ${file.name}`}>
      <h3>
        {file.name}: {formatCount(file.sample.count, 'row')}
      </h3>
      <DryRun file={file} />
      <div className={blocks.saveLine}>
        <span className="dim">Later months and payments are imported without a question.</span>
        <ConfirmFile scheduled={scheduled} file={file} />
      </div>
    </section>
  );
}

interface ForeignFileProps extends MatchFileProps {
  readonly onSaved?: () => void;
}

/** A file of another system, with the present matching of its columns. */
function ForeignFile(props: ForeignFileProps) {
  return <WithFields>{(context) => <Matching {...props} context={context} />}</WithFields>;
}

/** What columns may go to, once it is loaded. */
function WithFields({ children }: { readonly children: (context: ScheduledContext) => React.ReactNode }) {
  const query = combineQueries({
    people: useQuery(allPeopleQuery()),
    plans: useQuery(allPlansQuery),
    mapping: useQuery(fieldMappingQuery),
    dealFields: useQuery(dealFieldsQuery),
    personFields: useQuery(personFieldsQuery),
  });
  return (
    <Loaded query={query} height={240}>
      {({ people, mapping: { standard }, ...loaded }) => children({ ...loaded, people, standard })}
    </Loaded>
  );
}

/** How the columns of the files are read, which may be changed. */
export function ColumnsInUse({ scheduled, file }: MatchFileProps) {
  const [isChanging, setChanging] = useState(false);
  if (isChanging) return <ForeignFile scheduled={scheduled} file={file} onSaved={() => setChanging(false)} />;
  return (
    <WithFields>
      {(context) => (
        <p>
          <span className="dim">Columns: {describeColumns(scheduled, file, context)}.</span>{' '}
          <LinkButton onClick={() => setChanging(true)}>Change the matching</LinkButton>
        </p>
      )}
    </WithFields>
  );
}

function Matching({ scheduled, file, context, onSaved }: ForeignFileProps & { readonly context: ScheduledContext }) {
  const { id, subject, options } = scheduled;
  const isImported = file.status === 'imported';
  const kind = columnTargets(subject, context);
  const [targets, setTargets] = useState(() => firstTargets(scheduled, file, context, readSavedColumns('deals')));
  const [dateFormat, setDateFormat] = useState(options.dateFormat ?? 'ISO');
  const [numberFormat, setNumberFormat] = useState(options.numberFormat ?? '');
  const { columns, idColumn, textColumns, problems } = toMatching(scheduled, file, targets, context);
  const chosen = {
    columns,
    ...(idColumn === undefined ? {} : { idColumn }),
    ...(textColumns === undefined ? {} : { textColumns }),
    dateFormat,
    ...(numberFormat === '' ? {} : { numberFormat }),
    ...(options.dealField === undefined ? {} : { dealField: options.dealField }),
  };
  const isChecked = JSON.stringify(sorted(chosen)) === JSON.stringify(sorted({ dateFormat: 'ISO', ...options }));
  const params = { scheduledImportId: id };
  const check = useAction({
    send: () => api.updateScheduledImport({ params, body: { options: chosen as ScheduledImport['options'] } }),
    onDone: onSaved,
  });
  return (
    <section className={blocks.stack} aria-label={`Match the columns of ${file.name}`}>
      <h3>
        {file.name}: {formatCount(file.sample.count, 'row')}
      </h3>
      {isImported ? null : isChecked ? (
        <DryRun file={file} />
      ) : (
        <p className="dim">Check what the file would do with this matching.</p>
      )}
      {problems.map((problem) => (
        <p key={problem} role="alert">
          {problem}
        </p>
      ))}
      <div className={blocks.filters}>
        <InlineSelect
          label="Order of day and month"
          value={dateFormat}
          choices={[
            ['ISO', 'Dates as 2026-12-31'],
            ['MDY', 'Dates as 12/31/2026'],
            ['DMY', 'Dates as 31/12/2026'],
          ]}
          onChange={({ currentTarget: { value } }) => setDateFormat(value as 'ISO' | 'MDY' | 'DMY')}
        />
        <InlineSelect
          label="Decimal sign"
          value={numberFormat}
          choices={[
            ['', 'Numbers as their values show'],
            ['en', 'Numbers as 1,234.50'],
            ['eu', 'Numbers as 1.234,50'],
          ]}
          onChange={({ currentTarget: { value } }) => setNumberFormat(value as 'en' | 'eu' | '')}
        />
      </div>
      <DataTable
        caption={`Columns of ${file.name}`}
        columns={buildColumns(kind, file, targets, setTargets)}
        rows={file.sample.header.map((_, index) => index)}
        rowKey={(index) => String(index)}
        rowHeight={50}
      />
      <div className={blocks.saveLine}>
        <span className="dim">
          {isImported
            ? 'What was imported stays. The next new file waits for your confirmation.'
            : 'Later files with these columns are imported without a question.'}
        </span>
        <Button disabled={isChecked || problems.length > 0} isBusy={check.isBusy} onClick={() => check.send()}>
          {isImported ? 'Save this matching' : 'Check this matching'}
        </Button>
        {isImported ? null : <ConfirmFile scheduled={scheduled} file={file} isChecked={isChecked} />}
      </div>
    </section>
  );
}

/** The options with their keys in one order, so that equal ones are equal texts. */
function sorted(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, inner !== null && typeof inner === 'object' ? sorted(inner) : inner]),
  );
}

function DryRun({ file: { result, error } }: Pick<MatchFileProps, 'file'>) {
  return (
    <>
      {error === null ? null : <p role="alert">{plainMessage(error)}</p>}
      {result === null ? null : (
        <p>
          It would create or change {formatCount(result.accepted, 'row')}, leave {formatCount(result.unchanged, 'row')}{' '}
          unchanged and reject {formatCount(result.rejected, 'row')}.{' '}
          {result.totals.map(({ currency, amount }) => (
            <span key={currency}>
              Sum of the amounts: <Money amount={amount} currency={currency} />.{' '}
            </span>
          ))}
          {result.unknownOwners.length === 0
            ? null
            : `Owners that match no person: ${result.unknownOwners.join(', ')}.`}
        </p>
      )}
      {result === null || result.reasons.length === 0 ? null : (
        <ul>
          {result.reasons.slice(0, 5).map(({ row, reason }) => (
            <li key={row}>
              Row {row}: {plainMessage(reason)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function buildColumns(
  kind: ReturnType<typeof columnTargets>,
  { sample: { header, rows } }: ScheduledFile,
  targets: readonly string[],
  onChange: (targets: readonly string[]) => void,
): readonly Column<number>[] {
  const choices = targetChoices(kind);
  return [
    {
      key: 'name',
      header: 'In the file',
      phone: 'title',
      cell: (index) => <span className="strong">{header[index]}</span>,
    },
    {
      key: 'values',
      header: 'First values',
      phone: 'detail',
      cell: (index) => (
        <span className="dim" translate="no">
          {rows.map((row) => row[index] || 'empty').join(' · ')}
        </span>
      ),
    },
    {
      key: 'target',
      header: 'Goes to',
      phone: 'note',
      cell: (index) => (
        <TargetSelect
          column={header[index]}
          target={targets[index] ?? skipColumn}
          choices={choices}
          onChange={(target) => onChange(withTarget(targets, index, target, kind))}
        />
      ),
    },
  ];
}
