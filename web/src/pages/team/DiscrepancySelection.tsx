import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Discrepancy } from '../../api/team-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Facing } from '../../components/Facing.js';
import { TextArea } from '../../components/Field.js';
import { LedgerTotal } from '../../components/Money.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatCount } from '../../shared/format/numbers.js';
import { type Resolution, resolutionWords } from './ResolveDialog.js';
import { describeResolved, resolveMany } from './resolve-many.js';

interface SelectionProps {
  readonly chosen: readonly Discrepancy[];
  /** Called when the chosen ones are resolved or given up. */
  readonly onDone: () => void;
}

/** What can be done with the chosen discrepancies at once. */
export function DiscrepancySelection({ chosen, onDone }: SelectionProps) {
  const [action, setAction] = useState<Resolution | null>(null);
  if (chosen.length === 0) return null;
  return (
    <div className={`${blocks.saveLine} ${blocks.chosen}`}>
      <span>{formatCount(chosen.length, 'discrepancy', 'discrepancies')} selected</span>
      <Button onClick={onDone}>Clear</Button>
      <Button onClick={() => setAction('dismiss')}>Dismiss</Button>
      <Button onClick={() => setAction('carry_forward')}>Pay in the next period</Button>
      <Button kind="primary" onClick={() => setAction('true_up')}>
        Pay in the same period
      </Button>
      {action === null ? null : (
        <ResolveManyDialog
          chosen={chosen}
          action={action}
          onClose={() => setAction(null)}
          onDone={() => {
            setAction(null);
            onDone();
          }}
        />
      )}
    </div>
  );
}

interface ResolveManyProps extends SelectionProps {
  readonly action: Resolution;
  readonly onClose: () => void;
}

/** One discrepancy of each statement: to pay it pays those of its other currencies too. */
function firstOfPeriods(chosen: readonly Discrepancy[]): readonly Discrepancy[] {
  const keyed = [...chosen].reverse().map((each) => [`${each.repId} ${each.period}`, each] as const);
  return [...new Map(keyed).values()].reverse();
}

/** The sums, the effect and one reason for all. */
function ResolveManyDialog({ chosen, action, onClose, onDone }: ResolveManyProps) {
  const form = usePersistedForm(`${action} many`, { reason: '' });
  const { title, effect } = resolutionWords[action];
  const sent = action === 'dismiss' ? chosen : firstOfPeriods(chosen);
  const resolve = useChange({
    send: () => {
      // The audit log has one row for all of them.
      const requestId = `resolve-${crypto.randomUUID()}`;
      return resolveMany(sent, ({ discrepancyId }) =>
        api.resolveDiscrepancy(
          { params: { discrepancyId }, body: { action, reason: form.values.reason.trim() } },
          { requestId },
        ),
      );
    },
    onDone: (resolved) => {
      form.clear();
      showMessage(describeResolved(resolved), resolved.failed.length === 0);
      onDone();
    },
  });
  const deltas = sent.flatMap(({ currency, delta, otherCurrencies }) => [
    { currency, delta },
    ...(action === 'dismiss' ? [] : otherCurrencies),
  ]);
  const currencies = [...new Set(deltas.map(({ currency }) => currency))];
  const sumIn = (code: string) =>
    sumAmounts(deltas.filter(({ currency }) => currency === code).map(({ delta }) => delta));
  return (
    <Dialog
      title={`${title}: ${formatCount(chosen.length, 'discrepancy', 'discrepancies')}`}
      onClose={onClose}
      onSubmit={() => resolve.send()}
      change={resolve}
      form={form}
      action={{
        kind: action === 'dismiss' ? 'danger' : 'primary',
        disabled: form.values.reason.trim() === '',
        children: `Resolve ${chosen.length}`,
      }}
    >
      <Facing
        rows={currencies.map((code) => [
          currencies.length === 1 ? 'Difference' : `Difference in ${code}`,
          <LedgerTotal key={code} amount={sumIn(code)} currency={code} unit="symbol" signed />,
        ])}
      />
      <p className="dim">{effect}</p>
      <TextArea label="Reason" required maxLength={1000} {...form.field('reason')} />
    </Dialog>
  );
}
