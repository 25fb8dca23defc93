import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { payablesOfDealQuery } from '../../api/payout-queries.js';
import { ownStatementsQuery } from '../../api/queries.js';
import { type Discrepancy } from '../../api/team-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Facing } from '../../components/Facing.js';
import { TextArea } from '../../components/Field.js';
import { LedgerTotal } from '../../components/Money.js';
import { releasedWords } from '../../features/payables/words.js';
import { absolute, signOf } from '../../shared/format/exact.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod, shiftPeriod } from '../../shared/format/periods.js';

export type Resolution = Parameters<typeof api.resolveDiscrepancy>[0]['body']['action'];

interface ResolveDialogProps {
  readonly discrepancy: Discrepancy;
  readonly action: Resolution;
  readonly onClose: () => void;
}

/** What a resolution does. */
export const resolutionWords = {
  true_up: {
    title: 'Pay in the same period',
    effect: 'The difference is paid in the approved period, as one line of a new approved version of the statement.',
  },
  carry_forward: {
    title: 'Pay in the next period',
    effect: 'The difference is paid in the next period that is not approved. The approved statement does not change.',
  },
  dismiss: {
    title: 'Dismiss',
    effect: 'Nothing is paid. Only a further change opens the discrepancy again.',
  },
} as const;

/** Where the reason is kept until it is sent. */
export function resolutionKey(action: Resolution, discrepancyId: string): string {
  return `${action} ${discrepancyId}`;
}

/** Amount, effect and reason. Above the threshold of the workspace, a true-up is confirmed a second time. */
export function ResolveDialog({ discrepancy, action, onClose }: ResolveDialogProps) {
  const { discrepancyId, repName, period, delta, currency, otherCurrencies } = discrepancy;
  const form = usePersistedForm(resolutionKey(action, discrepancyId), { reason: '' });
  const { reason } = form.values;
  const [threshold, setThreshold] = useState<number | null>(null);
  const resolve = useChange({
    send: () =>
      api.resolveDiscrepancy({
        params: { discrepancyId },
        body: { action, reason: reason.trim(), ...(threshold === null ? {} : { force: true }) },
      }),
    onDone: ({ result }) => {
      if (result.action === 'requires_approval') {
        setThreshold(result.approvalThreshold ?? 0);
        return;
      }
      form.clear();
      showMessage(doneWords(result.action, result.period, repName));
      onClose();
    },
  });
  const { title, effect } = resolutionWords[action];
  const submit = action === 'dismiss' ? title : signOf(delta) < 0 ? 'Deduct' : 'Pay';
  return (
    <Dialog
      title={`${title}: ${repName}, ${formatPeriod(period)}`}
      onClose={onClose}
      onSubmit={() => resolve.send()}
      change={resolve}
      form={form}
      action={{
        kind: action === 'dismiss' ? 'danger' : 'primary',
        disabled: reason.trim() === '',
        children: threshold === null ? submit : `${submit} ${formatMoney(absolute(delta), currency)}`,
      }}
      problem={
        threshold === null
          ? null
          : `Nothing was written yet: the difference is above ${formatMoney(threshold, currency)}. Check the lines, then confirm.`
      }
    >
      <Facing
        rows={[
          ['Difference', <LedgerTotal key="delta" amount={delta} currency={currency} unit="symbol" signed />],
          ...(action === 'dismiss' ? [] : otherCurrencies).map(
            (other) =>
              ['Paid with it', formatMoney(other.delta, other.currency, { unit: 'code', signed: true })] as const,
          ),
        ]}
      />
      <p className="dim">{effect}</p>
      {action === 'carry_forward' ? <NextPeriod discrepancy={discrepancy} /> : null}
      <TextArea label="Reason" required maxLength={1000} {...form.field('reason')} />
    </Dialog>
  );
}

/** The period to which the difference is added. With payouts, what of it waits is paid later, as that of the deal. */
function NextPeriod({ discrepancy }: Pick<ResolveDialogProps, 'discrepancy'>) {
  const { repId, period } = discrepancy;
  const statements = useQuery(ownStatementsQuery(repId)).data;
  if (statements === undefined) return null;
  const approved = new Set(statements.filter(({ status }) => status === 'approved').map((each) => each.period));
  let next = shiftPeriod(period, 1);
  while (approved.has(next)) next = shiftPeriod(next, 1);
  const pays = statements.some(({ payslip }) => payslip !== undefined);
  return (
    <>
      <p>It is added to {formatPeriod(next)}.</p>
      {pays ? <Released discrepancy={discrepancy} /> : null}
    </>
  );
}

/** Of how many deals of a difference it is said what is released. */
const maxDeals = 5;

/** What the deals of the difference have released so far: of the difference, the same part is paid at once. */
function Released({ discrepancy: { repId, lines } }: Pick<ResolveDialogProps, 'discrepancy'>) {
  const names = new Map(
    lines.flatMap(({ dealId, dealName }) => (dealId === null ? [] : [[dealId, dealName ?? dealId]])),
  );
  const deals = [...names].slice(0, maxDeals);
  const payables = useQueries({ queries: deals.map(([dealId]) => payablesOfDealQuery(dealId)) });
  const waiting = deals.flatMap(([, name], index) => {
    const ofPerson = payables[index]?.data?.payables.filter((payable) => payable.repId === repId) ?? [];
    return releasedWords(name, ofPerson) ?? [];
  });
  if (waiting.length === 0) return null;
  return (
    <>
      <p>It pays the part that its deals have released then, and the rest as it is released. So far they have:</p>
      <ul>
        {waiting.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </>
  );
}

function doneWords(action: string, period: string | undefined, name: string): string {
  if (action === 'trued_up') return `The difference of ${name} was paid in the approved period.`;
  if (action === 'carried_forward')
    return `The difference of ${name} is paid in ${period === undefined ? 'the next period' : formatPeriod(period)}.`;
  return action === 'dismissed' ? `The difference of ${name} was dismissed.` : 'The difference no longer exists.';
}
