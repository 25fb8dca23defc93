import { useIsMutating } from '@tanstack/react-query';
import { describeError } from '../../api/describe-error.js';
import { Button } from '../../components/Button.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { CheckField, TextField } from '../../components/Field.js';
import { InlineSelect } from '../../components/Inline.js';
import { type ImportOption, type ImportOutcome, periodPrefix } from '../../features/imports/kind.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { ColumnTable } from './ColumnTable.js';
import { DryRunPanel } from './DryRunPanel.js';
import styles from './Import.module.css';
import { RejectedRows } from './RejectedRows.js';
import { type Import, useDryRun, useEffectOfImport, useSend } from './use-import.js';

interface MatchStepProps {
  readonly currentImport: Import;
  readonly onBack: () => void;
  readonly onDone: (outcome: ImportOutcome) => void;
}

/** Columns and their targets, what the import would do, and the rows that it would reject. */
export function MatchStep({ currentImport, onBack, onDone }: MatchStepProps) {
  const dryRun = useDryRun(currentImport);
  const effect = useEffectOfImport(currentImport, dryRun);
  const send = useSend(currentImport);
  // A field that a column becomes exists before the import begins.
  const isChanging = useIsMutating() > 0;
  const { kind, prepared, isDateOpen } = currentImport;
  const problems = isDateOpen
    ? [...prepared.problems, 'The dates are ambiguous. Choose whether the day or the month comes first.']
    : prepared.problems;
  const result = problems.length === 0 ? dryRun.data : undefined;
  return (
    <>
      <div className={styles.match}>
        <div className={styles.columns}>
          <MatchHead currentImport={currentImport} />
          <ColumnTable currentImport={currentImport} />
          <OptionFields currentImport={currentImport} />
        </div>
        <DryRunPanel
          kind={kind}
          problems={problems}
          outcome={result}
          isRunning={dryRun.isFetching}
          error={dryRun.error === null ? null : describeError(dryRun.error).message}
        >
          {kind.effect === undefined || result === undefined || result.accepted === 0 ? null : (
            <EffectOfChange query={effect} what="import" />
          )}
        </DryRunPanel>
      </div>
      {result === undefined || result.rejected.length === 0 ? null : (
        <RejectedRows currentImport={currentImport} rejected={result.rejected} />
      )}
      <div className={styles.final}>
        <p className="dim">{result === undefined ? '' : stayOut(result)}</p>
        <Button size="final" onClick={onBack}>
          Back
        </Button>
        <Button
          kind="primary"
          size="final"
          isBusy={send.isPending}
          disabled={isChanging || result === undefined || !dryRun.isCurrent || result.accepted === 0}
          onClick={() => send.mutate(undefined, { onSuccess: onDone })}
        >
          {result === undefined ? `Import ${kind.many}` : `Import ${formatCount(result.accepted, kind.one, kind.many)}`}
        </Button>
      </div>
    </>
  );
}

function stayOut({ counts }: ImportOutcome): string {
  const out = counts.filter(([label, count]) => count > 0 && label !== 'New' && label !== 'Changed');
  const words = out.map(([label, count]) => `${formatNumber(count)} ${label.toLowerCase()}`).join(' and ');
  const first = out.length === 0 ? 'Every row is imported.' : `Not imported: ${words}.`;
  return `${first} The next file with these columns uses the same matching.`;
}

const numberExamples = { en: '1,234.50', eu: '1.234,50' } as const;

/** How dates and numbers are written, which the values do not always show. */
function MatchHead({ currentImport }: { readonly currentImport: Import }) {
  const { kind, state, change, isDateOpen, numbers } = currentImport;
  const has = (values: 'date' | 'number') =>
    kind.targets.some((target) => target.values === values && state.columns.includes(target.key)) ||
    (values === 'number' && state.columns.some((key) => key.startsWith(periodPrefix)));
  return (
    <div className={styles.matchHead}>
      <h2>Match columns</h2>
      {has('date') ? (
        <span className={styles.format}>
          <span className="dim">Dates</span>
          <InlineSelect
            label="Order of day and month"
            value={state.dateFormat ?? ''}
            isGuess={isDateOpen}
            choices={[
              ['', isDateOpen ? 'Choose' : 'As shown'],
              ['MDY', '12/31/2026'],
              ['DMY', '31/12/2026'],
              ['ISO', '2026-12-31'],
            ]}
            onChange={({ currentTarget: { value } }) =>
              change({ dateFormat: value === '' ? null : (value as 'MDY' | 'DMY' | 'ISO') })
            }
          />
        </span>
      ) : null}
      {has('number') ? (
        <span className={styles.format}>
          <span className="dim">Numbers</span>
          <InlineSelect
            label="Decimal sign"
            value={state.numberFormat ?? ''}
            isGuess={state.numberFormat === null && numbers.isGuess}
            choices={[
              ['', numbers.format === null ? 'As shown' : `As shown: ${numberExamples[numbers.format]}`],
              ['en', numberExamples.en],
              ['eu', numberExamples.eu],
            ]}
            onChange={({ currentTarget: { value } }) =>
              change({ numberFormat: value === 'en' || value === 'eu' ? value : null })
            }
          />
        </span>
      ) : null}
    </div>
  );
}

function OptionFields({ currentImport }: { readonly currentImport: Import }) {
  const { optionList, options, change, state } = currentImport;
  if (optionList.length === 0) return null;
  const set = (key: string, value: string) => change({ options: { ...state.options, [key]: value } });
  return (
    <div className={styles.options}>
      {optionList.map((option) => (
        <OptionField
          key={option.key}
          option={option}
          value={options[option.key] ?? ''}
          onChange={(value) => set(option.key, value)}
        />
      ))}
    </div>
  );
}

interface OptionFieldProps {
  readonly option: ImportOption;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function OptionField({ option: { label, hint, type, choices = [] }, value, onChange }: OptionFieldProps) {
  if (type === 'check')
    return (
      <CheckField
        label={label}
        hint={hint}
        checked={value === 'yes'}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'yes' : 'no')}
      />
    );
  if (type === 'choice')
    return (
      <div className={styles.choice}>
        <span className="strong" aria-hidden="true">
          {label}
        </span>
        <InlineSelect
          label={label}
          value={value}
          choices={choices}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </div>
    );
  return (
    <TextField
      label={label}
      hint={hint}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
