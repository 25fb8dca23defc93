import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { statusPreviewQuery } from '../../api/plan-queries.js';
import { type Plan } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { LinkButton } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { Warnings } from '../../components/Warnings.js';
import { listDifferences } from '../../features/plans/differences.js';
import { toDraft } from '../../features/plans/draft.js';
import { timelineWords } from '../../features/plans/versions.js';
import { formatDay, formatInstant } from '../../shared/format/dates.js';
import { PreviewEffect } from './builder/PreviewBar.js';
import { TakenBack } from './builder/TakenBack.js';
import { DifferenceList } from './DifferenceList.js';
import { PlanBadge } from './PlanBadge.js';
import styles from './Plans.module.css';

/** Every version, newest first, with what it changed in words. */
export function Versions({ versions, currency }: { readonly versions: readonly Plan[]; readonly currency: string }) {
  const [changed, setChanged] = useState<{ readonly version: Plan; readonly status: Status } | null>(null);
  return (
    <Card title="Versions" note="newest first">
      <ol className={styles.versions}>
        {versions.map((version, index) => {
          const before = versions[index + 1];
          const differences = before === undefined ? [] : listDifferences(toDraft(before), toDraft(version), currency);
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
                  <LinkButton className="strong" onClick={() => setChanged({ version, status: 'archived' })}>
                    Withdraw<span className="unseen"> version {version.version}</span>
                  </LinkButton>
                ) : null}
                {version.versionStatus === 'archived' ? (
                  <LinkButton className="strong" onClick={() => setChanged({ version, status: 'active' })}>
                    Restore<span className="unseen"> version {version.version}</span>
                  </LinkButton>
                ) : null}
              </div>
              {differences.length === 0 ? (
                <p className="dim">{before === undefined ? 'The first version.' : 'Only its status.'}</p>
              ) : (
                <DifferenceList differences={differences} />
              )}
            </li>
          );
        })}
      </ol>
      {changed === null ? null : <StatusDialog {...changed} onClose={() => setChanged(null)} />}
    </Card>
  );
}

type Status = 'active' | 'archived';

/** The figures say what is calculated again. */
function isNews({ code }: { readonly code: string }): boolean {
  return code !== 'restates_open_periods';
}

interface StatusDialogProps {
  readonly version: Plan;
  readonly status: Status;
  readonly onClose: () => void;
}

/** What is in force after a version is withdrawn or restored, and what that moves. */
function StatusDialog({ version, status, onClose }: StatusDialogProps) {
  const isWithdrawal = status === 'archived';
  const preview = useQuery(statusPreviewQuery(version.planVersionId, status));
  const change = useChange({
    send: () => api.setPlanStatus({ params: { planRef: version.planVersionId }, body: { status } }),
    onDone: () => {
      showMessage(`Version ${version.version} is ${isWithdrawal ? 'withdrawn' : 'active again'}.`);
      onClose();
    },
  });
  const words = isWithdrawal ? 'Withdraw' : 'Restore';
  return (
    <Dialog
      title={`${words} version ${version.version}`}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      action={{ kind: isWithdrawal ? 'danger' : 'primary', disabled: preview.data === undefined, children: words }}
    >
      <Loaded query={preview} height={60}>
        {(calculated) => (
          <>
            <p>{timelineWords(calculated.timeline ?? [], 'In force after that')}</p>
            <p className={styles.effect}>
              It <PreviewEffect preview={calculated} />.
            </p>
            {calculated.refunds === undefined ? null : <TakenBack refunds={calculated.refunds} />}
            <Warnings warnings={(calculated.warnings ?? []).filter(isNews)} />
          </>
        )}
      </Loaded>
      <p className="dim">
        Approved statements do not change. The version stays in the history
        {isWithdrawal ? ', and can be restored with one click' : ''}.
      </p>
    </Dialog>
  );
}
