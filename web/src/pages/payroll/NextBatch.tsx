import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { nextBatchQuery, type PayoutBatch } from '../../api/payout-queries.js';
import { type Layout, type PayrollFile, type PayrollTerms, type SomePeople } from '../../api/payroll-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Segments } from '../../components/Segments.js';
import { type Sum, sumWords } from '../../features/statements/pay-sums.js';
import { formatCount } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { FileCard } from './FileCard.js';
import { findObstacle, firstNames, layouts, layoutsFor, missingIds } from './layouts.js';
import { chooseBatch, type Run, type WithoutRow } from './pay-run.js';
import { useRequestedFile } from './requested-file.js';
import { areEqual, fileTotals } from './sums.js';

interface NextBatchProps {
  readonly period: string;
  /** The currency of the workspace. */
  readonly currency: string;
  readonly run: Run;
  readonly terms: PayrollTerms;
  /** Who has no row, by reason. */
  readonly withoutRow: readonly WithoutRow[];
  readonly layout: Layout | undefined;
  /** The only currency of the batch; absent for all. */
  readonly paidIn: string | undefined;
  /** The open batches, which are decided before others in their currencies. */
  readonly open: readonly PayoutBatch[];
}

/** What the next batch would pay: its file before it is created, compared with what is approved and in no batch. */
export function NextBatch({ run, paidIn, open, ...props }: NextBatchProps) {
  const { batch, ...choice } = chooseBatch(run, { main: props.currency, paidIn, open });
  return batch === undefined ? null : <BatchFile {...props} {...choice} batch={batch} />;
}

interface BatchFileProps
  extends Omit<NextBatchProps, 'run' | 'paidIn' | 'open'>,
    Omit<ReturnType<typeof chooseBatch>, 'batch'> {
  readonly batch: Run['next'][number];
}

function BatchFile(props: BatchFileProps) {
  const { period, currency, terms, withoutRow, layout, currencies, chosen, isAllOffered, ledger, batch } = props;
  const navigate = useNavigate({ from: '/payroll' });
  const [isConfirming, setConfirming] = usePersistedDialog(`payout batch ${period}`);
  const offered = layoutsFor(ledger.length);
  const current = offered.find((name) => name === layout) ?? (offered[0] as Layout);
  const { people, withoutPayrollId: withoutId } = batch;
  const sums = { ledger, batch };
  const { isRequested, requestOf } = useRequestedFile({ layout: current, chosen, sums }, people);
  const obstacle = findObstacle(current, { terms, currencies: ledger.map(({ currency }) => currency), withoutId });
  const query = useQuery({
    ...nextBatchQuery({ period, layout: current, currency: chosen, sums }),
    enabled: obstacle === null && isRequested,
  });
  const file = query.data?.layout === current && !query.isPlaceholderData ? query.data : null;
  const totals = file === null ? [] : fileTotals(file, ledger[0]?.currency ?? currency);
  const isEqual = file !== null && areEqual(totals, ledger);
  const show = (next: { readonly layout?: Layout; readonly currency?: string | undefined }) =>
    navigate({ search: (present) => ({ ...present, period, ...next }), replace: true });
  return (
    <>
      <FileCard
        title="Next batch"
        {...{ period, currency, query, totals, ledger, isEqual, obstacle, offered, withoutId }}
        layout={current}
        request={requestOf(query, file)}
        onLayout={(next) => show({ layout: next })}
        choices={
          currencies.length === 1 ? undefined : (
            <Segments
              label="Currency of the batch"
              choices={[
                ...(isAllOffered ? [['all', 'All currencies'] as const] : []),
                ...currencies.map((code) => [code, `Only ${code}`] as const),
              ]}
              current={chosen ?? 'all'}
              onChange={(next) => show({ currency: next === 'all' ? undefined : next })}
            />
          )
        }
        withoutRow={<WithoutRows groups={withoutRow} />}
        changedIds={batch.changedPayrollIds}
        sharedIds={batch.sharedPayrollIds}
        action={(_file, isCurrent) => (
          <Button kind="primary" disabled={!isCurrent || !isEqual} onClick={() => setConfirming(true)}>
            Create batch
          </Button>
        )}
      />
      {isConfirming && file !== null ? (
        <CreateDialog {...{ period, file, totals, withoutId }} currency={chosen} onClose={() => setConfirming(false)} />
      ) : null}
    </>
  );
}

function WithoutRows({ groups }: { readonly groups: readonly WithoutRow[] }) {
  return groups.map(({ reason, count, people }) => (
    <span key={reason} className="second">
      {formatCount(count, 'person', 'people')} without a row, {reason}
      {count > 3 ? '' : `: ${firstNames({ count, people })}`}
    </span>
  ));
}

interface CreateDialogProps {
  readonly period: string;
  readonly file: PayrollFile;
  readonly totals: readonly Sum[];
  readonly currency: string | null;
  readonly withoutId: SomePeople;
  readonly onClose: () => void;
}

/** States what the batch collects. What changed since the preview is shown with the batch, which can be cancelled. */
function CreateDialog({ period, file, totals, currency, withoutId, onClose }: CreateDialogProps) {
  const create = useChange({
    send: () =>
      api.createPayoutBatch({
        query: { lines: '0' },
        body: { period, layout: file.layout, ...(currency === null ? {} : { currency }) },
      }),
    onDone: ({ people }) => {
      showMessage(`The payout batch has ${formatCount(people, 'person', 'people')}.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Create a payout batch of ${formatPeriod(period)}?`}
      onClose={onClose}
      onSubmit={() => create.send()}
      change={create}
      action={{ children: 'Create batch' }}
    >
      <p>
        {formatCount(file.rows.length, 'row')} with <span className="num strong">{sumWords(totals, ' and ')}</span> in
        the layout {layouts[file.layout].label}. Its amounts are in no other batch, and its statements cannot be
        unlocked, until the batch is cancelled. Marking it as paid is final.
      </p>
      {withoutId.count === 0 ? null : (
        <p>Payroll IDs: {missingIds(withoutId)} The payroll system cannot assign their rows.</p>
      )}
    </Dialog>
  );
}
