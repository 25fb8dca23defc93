import { IconDownload, IconSignature } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Acceptance, ownAcceptancesQuery, planDocumentQuery } from '../../api/acceptance-queries.js';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { downloadPlanDocument, useDownload } from '../../api/download.js';
import { showMessage } from '../../app/messages.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { describeExamples, describeTerms } from './document-words.js';

/** The plans that wait for the acceptance of the person, each with their own terms and worked amounts. The plan follows on the page. */
export function PlansToAccept() {
  const { repId } = useSession();
  const own = useQuery(ownAcceptancesQuery(repId)).data?.acceptances ?? [];
  return own.map((acceptance) =>
    acceptance.status === 'accepted' ? (
      <p key={acceptance.planVersionId} className="dim">
        {acceptance.planName}, version {acceptance.version}: accepted by {acceptance.signedName}{' '}
        {acceptance.decidedAt === undefined ? '' : formatTimestamp(acceptance.decidedAt)}{' '}
        <DownloadDocument planVersionId={acceptance.planVersionId} />
      </p>
    ) : (
      <PlanToAccept key={acceptance.planVersionId} acceptance={acceptance} />
    ),
  );
}

function PlanToAccept({ acceptance }: { readonly acceptance: Acceptance }) {
  const { workspace } = useSession();
  const { planVersionId, planName, version, acceptance: mode } = acceptance;
  const read = useQuery(planDocumentQuery(planVersionId)).data;
  if (read === undefined) return null;
  return (
    <Card
      title={`Accept ${planName}, version ${version}`}
      note={acceptance.status === 'declined' ? 'declined' : undefined}
    >
      <div className={blocks.stack}>
        <p>
          Read the plan below, your terms and the examples, then sign.
          {mode === 'hold_pay' ? ' What this version pays waits until then.' : ''}
        </p>
        <Sentences title="Your terms" sentences={describeTerms(read.document.terms)} />
        <Sentences title="Examples" sentences={describeExamples(read.document, workspace.currency)} />
        <span className={blocks.actions}>
          <DownloadDocument planVersionId={planVersionId} />
        </span>
        <SignForm planVersionId={planVersionId} sha256={read.sha256} />
      </div>
    </Card>
  );
}

/** The document with its hash, as it is signed. */
function DownloadDocument({ planVersionId }: { readonly planVersionId: string }) {
  const { start, ratio } = useDownload((_kind, onProgress) => downloadPlanDocument(planVersionId, onProgress));
  return (
    <Button icon={IconDownload} isBusy={ratio !== null} onClick={() => start()}>
      Document, PDF
    </Button>
  );
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/** Signs the document that is displayed: another one is rejected. */
function SignForm({ planVersionId, sha256 }: { readonly planVersionId: string; readonly sha256: string }) {
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const accept = useChange({
    send: () => api.acceptPlan({ params: { planVersionId }, body: { signedName: name.trim(), sha256 } }),
    onDone: () => showMessage('You have accepted the plan.'),
  });
  const decline = useChange({
    send: () => api.declinePlan({ params: { planVersionId }, body: { reason: reason.trim() } }),
    onDone: () => showMessage('Your admins see that you declined.'),
  });
  const error = accept.error ?? decline.error;
  return (
    <form
      className={blocks.stack}
      onSubmit={(event) => {
        event.preventDefault();
        accept.send();
      }}
    >
      <TextField label="Your name" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <span className={blocks.actions}>
        <Button type="submit" kind="primary" icon={IconSignature} disabled={name.trim() === ''} isBusy={accept.isBusy}>
          Accept the plan
        </Button>
      </span>
      <TextField
        label="Or say why not"
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <span className={blocks.actions}>
        <Button disabled={reason.trim() === ''} isBusy={decline.isBusy} onClick={() => decline.send()}>
          Decline
        </Button>
      </span>
      {error === null ? null : (
        <p role="alert" className="negative">
          {describeError(error).message}
        </p>
      )}
    </form>
  );
}
