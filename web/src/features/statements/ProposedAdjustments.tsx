import { IconHourglass } from '@tabler/icons-react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Statement } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { Button } from '../../components/Button.js';
import { Note } from '../../components/Note.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { describeDeciders } from './proposal-words.js';

type Proposed = NonNullable<Statement['proposedAdjustments']>[number];

/** Adjustments that do not count before another person approves them, and who that could be. */
export function ProposedAdjustments({ statement }: { readonly statement: Statement }) {
  return (statement.proposedAdjustments ?? []).map((proposed) => (
    <ProposedNote key={proposed.adjustmentId} proposed={proposed} />
  ));
}

function ProposedNote({ proposed }: { readonly proposed: Proposed }) {
  const { amount, currency, reason, mayDecide } = proposed;
  return (
    <Note
      tone="warning"
      icon={IconHourglass}
      title={`${formatMoney(amount, currency, { signed: true })} proposed, not counted yet`}
      actions={mayDecide === true ? <Decide proposed={proposed} /> : undefined}
    >
      <p>
        {reason}. <span className="dim">{describeDeciders(proposed)}</span>
      </p>
    </Note>
  );
}

function Decide({ proposed: { adjustmentId, amount, currency } }: { readonly proposed: Proposed }) {
  const params = { adjustmentId };
  const words = formatMoney(amount, currency, { signed: true });
  const approve = useAction({
    send: () => api.approveAdjustment({ params, body: {} }),
    onDone: () => showMessage(`${words} was approved and counts.`),
  });
  const reject = useAction({
    send: () => api.rejectAdjustment({ params, body: { reason: 'Rejected on the statement' } }),
    onDone: () => showMessage(`${words} was rejected.`),
  });
  return (
    <>
      <Button isBusy={reject.isBusy} onClick={() => reject.send()}>
        Reject
      </Button>
      <Button kind="primary" isBusy={approve.isBusy} onClick={() => approve.send()}>
        Approve {words}
      </Button>
    </>
  );
}
