import { IconAdjustments, IconLockOpen, IconRefresh } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Statement } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { adjustmentKey } from '../../features/statements/adjustment-keys.js';

const AdjustmentDialog = lazy(() =>
  import('../../features/statements/AdjustmentDialog.js').then((module) => ({ default: module.AdjustmentDialog })),
);
const UnlockDialog = lazy(() =>
  import('../../features/statements/UnlockDialog.js').then((module) => ({ default: module.UnlockDialog })),
);

/**
 * What the role may do: generate a version, add an amount to a draft, unlock what is approved. People do not adjust or
 * unlock their own statement.
 */
export function StatementActions({ statement }: { readonly statement: Statement }) {
  const { role, repId: own } = useSession();
  const { repId, repName, period, status, coveredBy = [] } = statement;
  const [isAdjusting, setAdjusting] = usePersistedDialog(adjustmentKey(repId, period));
  const [isUnlocking, setUnlocking] = useState(false);
  const leads = role === 'admin' || role === 'manager';
  const mayUnlock = status === 'approved' && leads && own !== repId;
  const mayAdjust = status !== 'approved' && role === 'admin' && own !== repId;
  return (
    <>
      {status !== 'approved' && leads && coveredBy.length === 0 ? <GenerateButton statement={statement} /> : null}
      {mayAdjust ? (
        <Button icon={IconAdjustments} onClick={() => setAdjusting(true)}>
          Adjust
        </Button>
      ) : null}
      {mayUnlock ? (
        <Button icon={IconLockOpen} onClick={() => setUnlocking(true)}>
          Unlock
        </Button>
      ) : null}
      <Suspense fallback={null}>
        {isAdjusting && mayAdjust ? (
          <AdjustmentDialog repId={repId} repName={repName} period={period} onClose={() => setAdjusting(false)} />
        ) : null}
        {isUnlocking && mayUnlock ? <UnlockDialog statement={statement} onClose={() => setUnlocking(false)} /> : null}
      </Suspense>
    </>
  );
}

function GenerateButton({ statement: { repId, period, status } }: { readonly statement: Statement }) {
  const generate = useAction({
    send: () => api.generateStatement({ params: { repId }, body: { period } }),
    onDone: ({ version }) => showMessage(`Version ${version} was generated.`),
  });
  return (
    <Button icon={IconRefresh} isBusy={generate.isBusy} onClick={() => generate.send()}>
      {status === 'none' ? 'Generate' : 'Generate again'}
    </Button>
  );
}
