import { IconAlertTriangle, IconCircleCheck, IconCircleMinus, IconInfoCircle } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { type Check, checkColumn } from '../../features/imports/checks.js';
import { fieldPrefix, periodPrefix, skipColumn, targetChoices } from '../../features/imports/kind.js';
import { contentOf } from '../../features/imports/number-format.js';
import { withTarget } from '../../features/imports/suggest.js';
import { toSlug } from '../../features/people/person-fields.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Import.module.css';
import { TargetSelect } from './TargetSelect.js';
import { type Import } from './use-import.js';

const glyphs = {
  good: IconCircleCheck,
  info: IconInfoCircle,
  warning: IconAlertTriangle,
  none: IconCircleMinus,
} as const;

/** A row for each column of the file: its first values, where it goes, and what its values show. */
export function ColumnTable({ currentImport }: { readonly currentImport: Import }) {
  const { file, table, kind, state, context, isDateOpen } = currentImport;
  const dates = isDateOpen ? null : currentImport.dateFormat;
  const numbers = state.numberFormat ?? currentImport.numbers.format;
  const checks = useMemo(
    () =>
      state.columns.map((target, index) =>
        checkColumn(
          kind,
          target,
          table.rows.map((row) => row[index] ?? ''),
          context,
          { dates, numbers },
        ),
      ),
    [kind, table, state.columns, context, dates, numbers],
  );
  return (
    <DataTable
      caption="Columns of the file"
      columns={buildColumns(currentImport, checks)}
      rows={file.header.map((_, index) => index)}
      rowKey={(index) => String(index)}
      rowHeight={50}
    />
  );
}

function buildColumns(currentImport: Import, checks: readonly Check[]): readonly Column<number>[] {
  const { file, state } = currentImport;
  return [
    {
      key: 'name',
      header: 'In the file',
      phone: 'title',
      cell: (index) => <span className={`strong ${styles.cell}`}>{file.header[index] || `Column ${index + 1}`}</span>,
    },
    {
      key: 'values',
      header: 'First values',
      phone: 'detail',
      cell: (index) => (
        <span className={`dim ${styles.values}`} translate="no">
          {file.rows.slice(0, 2).map((row, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the first two rows have no other identity
            <span key={position}>{row[index] || 'empty'}</span>
          ))}
        </span>
      ),
    },
    {
      key: 'target',
      header: 'Goes to',
      width: '200px',
      phone: 'note',
      cell: (index) => <ColumnTarget currentImport={currentImport} index={index} />,
    },
    {
      key: 'check',
      header: 'Check',
      phone: 'note',
      cell: (index) =>
        state.guesses.includes(index) ? (
          <CheckWords
            check={{ tone: 'warning', words: 'Guessed, please check' }}
            onConfirm={() => confirm(currentImport, index)}
          />
        ) : (
          <CheckWords check={checks[index] ?? { tone: 'none', words: '' }} />
        ),
    },
  ];
}

function confirm({ state, change }: Import, index: number): void {
  change({ guesses: state.guesses.filter((guess) => guess !== index) });
}

function ColumnTarget({ currentImport, index }: { readonly currentImport: Import; readonly index: number }) {
  const { kind, state, change, file } = currentImport;
  const current = state.columns[index] ?? skipColumn;
  const period = current.startsWith(periodPrefix)
    ? [[current, formatPeriod(current.slice(periodPrefix.length))] as const]
    : [];
  return (
    <span className={styles.target}>
      <TargetSelect
        column={file.header[index]}
        target={current}
        isGuess={state.guesses.includes(index)}
        choices={[...period, ...targetChoices(kind)]}
        onChange={(target) =>
          change({
            columns: withTarget(state.columns, index, target, kind),
            guesses: state.guesses.filter((guess) => guess !== index),
          })
        }
      />
      {kind.key === 'people' && current === skipColumn ? (
        <MakeField currentImport={currentImport} index={index} />
      ) : null}
    </span>
  );
}

/** Makes a field of people from a column that no target has, with the type that its values show. */
function MakeField({ currentImport, index }: { readonly currentImport: Import; readonly index: number }) {
  const { file, table, state, numbers, change } = currentImport;
  const label = file.header[index] ?? '';
  const slug = toSlug(label);
  const make = useAction({
    send: async () => {
      const { fields } = await api.listPersonFields({});
      const cells = table.rows.map((row) => row[index] ?? '');
      const type = contentOf(cells, state.numberFormat ?? numbers.format);
      if (fields.every((field) => field.slug !== slug))
        await api.setPersonFields({ body: { fields: [...fields, { slug, label, type }] } });
    },
    onDone: () =>
      change({ columns: state.columns.map((key, place) => (place === index ? `${fieldPrefix}${slug}` : key)) }),
  });
  if (slug === '') return null;
  return (
    <LinkButton onClick={() => make.send()} disabled={make.isBusy}>
      Make a field<span className="unseen"> of {label}</span>
    </LinkButton>
  );
}

function CheckWords({ check: { tone, words }, onConfirm }: { readonly check: Check; readonly onConfirm?: () => void }) {
  const Glyph = glyphs[tone];
  return (
    <span className={`${styles.check} ${styles[tone]}`}>
      <Glyph size={16} stroke={1.75} aria-hidden="true" />
      <span>
        {words}{' '}
        {onConfirm === undefined ? null : (
          <LinkButton className="strong" onClick={onConfirm}>
            That is right
          </LinkButton>
        )}
      </span>
    </span>
  );
}
