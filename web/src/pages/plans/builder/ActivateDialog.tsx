import { useState } from 'react';
import { type Change } from '../../../api/change.js';
import { describeError } from '../../../api/describe-error.js';
import { useSession } from '../../../app/session.js';
import { Dialog } from '../../../components/Dialog.js';
import { CheckField } from '../../../components/Field.js';
import { listDifferences } from '../../../features/plans/differences.js';
import { formatDay } from '../../../shared/format/dates.js';
import { plainMessage } from '../../../shared/format/plain-message.js';
import { DifferenceList } from '../DifferenceList.js';
import styles from './Builder.module.css';
import { PreviewEffect, type PreviewState } from './PreviewBar.js';
import { TakenBack } from './TakenBack.js';
import { type Builder } from './use-builder.js';

interface ActivateDialogProps {
  readonly builder: Builder;
  readonly state: PreviewState;
  readonly change: Pick<Change, 'isBusy' | 'error'>;
  /** `force` activates the version although a test fails. */
  readonly onActivate: (force: boolean) => void;
  readonly onClose: () => void;
}

/** What activation changes, in words and in money, before it happens. */
export function ActivateDialog({ builder, state, change, onActivate, onClose }: ActivateDialogProps) {
  const { workspace } = useSession();
  const { plan, base, draft, saved, isChanged } = builder;
  const { preview, isRunning } = state;
  const [isForced, setForced] = useState(false);
  const isFailing = preview?.testsPassed === false;
  const from =
    draft.effectiveStart === null ? 'every day' : `the days from ${formatDay(draft.effectiveStart, 'long')} on`;
  return (
    <Dialog
      title={`Activate ${draft.name}`}
      onClose={onClose}
      onSubmit={() => onActivate(isForced)}
      change={change}
      action={{ disabled: (isFailing && !isForced) || (plan !== null && isRunning), children: 'Activate' }}
    >
      <p>
        {plan === null ? 'The plan' : isChanged ? 'The changed version' : `Version ${base?.version}`} pays on {from}.
      </p>
      {saved === null ? null : <DifferenceList differences={listDifferences(saved, draft, workspace.currency)} />}
      {plan === null ? (
        <p className="dim">No person is on the plan yet. It pays from the day on which you assign people.</p>
      ) : (
        <Effect state={state} />
      )}
      {(preview?.warnings ?? []).map(({ message }) => (
        <p key={message} className={styles.warning}>
          {plainMessage(message)}
        </p>
      ))}
      {isFailing ? (
        <CheckField
          label="Activate although a test fails"
          hint="The audit log records it."
          checked={isForced}
          onChange={({ currentTarget }) => setForced(currentTarget.checked)}
        />
      ) : null}
    </Dialog>
  );
}

function Effect({ state: { preview, isRunning, error } }: Pick<ActivateDialogProps, 'state'>) {
  if (error !== null && !isRunning)
    return <p className="negative">The effect is not known: {describeError(error).message}</p>;
  if (preview === undefined) return <p className="dim">The effect is being calculated …</p>;
  const { refunds = [] } = preview;
  return (
    <>
      <p className={styles.effect}>
        It <PreviewEffect preview={preview} />.
      </p>
      {refunds.length === 0 ? null : <TakenBack refunds={refunds} />}
    </>
  );
}
