import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { ApiError } from '#src/client.js';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { usePeopleById } from '../../api/people-by-id.js';
import { type ChangeRequest, changeRequestsQuery } from '../../api/queries.js';
import { usePersistedChoice, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { formatDay } from '../../shared/format/dates.js';
import { inWords } from '../../shared/format/in-words.js';
import { formatCount } from '../../shared/format/numbers.js';
import { plainMessage } from '../../shared/format/plain-message.js';
import { ChangeEffect } from './ChangeEffect.js';
import styles from './ChangeRequestsPage.module.css';
import { endWords, outdatedWords, statusWords } from './change-request-words.js';

/** Changes that agents have requested, with the decision about those that wait. */
export function ChangeRequestsPage() {
  const requests = useQuery(changeRequestsQuery);
  return (
    <Page
      title="Changes by agents"
      crumbs={[{ label: 'Changes by agents' }]}
      facts={['An approved change runs at once, with the present rights of who requested it']}
    >
      <Loaded query={requests} height={240}>
        {({ changeRequests }) => <Requests requests={changeRequests} />}
      </Loaded>
    </Page>
  );
}

/** The address that an agent gives to a person names the request, which is then first. */
function isAddressed({ id }: ChangeRequest): boolean {
  return window.location.hash === `#${id}`;
}

type Decision = 'approve' | 'reject';

function Requests({ requests }: { readonly requests: readonly ChangeRequest[] }) {
  const [open, setOpen] = usePersistedChoice<`${Decision} ${string}`>('change-request');
  const [decision, id] = (open?.split(' ') ?? []) as [Decision?, string?];
  const decided = requests.find((request) => request.id === id);
  if (requests.length === 0)
    return (
      <EmptyState title="No agent has requested a change">
        A change that must wait for a decision appears here, with its effect on commission.
      </EmptyState>
    );
  return (
    <>
      {[...requests]
        .sort((a, b) => Number(isAddressed(b)) - Number(isAddressed(a)))
        .map((request) => (
          <Card
            key={request.id}
            title={request.title}
            note={`${statusWords[request.status]}, ${formatDay(request.createdAt.slice(0, 10))}`}
          >
            {request.status === 'pending' && request.outdated !== null ? (
              <p className={styles.problem} role="status">
                {outdatedWords(request.outdated)}
              </p>
            ) : null}
            {request.preview === null ? null : (
              <ChangeEffect id={request.id} preview={request.preview} canRepeat={request.status === 'pending'} />
            )}
            <RequestDetails request={request} />
            {request.status === 'pending' ? (
              <div className={`${blocks.actions} ${styles.decide}`}>
                <Button icon={IconCheck} onClick={() => setOpen(`approve ${request.id}`)}>
                  Approve
                </Button>
                <Button kind="quiet" icon={IconX} onClick={() => setOpen(`reject ${request.id}`)}>
                  Reject
                </Button>
              </div>
            ) : null}
          </Card>
        ))}
      {decided === undefined || decision === undefined ? null : (
        <DecisionDialog request={decided} decision={decision} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

/** The names of the people and the plans whom the request names by id, as far as they are loaded. */
function useNames({ repId, arguments: given }: ChangeRequest): ReadonlyMap<string, string> {
  const ids = JSON.stringify(given).match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
  const people = usePeopleById([repId, ...ids]).data ?? new Map();
  const { data: plans = [] } = useQuery(allPlansQuery);
  return new Map([
    ...[...people.values()].map(({ id, name }) => [id, name] as const),
    ...plans.flatMap(({ planId, planVersionId, name }) => [[planId, name] as const, [planVersionId, name] as const]),
  ]);
}

/** Who requested it: an agent of the person, or one with a key. */
function requesterWords({ requestedBy, repId }: ChangeRequest, names: ReadonlyMap<string, string>): string {
  const person = repId === null ? undefined : names.get(repId);
  return person === undefined ? requestedBy : requestedBy.replace(`mcp:rep:${repId}`, person);
}

function RequestDetails({ request }: { readonly request: ChangeRequest }) {
  const outcome = request.outcome as { readonly message?: string } | null;
  const names = useNames(request);
  return (
    <>
      <dl className={styles.list}>
        <dt className="dim">Requested by</dt>
        <dd>{requesterWords(request, names)}</dd>
        {Object.entries(request.arguments).map(([name, value]) => (
          <Fragment key={name}>
            <dt className="dim">{name}</dt>
            <dd>
              <ArgumentValue value={value} names={names} />
            </dd>
          </Fragment>
        ))}
      </dl>
      {request.status === 'failed' ? <p className={styles.problem}>{plainMessage(outcome?.message ?? '')}</p> : null}
      {request.endedBecause === null ? null : <p className="dim">{endWords[request.endedBecause]}</p>}
      {request.reason === null ? null : <p className="dim">Reason: {request.reason}</p>}
    </>
  );
}

interface ArgumentValueProps {
  readonly value: unknown;
  readonly names: ReadonlyMap<string, string>;
}

/** Ids of people and plans are displayed as names. A value of more than a few lines is folded. */
function ArgumentValue({ value, names }: ArgumentValueProps) {
  if (typeof value === 'string') return names.get(value) ?? inWords(value);
  if (isListNaming(value, names)) return value.map((id) => names.get(id)).join(', ');
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

function isListNaming(value: unknown, names: ReadonlyMap<string, string>): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => names.has(id));
}

interface DecisionDialogProps {
  readonly request: ChangeRequest;
  readonly decision: Decision;
  readonly onClose: () => void;
}

function DecisionDialog({ request: { id, title, fingerprint }, decision, onClose }: DecisionDialogProps) {
  // The list is loaded again while the dialog is open: the approval refers to what was read before.
  const [read] = useState(fingerprint);
  const queryClient = useQueryClient();
  const form = usePersistedForm(`change-request ${decision} ${id}`, { reason: '' });
  const reason = form.values.reason.trim();
  const decide = useChange({
    send: () =>
      api.decideChangeRequest({
        params: { changeRequestId: id },
        body: {
          decision,
          ...(decision === 'approve' ? { fingerprint: read } : {}),
          ...(reason === '' ? {} : { reason }),
        },
      }),
    onDone: () => {
      form.clear();
      onClose();
    },
    // The page states what has changed, above the new effect.
    onFailed: (cause) => {
      if (!(cause instanceof ApiError) || cause.code !== 'preview_outdated') return;
      void queryClient.invalidateQueries({ queryKey: changeRequestsQuery.queryKey });
      onClose();
    },
  });
  const isApproval = decision === 'approve';
  return (
    <Dialog
      title={`${isApproval ? 'Approve' : 'Reject'}: ${title}`}
      onClose={onClose}
      action={isApproval ? { children: 'Approve and run' } : { kind: 'danger', children: 'Reject' }}
      onSubmit={() => decide.send()}
      change={decide}
      form={isApproval ? undefined : form}
    >
      {isApproval ? (
        <p>The change runs at once. The audit log names the agent and you.</p>
      ) : (
        <TextField label="Reason" hint="The agent can read it." maxLength={500} {...form.field('reason')} />
      )}
    </Dialog>
  );
}
