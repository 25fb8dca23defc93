import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Deal } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { deletionEffectQuery, maxDeleted } from './deal-changes.js';

interface BulkDeleteProps {
  readonly deals: readonly Deal[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Deletes many deals at once, after it has shown what that does to commission. */
export function BulkDeleteDialog({ deals, onClose, onDone }: BulkDeleteProps) {
  const dealIds = deals.map(({ deal_id: dealId }) => dealId);
  const isTooMany = dealIds.length > maxDeleted;
  const effect = useQuery(deletionEffectQuery(dealIds));
  const remove = useChange({
    send: () => api.deleteDeals({ body: { dealIds } }),
    onDone: ({ deleted }) => {
      showMessage(`${formatCount(deleted, 'deal')} deleted. Commission is calculated again.`);
      onDone();
    },
  });
  return (
    <Dialog
      title={`Delete ${formatCount(deals.length, 'deal')}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      problem={
        isTooMany ? `At most ${formatNumber(maxDeleted)} deals can be deleted at once. Filter the list further.` : null
      }
      action={{ kind: 'danger', disabled: isTooMany || effect.isPending, children: 'Delete' }}
    >
      <p>Their commission is reversed. The deals stay in the list of deleted deals and can be imported again.</p>
      {isTooMany ? null : <EffectOfChange query={effect} what="deletion" />}
    </Dialog>
  );
}
