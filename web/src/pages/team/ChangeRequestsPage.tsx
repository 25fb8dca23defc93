import { IconCheck, IconX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type ChangeRequest, changeRequestsQuery } from '../../api/queries.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { describeError } from '../../components/States.js';
import { formatDay } from '../../format/dates.js';
import { formatCount } from '../../format/numbers.js';
import { ChangeEffect } from './ChangeEffect.js';
import styles from './ChangeRequestsPage.module.css';

/** Changes that agents have requested, with the decision about those that wait. */
export function ChangeRequestsPage() {
  const requests = useQuery(changeRequestsQuery);
  return (
    <Page
      title="Changes by agents"
      crumbs={[{ label: 'Changes by agents' }]}
      facts={['An approved change runs at once, with the rights of who requested it']}
    >
      <Loaded query={requests} height={240}>
        {({ changeRequests }) => <Requests requests={changeRequests} />}
      </Loaded>
    </Page>
  );
}

interface Decision {
  readonly request: ChangeRequest;
  readonly decision: 'approve' | 'reject';
}

function Requests({ requests }: { readonly requests: readonly ChangeRequest[] }) {
  const [decision, setDecision] = useState<Decision | null>(null);
  if (requests.length === 0) return <Card title="No agent has requested a change">{null}</Card>;
  return (
    <>
      {requests.map((request) => (
        <Card
          key={request.id}
          title={request.title}
          note={`${request.status}, ${formatDay(request.createdAt.slice(0, 10))}`}
        >
          {request.preview === null ? null : (
            <ChangeEffect id={request.id} preview={request.preview} canRepeat={request.status === 'pending'} />
          )}
          <RequestDetails request={request} />
          {request.status === 'pending' ? (
            <div className={styles.actions}>
              <Button icon={IconCheck} onClick={() => setDecision({ request, decision: 'approve' })}>
                Approve
              </Button>
              <Button kind="quiet" icon={IconX} onClick={() => setDecision({ request, decision: 'reject' })}>
                Reject
              </Button>
            </div>
          ) : null}
        </Card>
      ))}
      {decision === null ? null : <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
    </>
  );
}

function RequestDetails({ request }: { readonly request: ChangeRequest }) {
  const outcome = request.outcome as { readonly message?: string } | null;
  return (
    <>
      <dl className={styles.list}>
        <dt className="dim">Requested by</dt>
        <dd>{request.requestedBy}</dd>
        {Object.entries(request.arguments).map(([name, value]) => (
          <ArgumentRow key={name} name={name} value={value} />
        ))}
      </dl>
      {request.status === 'failed' ? <p className={styles.problem}>{outcome?.message}</p> : null}
      {request.reason === null ? null : <p className="dim">Reason: {request.reason}</p>}
    </>
  );
}

function ArgumentRow({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt className="dim">{name}</dt>
      <dd>
        <ArgumentValue value={value} />
      </dd>
    </>
  );
}

/** A value of more than a few lines is folded. */
function ArgumentValue({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value, null, 2);
  const lines = text.split('\n').length;
  const code = <code className={styles.code}>{text}</code>;
  if (lines <= 8) return code;
  return (
    <details>
      <summary>{formatCount(lines, 'line')}</summary>
      {code}
    </details>
  );
}

function DecisionDialog({ request, decision, onClose }: Decision & { readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api.decideChangeRequest({
        params: { changeRequestId: request.id },
        body: { decision, ...(reason.trim() === '' ? {} : { reason }) },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  const isApproval = decision === 'approve';
  return (
    <Dialog
      title={`${isApproval ? 'Approve' : 'Reject'}: ${request.title}`}
      onClose={onClose}
      action={{
        kind: isApproval ? 'primary' : 'danger',
        isBusy: isPending,
        children: isApproval ? 'Approve and run' : 'Reject',
      }}
      onSubmit={() => mutate()}
      problem={error === null ? null : describeError(error).message}
    >
      {isApproval ? (
        <p>The change runs at once. The audit log names the agent and you.</p>
      ) : (
        <TextField
          label="Reason"
          hint="The agent can read it."
          value={reason}
          maxLength={500}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      )}
    </Dialog>
  );
}
