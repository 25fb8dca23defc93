import { useSession } from '../../../app/session.js';
import { Dialog } from '../../../components/Dialog.js';
import { listDifferences } from '../../../features/plans/differences.js';
import { DifferenceList } from '../DifferenceList.js';
import { type Builder } from './use-builder.js';

interface DiscardDialogProps {
  readonly builder: Builder;
  readonly onClose: () => void;
}

/** Lists the changes that would be lost. */
export function DiscardDialog({ builder: { draft, saved, discard }, onClose }: DiscardDialogProps) {
  const { workspace } = useSession();
  const differences = saved === null ? [] : listDifferences(saved, draft, workspace.currency);
  return (
    <Dialog
      title="Discard your changes?"
      onClose={onClose}
      onSubmit={() => {
        discard();
        onClose();
      }}
      action={{ kind: 'danger', children: 'Discard changes' }}
    >
      <p>{saved === null ? 'The plan is not saved.' : 'This cannot be undone:'}</p>
      <DifferenceList differences={differences} />
    </Dialog>
  );
}
