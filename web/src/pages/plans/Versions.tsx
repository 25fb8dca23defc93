import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { LinkButton } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Card } from '../../components/Page.js';
import { formatDay, formatInstant } from '../../format/dates.js';
import { differencesOf } from '../../plans/differences.js';
import { draftOf } from '../../plans/draft.js';
import { DifferenceList } from './DifferenceList.js';
import { PlanBadge } from './PlanBadge.js';
import styles from './Plans.module.css';

/** Every version, newest first, with what it changed in words. */
export function Versions({ versions, currency }: { readonly versions: readonly Plan[]; readonly currency: string }) {
  const [withdrawn, setWithdrawn] = useState<Plan | null>(null);
  return (
    <Card title="Versions" note="newest first">
      <ol className={styles.versions}>
        {versions.map((version, index) => {
          const before = versions[index + 1];
          const differences = before === undefined ? [] : differencesOf(draftOf(before), draftOf(version), currency);
          return (
            <li key={version.planVersionId}>
              <div className={styles.versionHead}>
                <span className="strong">Version {version.version}</span>
                <PlanBadge status={version.versionStatus} />
                <span className="dim">{formatInstant(version.createdAt)}</span>
                {version.effectiveStart === null ? null : (
                  <span className="dim">from {formatDay(version.effectiveStart, 'year')}</span>
                )}
                {version.versionStatus === 'active' && versions.length > 1 ? (
                  <LinkButton className="strong" onClick={() => setWithdrawn(version)}>
                    Withdraw<span className="unseen"> version {version.version}</span>
                  </LinkButton>
                ) : null}
              </div>
              {differences.length === 0 ? (
                <p className="dim">{before === undefined ? 'The first version.' : 'Nothing but its state.'}</p>
              ) : (
                <DifferenceList differences={differences} />
              )}
            </li>
          );
        })}
      </ol>
      {withdrawn === null ? null : <Withdraw version={withdrawn} onClose={() => setWithdrawn(null)} />}
    </Card>
  );
}

/** A version that is archived leaves its days to the version before. */
function Withdraw({ version, onClose }: { readonly version: Plan; readonly onClose: () => void }) {
  const withdraw = useChange({
    send: () => api.setPlanStatus({ params: { planRef: version.planVersionId }, body: { status: 'archived' } }),
    onDone: () => {
      showMessage(`Version ${version.version} is withdrawn.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Withdraw version ${version.version}`}
      onClose={onClose}
      onSubmit={() => withdraw.send()}
      change={withdraw}
      action={{ kind: 'danger', children: 'Withdraw' }}
    >
      <p>
        The version before it is in force again, and open periods are calculated again. Approved statements do not
        change. The version stays in the history.
      </p>
    </Dialog>
  );
}
