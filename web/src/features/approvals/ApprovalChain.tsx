import { IconSignature } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Statement } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Card } from '../../components/Page.js';
import { Steps } from '../../components/Steps.js';
import { describeStep } from './chain-words.js';

const ReassignDialog = lazy(() => import('./ReassignDialog.js').then((module) => ({ default: module.ReassignDialog })));

/** Who has signed the statement and who signs it next, as a line of names with days. Nothing where one person approves. */
export function ApprovalChain({ statement }: { readonly statement: Statement }) {
  const { approval } = statement;
  const today = useToday();
  if (approval === undefined) return null;
  const { done, of, steps } = approval;
  return (
    <Card title="Signatures" note={`${done} of ${of}`} action={<ChainActions statement={statement} />}>
      <Steps
        label="Signatures"
        steps={steps.map((step) => ({
          title: step.name,
          detail: describeStep(step, approval, today, statement.currency),
          isDone: step.signedAt !== undefined,
        }))}
      />
    </Card>
  );
}

function ChainActions({ statement }: { readonly statement: Statement }) {
  const { role } = useSession();
  const [isReassigning, setReassigning] = useState(false);
  const { approval, status } = statement;
  const next = approval?.next;
  if (approval === undefined || status !== 'draft') return null;
  return (
    <span className={blocks.actions}>
      <WithdrawButton statement={statement} />
      {next?.waitsForMe === true ? <SignButton statement={statement} /> : null}
      {next?.blockedBy !== undefined && role === 'admin' ? (
        <Button onClick={() => setReassigning(true)}>Name who signs</Button>
      ) : null}
      {isReassigning && next !== undefined ? (
        <Suspense fallback={null}>
          <ReassignDialog statement={statement} step={next.name} onClose={() => setReassigning(false)} />
        </Suspense>
      ) : null}
    </span>
  );
}

interface SignButtonProps {
  readonly statement: Pick<Statement, 'repId' | 'period' | 'version' | 'approval'>;
}

/** Signs the content that is displayed: with another one, the service says what differs. */
export function SignButton({ statement: { repId, period, version, approval } }: SignButtonProps) {
  const next = approval?.next;
  const isConsent = next?.consent === true;
  const checked = { period, version, ...(approval === undefined ? {} : { contentHash: approval.contentHash }) };
  const sign = useAction({
    send: async (): Promise<Pick<Statement, 'status'>> => {
      if (isConsent) return api.consentStatement({ params: { repId }, body: checked });
      const step = next === undefined ? {} : { step: next.name };
      return api.approveStatement({ params: { repId }, body: { ...checked, ...step, status: 'approved' } });
    },
    onDone: ({ status }) =>
      showMessage(status === 'approved' ? 'Signed. The statement is approved.' : 'Signed. The next step waits.'),
  });
  return (
    <Button kind="primary" icon={IconSignature} isBusy={sign.isBusy} onClick={() => sign.send()}>
      {isConsent ? 'I agree' : `Sign ${next?.name ?? ''}`}
    </Button>
  );
}

/** The last signature can be withdrawn by who gave it, until the next one. */
function WithdrawButton({ statement: { repId, period, approval } }: SignButtonProps) {
  const { repId: own } = useSession();
  const last = approval?.steps.findLast(({ signedAt }) => signedAt !== undefined);
  const withdraw = useAction({
    send: () => api.approveStatement({ params: { repId }, body: { period, status: 'draft' } }),
    onDone: () => showMessage('The signature was withdrawn.'),
  });
  if (repId === own || last?.signedBy?.repId !== own) return null;
  return (
    <Button isBusy={withdraw.isBusy} onClick={() => withdraw.send()}>
      Withdraw {last.name}
    </Button>
  );
}
