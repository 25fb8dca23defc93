import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { type ChangeRequest, changeRequestsQuery } from '../../api/queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { DataTable } from '../../components/DataTable.js';
import { Money } from '../../components/Money.js';
import { formatDay, formatInstant } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { lockedColumns, repColumns } from '../plans/movement-columns.js';
import styles from './ChangeRequestsPage.module.css';

type Preview = NonNullable<ChangeRequest['preview']>;

interface ChangeEffectProps {
  readonly id: string;
  readonly preview: Preview;
  /** Whether the effect can be calculated again: before the decision. */
  readonly canRepeat: boolean;
}

/** What a requested change of a plan would do to commission, by person. */
export function ChangeEffect({ id, preview, canRepeat }: ChangeEffectProps) {
  const { from, to, calculatedAt, currency, delta, deals, reps, otherCurrencies, byRep, locked, testsPassed } = preview;
  const { send, isBusy, error } = useChange({
    send: () => api.previewChangeRequest({ params: { changeRequestId: id } }),
    reloads: { queryKey: changeRequestsQuery.queryKey },
  });
  return (
    <div className={styles.effect}>
      <p>
        Moves <Money amount={delta} currency={currency} signed />
        {otherCurrencies.map((other) => (
          <span key={other.currency}>
            {' '}
            and <Money amount={other.delta} currency={other.currency} signed />
          </span>
        ))}{' '}
        on {formatCount(deals, 'deal')} of {formatCount(reps, 'person', 'people')} from {formatDay(from, 'year')} to{' '}
        {formatDay(to, 'year')}.
      </p>
      {testsPassed === false ? <p className={styles.problem}>The tests of the plan fail after this change.</p> : null}
      {byRep.length === 0 ? null : (
        <DataTable
          caption="Changes by person"
          columns={repColumns}
          rows={byRep}
          rowKey={({ repId, currency: of }) => repId + of}
        />
      )}
      {byRep.length < reps ? <p className="dim">The {byRep.length} largest changes are listed.</p> : null}
      {locked.length === 0 ? null : (
        <>
          <p>Approved periods do not change. A true-up would pay:</p>
          <DataTable
            caption="Approved periods"
            columns={lockedColumns}
            rows={locked}
            rowKey={({ repId, period, currency: of }) => `${repId} ${period} ${of}`}
          />
        </>
      )}
      <div className={blocks.actions}>
        <span className="dim">Calculated {formatInstant(calculatedAt)}</span>
        {canRepeat ? (
          <Button kind="quiet" isBusy={isBusy} onClick={() => send()}>
            Calculate again
          </Button>
        ) : null}
      </div>
      {error === null ? null : <p className={styles.problem}>{describeError(error).message}</p>}
    </div>
  );
}
