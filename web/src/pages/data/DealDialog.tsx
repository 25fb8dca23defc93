import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { type Deal } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { Button, buttonClass } from '../../components/Button.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Facing } from '../../components/Facing.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import { CrmButton } from '../../features/deals/CrmLink.js';
import { fieldWords, valueWords } from '../../features/plans/words.js';
import { formatTimestamp } from '../../shared/format/dates.js';

interface DealDialogProps {
  readonly deal: Deal;
  readonly onEdit: () => void;
  readonly onClose: () => void;
}

/** The fields of a deal as they were sent, what the engine did with it, and its owner. */
export function DealDialog({ deal, onEdit, onClose }: DealDialogProps) {
  const { deal_id: dealId, name, fields, ownerId, ownerEmail, repName } = deal;
  return (
    <InfoDialog title={name ?? dealId} size={640} onClose={onClose}>
      <div className={blocks.stack}>
        <h3>Fields</h3>
        <Facing
          rows={[
            ['ID', dealId],
            ['Person', repName ?? 'no person'],
            ...(ownerId === null && ownerEmail === null ? [] : [['Owner', ownerId ?? ownerEmail] as const]),
            ...Object.entries(fields).map(([slug, value]) => [fieldWords(slug), valueWords(value)] as const),
          ]}
        />
        <h3>History</h3>
        <History dealId={dealId} />
        <div className={blocks.saveLine}>
          <span />
          <DeleteButton deal={deal} onClose={onClose} />
          <CrmButton deal={deal} />
          {deal.deleted_at === null ? <Button onClick={onEdit}>Edit</Button> : null}
          <Link to="/deals/$dealId" params={{ dealId }} className={buttonClass({ kind: 'primary' })}>
            Commission, and why
          </Link>
        </div>
      </div>
    </InfoDialog>
  );
}

const outcomes = {
  written: 'paid or changed',
  no_change: 'nothing changed',
  skipped: 'no rule applies',
  statement_locked: 'blocked by an approved statement',
  failed: 'failed',
} as const;

function History({ dealId }: { readonly dealId: string }) {
  const { data, error } = useQuery({
    queryKey: ['deal-runs', dealId],
    queryFn: ({ signal }) => api.listAuditLogs({ query: { dealId, limit: '20' } }, { signal }),
  });
  if (error !== null) return <p className="negative">{describeError(error).message}</p>;
  if (data === undefined) return null;
  if (data.runs.length === 0) return <p className="dim">It was calculated together with others.</p>;
  return (
    <div className={blocks.lines}>
      {data.runs.map(({ runId, startedAt, trigger, outcome }) => (
        <div key={runId}>
          <span>{trigger.replaceAll('_', ' ')}</span>
          <span className="dim">
            {outcomes[outcome]}, {formatTimestamp(startedAt)}
          </span>
        </div>
      ))}
    </div>
  );
}

interface DeleteButtonProps {
  readonly deal: Deal;
  readonly onClose: () => void;
}

function DeleteButton({ deal: { deal_id: dealId, deleted_at: deletedAt }, onClose }: DeleteButtonProps) {
  const isDeleted = deletedAt !== null;
  return (
    <ConfirmButton
      confirm="Yes, delete it"
      send={() => api.deleteDeal({ params: { dealId }, query: { hard: isDeleted ? 'true' : 'false' } })}
      onDone={() => {
        showMessage('The deal was deleted, and its commission is reversed.');
        onClose();
      }}
    >
      {isDeleted ? 'Delete with its history' : 'Delete'}
    </ConfirmButton>
  );
}
