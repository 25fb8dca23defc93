import { lazy, Suspense, useState } from 'react';
import { type Line } from '../../api/queries.js';
import { isPersisted } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { LinkButton } from '../../components/Button.js';
import { changeKey } from '../../features/statements/adjustment-keys.js';
import styles from './StatementPage.module.css';

const dialogs = () => import('../../features/statements/ChangeAdjustmentDialog.js');
const EditAdjustmentDialog = lazy(() => dialogs().then((module) => ({ default: module.EditAdjustmentDialog })));
const DeleteAdjustmentDialog = lazy(() => dialogs().then((module) => ({ default: module.DeleteAdjustmentDialog })));

/** Admins change and delete amounts that a person entered, but not their own. A true-up can only be deleted. */
export function EntryActions({ line }: { readonly line: Line }) {
  const { role, repId } = useSession();
  const [open, setOpen] = useState<'edit' | 'delete' | null>(() => (isPersisted(changeKey(line)) ? 'edit' : null));
  if (role !== 'admin' || line.repId === repId) return null;
  const close = () => setOpen(null);
  return (
    <span className={styles.entryActions}>
      {line.kind === 'true_up' ? null : <LinkButton onClick={() => setOpen('edit')}>Change</LinkButton>}
      <LinkButton onClick={() => setOpen('delete')}>Delete</LinkButton>
      <Suspense fallback={null}>
        {open === 'edit' ? <EditAdjustmentDialog line={line} onClose={close} /> : null}
        {open === 'delete' ? <DeleteAdjustmentDialog line={line} onClose={close} /> : null}
      </Suspense>
    </span>
  );
}
